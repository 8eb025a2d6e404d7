"""check_editor.py LSCHED: the files for editors are what their sources say, and what they name exists: a policy that
reads every field and every function in them loads, one that reads a word more does not. luacheck, where it is there, finds
nothing in the policies and their tests.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import tree

ANNOTATIONS = "editors/lsched.lua"
HOOKS = {"job": ("score", "job, node"), "node": ("filter", "job, node"), "queue": ("weight", "queue"),
         "candidate": ("victim", "job, candidate"), "cluster": ("pipeline", "cluster")}
RESULTS = {"pipeline": "nil", "filter": "true"}


def run(*words):
    return subprocess.run(words, cwd=tree.ROOT, capture_output=True, text=True, check=False)


def fields_of(text):
    """{"job": ["name", ...]}"""
    found = {}
    for name, body in re.findall(r"^---@class lsched\.(\w+)\n((?:---@field .*\n)*)", text, re.M):
        found[name.lower()] = re.findall(r"^---@field (\w+)", body, re.M)
    return found


def policy(text, more=""):
    """Reads all that the annotations name."""
    names = re.findall(r"^function ([\w.]+)\(", text, re.M) + re.findall(r"^(\w+\.\w+) = nil$", text, re.M)
    lines = ["return {", "api = 1,"]
    for object_, (hook, arguments) in HOOKS.items():
        reads = [f"{object_}.{field}" for field in fields_of(text)[object_]]
        if hook == "score":
            reads += names + [more] * bool(more)
        body = "\n".join(f"    local _ = {read}" for read in reads[:150])
        lines.append(f"{hook} = function({arguments})\n{body}\n    return {RESULTS.get(hook, '1')} end,")
    return "\n".join(lines + ["}"])


def check_words(program, complaints):
    text = tree.read(ANNOTATIONS)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "all.lua")
        for more, wanted in (("", 0), ("calendar.hours", 3), ("job.prority", 3)):
            with open(path, "w", encoding="utf-8") as out:
                out.write(policy(text, more))
            done = run(program, "check", path)
            if done.returncode != wanted:
                complaints.append(f"{ANNOTATIONS}:1: a policy that reads all of it {more}: {done.stderr}")


complaints = []
made = run(sys.executable, "scripts/editor-files", "--check")
if made.returncode != 0:
    complaints.append(f"{ANNOTATIONS}:1: {made.stderr.strip()}")
elif len(sys.argv) > 1 and os.path.exists(sys.argv[1]):
    check_words(os.path.abspath(sys.argv[1]), complaints)
if shutil.which("luacheck"):
    files = [path for path in tree.files(".lua")
             if os.path.dirname(path) in ("policies", "tests/policies")]
    found = run("luacheck", "--no-color", "-q", "--codes", "--config", "editors/luacheck_std.lua", *files)
    if found.returncode != 0:
        complaints.append(found.stdout)
else:
    print("no luacheck (on Debian and Ubuntu: lua-check): policies are not looked at")
tree.finish(complaints, "files for editors")
