"""Each row S-NAME of docs/semantics.md has its tests/scenarios/S-NAME.yaml, and the other way round.

A promise without a test, and a test of a promise that was withdrawn, are both found here.
"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = "docs/semantics.md"
FOLDER = "tests/scenarios"

with open(os.path.join(ROOT, PAGE), encoding="utf-8") as file:
    text = file.read()
rows = {}
for match in re.finditer(r"\bS-[a-z][a-z0-9-]*[a-z0-9]\b", text):
    rows.setdefault(match[0], text.count("\n", 0, match.start()) + 1)
paths = glob.glob(os.path.join(ROOT, FOLDER, "S-*.yaml"))
files = sorted(os.path.basename(path)[:-len(".yaml")] for path in paths)
complaints = [f"{PAGE}:{rows[name]}: {name} has no {FOLDER}/{name}.yaml"
              for name in rows if name not in files]
complaints += [f"{FOLDER}/{name}.yaml:1: {PAGE} has no row {name}"
               for name in files if name not in rows]
print("\n".join(complaints + [f"{len(rows)} rows, {len(complaints)} complaints"]))
sys.exit(1 if complaints else 0)
