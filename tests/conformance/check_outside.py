"""check_outside.py PROGRAM [SHARED_DIR]: the outside collection of cases, judged by its own judge.

At least 95 % of the cases that a scheduler cannot pass by doing nothing must be judged same, equivalent or better; those
that differ are explained in docs/conformance.md, by id. Exit 77 (skipped) where the collection is absent.
"""
import os
import re
import subprocess
import sys
import tempfile

AGREE_PERCENT_MIN = 95.0
SKIPPED = 77

program = sys.argv[1]
shared = sys.argv[2] if len(sys.argv) > 2 else ""  # ctest drops an empty argument
judge = os.path.join(shared, "conformance", "judge.py")
cases = os.path.join(shared, "conformance", "kai")
if not shared or not os.path.isfile(judge):
    print("skipped: no outside cases here (cmake -DLSCHED_SHARED_DIR=DIR names where they are)")
    sys.exit(SKIPPED)

try:
    import yaml  # noqa: F401  the judge needs it
except ImportError:
    print("skipped: no PyYAML")
    sys.exit(SKIPPED)

played = subprocess.run([program, cases], capture_output=True, text=True, check=False)
sys.stderr.write(played.stderr)
with tempfile.TemporaryDirectory() as directory:
    results = os.path.join(directory, "results.jsonl")
    with open(results, "w", encoding="utf-8") as file:
        file.write(played.stdout)
    judged = subprocess.run([sys.executable, "-B", judge, cases, results],
                            capture_output=True, text=True, check=False)
print(judged.stdout, judged.stderr)

agree = re.search(r"^non-idle .* agree ([0-9.]+) %$", judged.stdout, re.M)
with open(os.path.join("docs", "conformance.md"), encoding="utf-8") as page:
    explained = page.read()
silent = [name for name in re.findall(r"^differs +(\S+):", judged.stdout, re.M)
          if f"`{name}`" not in explained]
for name in silent:
    print(f"{name} differs, and docs/conformance.md does not say why")
if not agree:
    print("the judge said no figure")
elif float(agree[1]) < AGREE_PERCENT_MIN:
    print(f"expected at least {AGREE_PERCENT_MIN} % agreement, got {agree[1]} %")
sys.exit(not agree or float(agree[1]) < AGREE_PERCENT_MIN or bool(silent) or played.returncode != 0)
