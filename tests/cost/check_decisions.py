"""Bounds the instructions of one decision in a cycle that places 40,000 tasks.

usage: check_decisions.py BENCH_DECISIONS

The laws bound how costs grow; this test bounds what the plainest decision costs. The bound leaves
room for other compilers and C libraries. If a change makes decisions cheaper, lower the bound. The
script exits with 77 where valgrind is not installed.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

DECISIONS = 40000
MOST = 10900  # instructions per decision, the plan included; 10,650 when it was last measured

if not shutil.which("valgrind"):
    print("skipped: valgrind is not installed")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    out = os.path.join(folder, "out")
    done = subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=lsched_schedule",
                           f"--callgrind-out-file={out}", sys.argv[1], "once"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{sys.argv[1]} failed:\n{done.stderr}")
    with open(out, encoding="utf-8", errors="replace") as file:
        total = re.search(r"^(?:totals|summary): (\d+)", file.read(), re.MULTILINE)
each = int(total[1]) // DECISIONS
print(f"{'' if each <= MOST else 'BROKEN: '}{each} instructions per decision, at most {MOST}")
sys.exit(0 if each <= MOST else 1)
