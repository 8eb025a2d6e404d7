#!/usr/bin/env python3
"""check_stub.py: the stub _abi.pyi names what _abi.py has; `mypy --strict` accepts the whole package; and a program that uses
the package gets complaints about its wrong lines and no others.

mypy is that of the running Python, or that of scripts/python-env. Without mypy, all but the names is skipped.
"""
import ast
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

import libsched
cluster = libsched.Cluster(memory_limit_bytes=1 << 30)
ids = cluster.jobs_submit([dict(name="a"), libsched.JobDesc(name="b")])
first: int = ids[0]
more, codes = cluster.jobs_submit(libsched.Batch(libsched.JobDesc, []), libsched.BATCH_PARTIAL)
worst: int = min(codes)
cluster.jobs_hold([{"job": more[0], "until_us": 5}])
plan = cluster.schedule(0, verify=True)
chosen: int = plan.decisions[0].node
free: int = cluster.node_get(chosen).n_devices
withdrawn = cluster.settle([one.id for one in plan], libsched.OUTCOME_CONFIRMED)
withdrawn, codes = cluster.settle([1], libsched.OUTCOME_REJECTED, flags=1, refusal=libsched.Refusal(until_us=5))
change, cursor = cluster.changes_next(0)
why = cluster.waiting_get(first)
answer = cluster.would_start(first, offer=True)
with libsched.Cluster.load(cluster.save()) as copy:
    copy.tasks(job=first)[0].state.bit_length()
try:
    cluster.jobs_remove(ids)
except libsched.Error as error:
    place: int = error.index
libsched.Cluster(memory_limit="1 GiB")  # wrong
cluster.scheduel(0)  # wrong
cluster.schedule("now")  # wrong
cluster.jobs_submit([], libsched.BATCH_PARTIAL).tolist()  # wrong
plan.hash()  # wrong
word: str = cluster.name(first)  # wrong
why.code  # wrong
change.kind  # wrong
answer.offer.change  # wrong
cluster.queue_get(first).priority.upper()  # wrong
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


def python_with_mypy():
    """A Python that has mypy; None if there is none."""
    for python in (sys.executable, os.path.join(HERE, "..", "..", ".cache", "python-env", "bin", "python")):
        if os.path.exists(python) and subprocess.run([python, "-c", "import mypy"], capture_output=True).returncode == 0:
            return python
    return None


def mypy(python, folder, *words):
    done = subprocess.run([python, "-m", "mypy", "--cache-dir", os.path.join(folder, "cache"), *words],
                          capture_output=True, text=True,
                          env={**os.environ, "MYPYPATH": HERE, "PYTHONPATH": os.environ.get("PYTHONPATH", "")})
    if done.returncode not in (0, 1):
        sys.exit(done.stdout + done.stderr)
    return done.stdout


def refused_lines(python, folder):
    """The lines of USES in which mypy finds something."""
    path = os.path.join(folder, "uses.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(USES)
    text = mypy(python, folder, "--follow-imports=silent", path)
    return {int(line.split(":")[1]) for line in text.splitlines() if ": error: " in line}


def main():
    module, stub = names_in(os.path.join(PACKAGE, "_abi.py")), names_in(os.path.join(PACKAGE, "_abi.pyi"))
    if module != stub or len(module) < 300:
        print(f"_abi.py and _abi.pyi differ, or are short: {len(module)} names, {sorted(module ^ stub)[:20]}")
        return 1
    if not os.path.exists(os.path.join(PACKAGE, "py.typed")):
        print("the package has no file py.typed, so type checkers ignore its types")
        return 1
    python = python_with_mypy()
    if python is None:
        print("mypy is not installed (scripts/python-env), so the types are not checked")
        return SKIPPED
    expected = {number for number, line in enumerate(USES.splitlines(), 1) if line.endswith("# wrong")}
    with tempfile.TemporaryDirectory() as folder:
        strict = mypy(python, folder, "--strict", "-p", "libsched")
        found = refused_lines(python, folder)
    print(strict + f"{len(module)} names; lines that mypy refuses: {sorted(found)}, expected {sorted(expected)}")
    return int(found != expected or not strict.startswith("Success"))


if __name__ == "__main__":
    sys.exit(main())
