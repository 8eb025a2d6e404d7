"""The exported and imported symbols of libsched.so.

Exports must equal tests/abi/symbols.txt (a symbol lost breaks hosts; one won must be meant), and
all begin with lsched_. Imports are checked against what the library promises not to use: no clock,
randomness, environment, locale, files, threads or libm, and no qsort, whose order of equal
elements differs between C libraries.

usage: check_symbols.py [--update] LIBRARY
"""
import os
import re
import subprocess
import sys

import tree

SYMBOLS = os.path.join(tree.ROOT, "tests", "abi", "symbols.txt")
ALLOWED_IMPORTS = re.compile(
    r"^(mem(chr|cmp|cpy|move|set)|str(chr|cmp|cpy|len|ncmp|nlen|rchr|spn|cspn|str)"
    r"|malloc|calloc|realloc|free|v?snprintf|dlopen|dlsym|dlerror|dlclose|yaml_\w+"
    r"|_?longjmp|__longjmp_chk|_?setjmp|__sigsetjmp|__stack_chk_fail|__assert_fail"
    r"|__(mem|str|v?snprintf)\w*_chk|__(cxa_finalize|gmon_start__)|_ITM_\w+|__isoc\d+_\w+|lua\w+)$")


def dynamic_symbols(library, which):
    listing = subprocess.run(["nm", "-D", which, library],
                             capture_output=True, text=True, check=True).stdout
    names = set()
    for line in listing.splitlines():
        kind, name = line.split()[-2:]
        name = name.split("@")[0]
        if kind not in ("A", "w") and name:
            names.add(name)
    return names


def main():
    update = "--update" in sys.argv
    library = sys.argv[-1]
    exported = dynamic_symbols(library, "--defined-only")
    if update:
        os.makedirs(os.path.dirname(SYMBOLS), exist_ok=True)
        with open(SYMBOLS, "w", encoding="ascii") as file:
            file.write("".join(name + "\n" for name in sorted(exported)))
        print(f"{len(exported)} symbols written")
        return
    with open(SYMBOLS, encoding="ascii") as file:
        expected = set(file.read().split())
    imported = dynamic_symbols(library, "--undefined-only")
    kinds = {
        "exported but not in tests/abi/symbols.txt (make abi)": exported - expected,
        "in tests/abi/symbols.txt but not exported": expected - exported,
        "exported without the prefix lsched_": {n for n in exported if not n.startswith("lsched_")},
        "imported, but promised not to be": {n for n in imported if not ALLOWED_IMPORTS.match(n)},
    }
    complaints = [f"{what}: {name}" for what, names in kinds.items() for name in sorted(names)]
    tree.finish(complaints, "symbols")


main()
