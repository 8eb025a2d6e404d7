"""Every test source became a program that ctest runs: a file that no glob finds would be a test
that never fails.

usage: check_registered.py BUILD_DIR
"""
import json
import subprocess
import sys

import tree

listing = subprocess.run(["ctest", "--test-dir", sys.argv[1], "--show-only=json-v1"],
                         capture_output=True, text=True, check=True).stdout
commands = {" ".join(test.get("command", [])) for test in json.loads(listing)["tests"]}
complaints = []
for path in tree.files(".c"):
    parts = path.split("/")
    if path.startswith(("tests/unit/", "tests/property/")):
        if len(parts) != 3 or parts[1] == "unit" and not parts[2].startswith("test_"):
            complaints.append(f"{path}:1: expected tests/unit/test_WHAT.c or tests/property/WHAT.c")
        elif not any(f"/{parts[1]}/{parts[2][:-2]}" in command for command in commands):
            complaints.append(f"{path}:1: no test of ctest runs this")
tree.finish(complaints, "registered tests")
