#!/usr/bin/env python3
"""layout.py [--check]: writes tests/abi/layout.txt, the golden table of every public structure, from libsched.h.

Sizes and offsets are computed here by the rules of LP64 and compared with the compiler's by
tests/unit/test_abi_layout.c. A released row never changes: new fields go to the end of a structure that begins
with `size`. --check compares only, so that a change of the header without one of the table is an error.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(ROOT, "bindings", "python"))
import header as reader  # noqa: E402

INCLUDE = os.path.join(ROOT, "libsched", "include", "libsched")
OUTPUT = os.path.join(HERE, "layout.txt")
HEAD = """/* STRUCT(name, size, alignment) and FIELD(struct, name, offset, size) on x86-64 and aarch64 (LP64).
 * Written by tests/abi/layout.py; a change of a released row is a break of the ABI. */
"""


def generate():
    header = reader.read(os.path.join(INCLUDE, "libsched.h"), os.path.join(INCLUDE, "errors.def"))
    lines = [HEAD]
    for struct in header.structs:
        size, align, rows = header.layout(struct)
        lines.append(f"STRUCT({struct}, {size}, {align})\n")
        lines += [f"FIELD({struct}, {name}, {offset}, {width})\n" for name, offset, width in rows]
    return "".join(lines)


def main():
    text = generate()
    if sys.argv[1:] != ["--check"]:
        with open(OUTPUT, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    with open(OUTPUT, encoding="utf-8") as file:
        old = file.read().splitlines()
    new = text.splitlines()
    for line in [l for l in old if l not in new]:
        print(f"tests/abi/layout.txt: libsched.h no longer has {line}")
    for line in [l for l in new if l not in old]:
        print(f"tests/abi/layout.txt: lacks {line}")
    if old != new:
        print("If this change of the ABI is meant, run tests/abi/layout.py and commit the table with the header.")
    return int(old != new)


if __name__ == "__main__":
    sys.exit(main())
