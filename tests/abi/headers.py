#!/usr/bin/env python3
"""headers.py freeze [HEADER...] | first OUT | grow OUT: makes the headers with which the hosts of the ABI test are built.

freeze writes tests/abi/first-headers.txt, one text with all public headers as they are now. The test then builds a
host with these headers and runs it with every later library. A break of the interface before 1.0 that is meant ends
with `freeze HEADER...`: the named headers (`freeze pack.h`) become the present ones, and the others stay as old as
they are. A new field at the end of a struct, and a new function, need nothing.
first OUT unpacks this text into OUT/libsched. grow OUT writes the present headers there, with three more fields at
the end of every struct that begins with its size, as a later version could have them.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(HERE, "..", "..", "libsched", "include", "libsched")
FIRST = os.path.join(HERE, "first-headers.txt")
MARK = "==== "
SIZED = re.compile(r"^(typedef struct (\w+) \{\n    uint32_t size;.*?\n)(\} \2;)", re.M | re.S)
GROWN = "    uint32_t grown_word;\n    int64_t grown_us;\n    const char *grown_text;\n"
# an algorithm has exactly the library's version, so these structs do not grow for hosts
EXACT = ("algorithm.h", "algorithm_act.h", "algorithm_roles.h", "algorithm_view.h")


def present():
    texts = {}
    for name in sorted(os.listdir(INCLUDE)):
        with open(os.path.join(INCLUDE, name), encoding="utf-8") as file:
            texts[name] = file.read()
    return texts


def frozen():
    with open(FIRST, encoding="utf-8") as file:
        parts = file.read().split("\n" + MARK)[1:]
    return dict(part.split("\n", 1) for part in parts)


def grown():
    texts, count = present(), 0
    for name, text in texts.items():
        if name not in EXACT:
            texts[name], n = SIZED.subn(lambda found: found[1] + GROWN + found[3], text)
            count += n
    expected = sum(text.count("\n    uint32_t size;") for name, text in texts.items() if name not in EXACT)
    if count != expected or count < 50:
        sys.exit(f"headers.py: {count} structs grew, but {expected} lines are `uint32_t size;`")
    return texts


def write(folder, texts):
    """Writes the files that differ, so that a build does not compile the hosts again without need."""
    folder = os.path.join(folder, "libsched")
    os.makedirs(folder, exist_ok=True)
    for name in set(os.listdir(folder)) - set(texts):
        os.remove(os.path.join(folder, name))
    for name, text in texts.items():
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                if file.read() == text:
                    continue
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def main():
    if sys.argv[1:2] == ["freeze"]:
        now, names = present(), sys.argv[2:]
        if unknown := set(names) - set(now):
            sys.exit(f"headers.py: {', '.join(sorted(unknown))}: no public header has this name")
        texts = frozen() | {name: now[name] for name in names} if names else now
        with open(FIRST, "w", encoding="utf-8") as file:
            file.write("The public headers at the beginning of the present interface; written by headers.py freeze.\n")
            file.writelines(f"\n{MARK}{name}\n{text}" for name, text in sorted(texts.items()))
    elif len(sys.argv) == 3 and sys.argv[1] in ("first", "grow"):
        write(sys.argv[2], frozen() if sys.argv[1] == "first" else grown())
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
