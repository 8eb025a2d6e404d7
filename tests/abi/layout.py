#!/usr/bin/env python3
"""layout.py [--check]: writes tests/abi/layout.txt, the golden table of every structure of the public headers, and
tests/abi/fields.txt, the golden list of the numbers of the fields that hooks read.

Sizes and offsets are computed here by the rules of LP64 and compared with the compiler's by
tests/unit/test_abi_layout.c. A released row never changes: new fields go to the end of a structure that begins
with `size`. --check compares only, so that a change of the header without one of the table is an error.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(ROOT, "bindings", "python"))
import header as reader  # noqa: E402

INCLUDE = os.path.join(ROOT, "libsched", "include", "libsched")
OUTPUT = os.path.join(HERE, "layout.txt")
FIELDS = os.path.join(HERE, "fields.txt")
# libsched.h includes all others that have structures
MORE = ("pack.h", "scenario.h", "algorithm_view.h", "algorithm_roles.h", "algorithm_act.h", "algorithm.h")
HEAD = """/* STRUCT(name, size, alignment) and FIELD(struct, name, offset, size) on x86-64 and aarch64 (LP64).
 * Written by tests/abi/layout.py; a change of a released row is a break of the ABI. */
"""


def read(name):
    with open(os.path.join(INCLUDE, name), encoding="utf-8") as file:
        return file.read()


def not_covered(header):
    """The structures of public headers that the table would miss."""
    found = {name for file in os.listdir(INCLUDE) if file.endswith(".h")
             for name in re.findall(r"^(?:typedef )?struct (\w+) \{", read(file), re.M)}
    return sorted(found - set(header.structs))


def fields():
    """"number object.name" of each row of fields.def, by number."""
    rows = re.findall(r'^X\((\d+), (\w+), \w+, "(\w+)"', read("fields.def"), re.M)
    return [f"{number} {of.lower()}.{name}" for number, of, name in sorted(rows, key=lambda row: int(row[0]))]


def check_fields(released, rows):
    """A number that was released keeps its field for ever; a new field has a number after all of them."""
    for line in [line for line in released if line not in rows]:
        print(f"tests/abi/fields.txt: fields.def no longer has {line}; a released number is never changed")
    new = [line for line in rows if line not in released]
    for line in [line for line in new if int(line.split()[0]) < len(released)]:
        print(f"fields.def: {line}: the number is below {len(released)}, the next free one")
    return rows[:len(released)] == released


def generate():
    header = reader.read(os.path.join(INCLUDE, "libsched.h"), os.path.join(INCLUDE, "errors.def"), MORE)
    missed = not_covered(header)
    if missed:
        sys.exit(f"tests/abi/layout.py: no header that it reads has {', '.join(missed)}; add the header to MORE")
    lines = [HEAD]
    for struct in header.structs:
        size, align, rows = header.layout(struct)
        lines.append(f"STRUCT({struct}, {size}, {align})\n")
        lines += [f"FIELD({struct}, {name}, {offset}, {width})\n" for name, offset, width in rows]
    return "".join(lines)


def main():
    text, rows, released = generate(), fields(), []
    if os.path.exists(FIELDS):
        with open(FIELDS, encoding="utf-8") as file:
            released = file.read().splitlines()
    if not check_fields(released, rows):
        return 1
    if sys.argv[1:] != ["--check"]:
        with open(FIELDS, "w", encoding="utf-8") as file:
            file.write("\n".join(rows) + "\n")
        with open(OUTPUT, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    with open(OUTPUT, encoding="utf-8") as file:
        old = file.read().splitlines()
    new = text.splitlines()
    for line in [l for l in old if l not in new]:
        print(f"tests/abi/layout.txt: the headers no longer have {line}")
    for line in [l for l in new if l not in old]:
        print(f"tests/abi/layout.txt: lacks {line}")
    if old != new:
        print("If this change of the ABI is meant, run tests/abi/layout.py and commit the table with the header.")
    if rows != released:
        print("tests/abi/fields.txt: fields.def has new rows; run tests/abi/layout.py")
    return int(old != new or rows != released)


if __name__ == "__main__":
    sys.exit(main())
