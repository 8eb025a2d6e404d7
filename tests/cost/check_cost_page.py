"""Compares the table of laws in docs/cost.md with laws.def.

Each row of the table has an event, a dimension, and the growth under each policy. The page and
laws.def must have the same laws in the same order. The other tables of the page name files and rows
of benchmarks: every file must exist, and every program must be in bench/.

usage: check_cost_page.py [--update]   (--update writes the table of laws into the page)
"""
import os
import re
import sys

import laws

ROOT = os.path.dirname(os.path.dirname(laws.HERE))
PAGE = os.path.join(ROOT, "docs", "cost.md")
BEGIN, END = "<!-- laws: from tests/cost/laws.def -->\n", "<!-- end of laws -->\n"
HEAD = ("| event | dimension | allocate alone | drf | guaranteed-quota |\n"
        "|---|---|---|---|---|\n")


def cell(by_unit, policy):
    steps, instructions = (laws.WORDS[by_unit[unit][policy]] for unit in laws.UNITS)
    return steps if steps == instructions else f"{steps}; {instructions} by instructions"


def table():
    rows = (f"| {event.lower()} | {dimension.lower()} | "
            + " | ".join(cell(by_unit, policy) for policy in laws.POLICIES) + " |\n"
            for (event, dimension), by_unit in laws.read().items())
    return HEAD + "".join(rows)


def wrong_names(text):
    for path in sorted(set(re.findall(r"`((?:libsched|bench|tests)/[\w/.-]+)`", text))):
        if not os.path.exists(os.path.join(ROOT, path)):
            yield f"docs/cost.md: there is no file {path}"
    for program in sorted(set(re.findall(r"`(bench_\w+)", text))):
        if not os.path.exists(os.path.join(ROOT, "bench", program + ".c")):
            yield f"docs/cost.md: there is no program {program}"


with open(PAGE, encoding="utf-8") as file:
    page = file.read()
before, rest = page.split(BEGIN)
written, after = rest.split(END)
if "--update" in sys.argv:
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + table() + END + after)
    sys.exit(0)
complaints = list(wrong_names(page))
if written != table():
    complaints.append("docs/cost.md: the table of laws is not that of tests/cost/laws.def; run "
                      "tests/cost/check_cost_page.py --update")
for complaint in complaints:
    print(complaint)
print(f"laws of docs/cost.md: {len(complaints)} complaints")
sys.exit(1 if complaints else 0)
