"""Compares tests/abi/callbacks.def with the public functions.

usage: check_callbacks.py

Each function of tests/abi/symbols.txt has one row. A function that gets a cluster has a row CALL, so
that tests/unit/test_callbacks.c calls it inside callbacks; all other functions have a row FREE.
"""
import collections
import glob
import os
import re
import sys

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def read(*path):
    with open(os.path.join(root, *path), encoding="utf-8") as file:
        return file.read()


def with_cluster():
    """Names of the functions that get a cluster that exists."""
    found = set()
    for path in glob.glob(os.path.join(root, "libsched/include/libsched/*.h")):
        text = re.sub(r"/\*.*?\*/", "", read(path), flags=re.DOTALL)
        for name, arguments in re.findall(r"LSCHED_API\s[^;(]*?(lsched_\w+)\s*\(([^;]*?)\)\s*;", text):
            if re.search(r"lsched_cluster \*[^*]", arguments):
                found.add(name)
    return found


rows = re.findall(r"^(CALL|FREE)\((?:(?:READS|REFUSED), )?(\w+)[,)]", read("tests/abi/callbacks.def"),
                  re.MULTILINE)
kinds = dict((name, kind) for kind, name in rows)
wrong = [f"{name} has {n} rows" for name, n in collections.Counter(n for _, n in rows).items()
         if n > 1]
public = set(read("tests/abi/symbols.txt").split())
wrong += [f"{name} has no row: say what it does inside a callback" for name in public - set(kinds)]
wrong += [f"{name} is no public function" for name in set(kinds) - public]
gets = with_cluster()
for name in sorted(public & set(kinds)):
    if (kinds[name] == "CALL") != (name in gets):
        wrong.append(f"{name} has a row {kinds[name]}, but it gets "
                     f"{'a' if name in gets else 'no'} cluster")
for line in sorted(wrong):
    print(f"tests/abi/callbacks.def: {line}")
print(f"callbacks: {len(rows)} functions, {len(gets)} of them get a cluster; "
      f"{len(wrong)} complaints")
sys.exit(1 if wrong else 0)
