"""Sizes and names: unique file names, files of at most 800 lines, functions under 60, no path of
one machine, no file called sched.h, and a statement at the head of every source of the library.

Function lengths are counted from the opening line at column 0 to the closing brace at column 0,
which is exact because the layout is enforced by clang-format.
"""
import collections
import os
import re

import tree

FILE_LINES_MAX = 800
FUNCTION_LINES_MAX = 59
# as long as the header they come from
GENERATED = {"bindings/python/libsched/_abi.py", "bindings/python/libsched/_abi.pyi"}
# Files that every directory or tool wants under the same name.
SHARED_NAMES = {"CMakeLists.txt", "Makefile", "README.md", "LICENSE", "NOTICE", ".gitignore",
                "main.c", "__init__.py", "conftest.py", "go.mod", "Cargo.toml", "requirements.txt"}
DATA = ("fuzz/corpus/", "tests/data/", "tests/scenarios/", "examples/openb/",
        "examples/philly/")
HOSTILE = "tests/hostile_lua/"  # texts that are too large are the point of some
MACHINE_PATH = re.compile(r"(?<![\w.}$>])/(?:work|home|root|farm|mnt|Users)/[A-Za-z0-9_.-]+")
CODE = (".c", ".h", ".cpp", ".hpp", ".lua", ".py", ".go", ".rs", ".sh", ".cmake")


def long_functions(path, lines):
    start = None
    inside = False
    for number, line in enumerate(lines, 1):
        if inside:
            if line.startswith("}"):
                inside = False
                length = number - start + 1
                if length > FUNCTION_LINES_MAX:
                    yield f"{path}:{start}: function of {length} lines; at most {FUNCTION_LINES_MAX}"
                start = None  # what follows belongs to no function
            continue
        line = re.sub(r"/\*.*?(\*/|$)|//.*", "", line).rstrip()
        if re.match(r"(?!typedef)[A-Za-z_].*\(", line) and " = " not in line:
            start = number  # a signature; it may go on for some lines
        if start and line.endswith("{"):
            inside = True
        elif start and line.endswith((";", "}")):
            start = None


def check_names(paths, complaints):
    names = collections.defaultdict(list)
    for path in paths:
        name = os.path.basename(path)
        if name == "sched.h":
            complaints.append(f"{path}:1: POSIX owns the name sched.h")
        if name not in SHARED_NAMES and not path.startswith(DATA):
            names[name].append(path)
    for name, where in sorted(names.items()):
        if len(where) > 1:
            complaints.append(f"{where[1]}:1: file name {name} is also {where[0]}")


def check_text(path, complaints):
    text = tree.read(path)
    lines = text.splitlines()
    if path.endswith(CODE):
        if (len(lines) > FILE_LINES_MAX and path not in GENERATED
                and not path.startswith(HOSTILE)):
            complaints.append(f"{path}:1: {len(lines)} lines; at most {FILE_LINES_MAX}")
    if path.endswith((".c", ".h")):
        complaints.extend(long_functions(path, lines))
        if path.startswith(("libsched/", "lua/", "cli/")) and not text.lstrip().startswith("/*"):
            complaints.append(f"{path}:1: no statement of what this file is")
    for number, line in enumerate(lines, 1):
        found = MACHINE_PATH.search(line)
        if found:
            complaints.append(f"{path}:{number}: path of one machine: {found[0]}")


complaints = []
everything = tree.files()
check_names(everything, complaints)
for path in everything:
    if not path.startswith(DATA) and path != "tests/checks/check_tree.py":
        check_text(path, complaints)
tree.finish(complaints, "sizes and names")
