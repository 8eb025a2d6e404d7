"""check_plans.py RUNNER [--write]: each scenario has the plans and the work units of plans.txt.

The table is one for all builds, so gcc and clang, debug and release, with and without sanitizers,
must make equal plans. A hash that changes on purpose is written anew with --write, and the change
is a change of decisions: LSCHED_SEMANTICS goes up after the first release. Work units decide where
a budget ends a cycle, so another number of them is a change of decisions, too.
"""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TABLE = os.path.join(HERE, "plans.txt")


def scenarios():
    folders = [HERE, os.path.join(HERE, "bad"), os.path.join(ROOT, "examples", "scenarios")]
    for folder in folders:
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            if name.endswith(".yaml"):
                yield os.path.relpath(os.path.join(folder, name), ROOT)


def plans_of(runner, path):
    out = subprocess.run([runner, path], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    found = re.search(r", plans ([0-9a-f]{16}), work (\d+)$", out, re.M)
    return f"{found.group(1)} {found.group(2)}" if found else "none 0"


def main():
    runner = os.path.abspath(sys.argv[1])
    have = {path: plans_of(runner, path) for path in scenarios()}
    if "--write" in sys.argv[2:]:
        with open(TABLE, "w", encoding="utf-8") as file:
            file.writelines(f"{value} {path}\n" for path, value in sorted(have.items()))
        return 0
    with open(TABLE, encoding="utf-8") as file:
        want = {path: f"{plans} {work}" for plans, work, path in (line.split() for line in file)}
    wrong = [path for path in sorted(set(want) | set(have)) if want.get(path) != have.get(path)]
    for path in wrong:
        print(f"{path}: expected plans and work {want.get(path, 'to be in plans.txt')}, got {have.get(path, 'no scenario')}")
    print(f"{len(have)} scenarios, {len(wrong)} with other plans or other work")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
