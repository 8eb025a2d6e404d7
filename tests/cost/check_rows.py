"""Checks the form of the rows of benchmarks: valid JSON, the known keys, and no name twice.

usage: check_rows.py BENCH_SCRIPT BUILD_DIR NAME...   (NAME: quick programs, which are run)
"""
import json
import re
import subprocess
import sys

KEYS = {"name", "unit", "value"}
BASELINE = {"baseline", "baseline_value"}

done = subprocess.run([sys.argv[1], "--json", *sys.argv[2:]], capture_output=True, text=True,
                      check=True)
rows = json.loads(done.stdout)
complaints = [] if rows else ["there are no rows"]
names = [row["name"] for row in rows]
complaints += [f"{name}: twice" for name in sorted({n for n in names if names.count(n) > 1})]
for row in rows:
    keys = set(row) - {"ratio"}
    program = row["name"].split(".")[0]
    if keys != KEYS and keys != KEYS | BASELINE:
        complaints.append(f"{row['name']}: keys {sorted(row)}")
    if f"bench_{program}" not in sys.argv[3:]:
        complaints.append(f"{row['name']}: the name does not begin with that of its program")
    if not re.fullmatch(r"[a-z0-9_.-]+", row["name"]):
        complaints.append(f"{row['name']}: a name has small letters, digits, '_', '.' and '-'")
    if row.get("baseline_value", 0) > 0 and "ratio" not in row:
        complaints.append(f"{row['name']}: no ratio")
for complaint in complaints:
    print(complaint)
print(f"{len(rows)} rows of benchmarks: {len(complaints)} complaints")
sys.exit(1 if complaints else 0)
