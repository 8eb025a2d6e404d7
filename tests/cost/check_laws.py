"""Compares the growth of costs with laws.def.

usage: check_laws.py PROGRAM [--instructions] [--propose]

PROGRAM is the built cost_laws.c. Without an option, the costs are the steps that it prints. With
--instructions, they are the instructions that callgrind counts in event_world_measured(); the
script exits with 77 where valgrind is not installed. --propose prints the least growth of each law
that holds for the costs.
"""
import collections
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

import laws

SLACK = {"steps": (32, 0.05), "instructions": (2000, 0.1)}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{command[0]} failed:\n{done.stderr}")
    return [line.split() for line in done.stdout.splitlines()]


def steps(program):
    return [(line[:-1], int(line[-1])) for line in run([program])]


def instructions(program):
    """Callgrind sets its counts to 0 before each event, and writes a file at each mark."""
    with tempfile.TemporaryDirectory() as folder:
        lines = run(["valgrind", "--tool=callgrind", "--collect-atstart=no",
                     "--toggle-collect=event_world_measured",
                     "--zero-before=event_world_measured", "--dump-before=cost_laws_mark",
                     f"--callgrind-out-file={folder}/out", program])
        counts = {}
        for path in glob.glob(f"{folder}/out.*"):
            with open(path, encoding="utf-8", errors="replace") as file:
                total = re.search(r"^(?:totals|summary): (\d+)", file.read(), re.MULTILINE)
            counts[int(os.path.basename(path).split(".")[1])] = int(total[1])
    if len(counts) < len(lines):
        sys.exit(f"{len(lines)} measurements, but {len(counts)} counts")
    return [(line[:-1], counts[i]) for i, line in enumerate(lines, 1)]


def collect(measured):
    """{(event, dimension, policy): [(size, cost)]}, the smallest size first."""
    rows = collections.defaultdict(list)
    for (event, dimension, policy, size), cost in measured:
        rows[event, dimension, policy].append((int(size), cost))
    return rows


def judge(rows, unit):
    broken = 0
    for (event, dimension), by_unit in laws.read().items():
        for policy, growth in by_unit[unit].items():
            costs = rows[event, dimension, policy]
            holds = laws.holds(growth, costs, SLACK[unit])
            least = laws.least(costs, SLACK[unit])
            uncounted = not any(cost for _, cost in costs)  # queries count no steps
            better = ("" if not holds or least == growth or uncounted
                      else f"; {least} would hold, too")
            shown = ", ".join(f"{cost} at {size}" for size, cost in costs)
            broken += not holds
            print(f"{'' if holds else 'BROKEN: '}{event} {dimension} {policy}: {growth}; "
                  f"{unit} {shown}{better}")
    return broken


def propose(rows, unit):
    for event, dimension in laws.read():
        found = [laws.least(rows[event, dimension, policy], SLACK[unit])
                 for policy in laws.POLICIES]
        print(f"LAW({event}, {dimension}, {', '.join(found)})")


unit = "instructions" if "--instructions" in sys.argv else "steps"
if unit == "instructions" and not shutil.which("valgrind"):
    print("skipped: valgrind is not installed")
    sys.exit(77)
found = collect(instructions(sys.argv[1]) if unit == "instructions" else steps(sys.argv[1]))
if "--propose" in sys.argv:
    propose(found, unit)
    sys.exit(0)
failures = judge(found, unit)
print(f"laws of cost by {unit}: {failures} broken")
sys.exit(1 if failures else 0)
