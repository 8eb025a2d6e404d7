#!/usr/bin/env python3
"""check_stub.py: the stub _abi.pyi names what _abi.py has, and mypy accepts right uses and refuses wrong ones.

Without mypy (scripts/python-env, or `pip install mypy`), the second half is skipped.
"""
import ast
import importlib.util
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(HERE, "libsched")
SKIPPED = 77
# Each line with "# wrong" must be refused, and no other. mypy believes that a ctypes structure can have any attribute, so it
# finds a wrong keyword, but not a wrong field.
USES = """
import libsched._abi as abi

kind: int = abi.GPU
node = abi.NodeDesc(name="a", tag=7, labels={"zone": "east"})
tag: int = node.tag
name: abi.Text = node.name
job = abi.JobDesc(name=b"j", priority=3, groups=[abi.GroupDesc(max_count=2)])
code: str = abi.ERRORS[-5][0]
abi.NodeDesc(nmae="a")  # wrong
abi.JobDesc(priority="high")  # wrong
text: str = job.priority  # wrong
abi.GPUS  # wrong
"""


def names_in(path):
    """The names that a module binds at its top."""
    with open(path, encoding="utf-8") as file:
        body = ast.parse(file.read()).body
    names = set()
    for one in body:
        if isinstance(one, ast.ClassDef):
            names.add(one.name)
        elif isinstance(one, (ast.Assign, ast.AnnAssign)):
            for target in one.targets if isinstance(one, ast.Assign) else [one.target]:
                names.add(target.id)
    return names - {"__all__"}


def mypy_lines(folder):
    """The lines of USES in which mypy finds something."""
    path = os.path.join(folder, "uses.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(USES)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--follow-imports=silent", "--cache-dir", os.path.join(folder, "cache"), path],
        capture_output=True, text=True, env={**os.environ, "MYPYPATH": HERE, "PYTHONPATH": os.environ.get("PYTHONPATH", "")})
    if done.returncode not in (0, 1):
        sys.exit(done.stdout + done.stderr)
    return {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error: " in line}


def main():
    module, stub = names_in(os.path.join(PACKAGE, "_abi.py")), names_in(os.path.join(PACKAGE, "_abi.pyi"))
    if module != stub or len(module) < 300:
        print(f"_abi.py and _abi.pyi differ, or are short: {len(module)} names, {sorted(module ^ stub)[:20]}")
        return 1
    if importlib.util.find_spec("mypy") is None:
        print("mypy is not installed, so the stub is not used")
        return SKIPPED
    expected = {number for number, line in enumerate(USES.splitlines(), 1) if line.endswith("# wrong")}
    with tempfile.TemporaryDirectory() as folder:
        found = mypy_lines(folder)
    print(f"{len(module)} names; lines that mypy refuses: {sorted(found)}, expected {sorted(expected)}")
    return int(found != expected)


if __name__ == "__main__":
    sys.exit(main())
