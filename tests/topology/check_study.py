"""check_study.py PROGRAM [SHARED_DIR] [--update]: the study on the real hosts, against the table of docs/placement.md.

The list of hosts is read where it lies, SHARED_DIR/traces/topology-nodes/lingjun_topo.csv; without it the test is
skipped (exit 77). With --update the page gets the tables anew.
"""
import os
import subprocess
import sys

SKIPPED = 77
PAGE = os.path.join("docs", "placement.md")
MARKS = ("<!-- drawn by tests/topology/check_study.py -->\n", "<!-- drawn -->\n")

words = [word for word in sys.argv[1:] if word != "--update"]
shared = words[1] if len(words) > 1 else ""  # ctest drops an empty argument
hosts = os.path.join(shared, "traces", "topology-nodes", "lingjun_topo.csv")
if not shared or not os.path.isfile(hosts):
    print("skipped: no list of hosts here (cmake -DLSCHED_SHARED_DIR=DIR names where it is)")
    sys.exit(SKIPPED)

played = subprocess.run([words[0], "--hosts", hosts, "--gangs", "10000", "--small", "1000"],
                        capture_output=True, text=True, check=False)
print(played.stdout, played.stderr)
if played.returncode != 0:
    sys.exit(1)
with open(PAGE, encoding="utf-8") as file:
    text = file.read()
begin = text.index(MARKS[0]) + len(MARKS[0])
end = text.index(MARKS[1], begin)
if "--update" in sys.argv:
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(text[:begin] + played.stdout + text[end:])
elif text[begin:end] != played.stdout:
    print(f"{PAGE} is not what is drawn; see --update")
    sys.exit(1)
