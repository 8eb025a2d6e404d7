"""check_declarations.py: each declaration of the public headers says what its reader must know.

Functions: each has a comment directly above it, or shares the comment of the declaration above. A function that can fail (it
returns an int and takes an lsched_error) has a comment that says with which errors; "those of every call" are listed at the head of
libsched.h. Fields: a signed 64-bit number is an amount or a time; its name has the unit at its end, or a comment beside it or above
it gives the unit, or names the kind on which the unit depends.
"""
import re

import tree

UNITS = re.compile(r"_(us|ms|bytes|milli|milliwatt|micro|ppm|percent|per_hour|hour)$")
SAID = re.compile(r"unit|micro|milli|byte|second|amount|number|count|index|money|MiB|GPU|cost|time|kind|LSCHED_", re.I)
PIECE = re.compile(r"/\*.*?\*/|^LSCHED_API[^;]*;", re.S | re.M)
STRUCT = re.compile(r"((?:/\*(?:[^*]|\*(?!/))*\*/\n)?)typedef struct (\w+) \{(.*?)\n\} \w+;", re.S)


def functions(path, text, complaints):
    comment = None
    for piece in PIECE.finditer(text):
        if piece.group().startswith("/*"):
            comment = piece
            continue
        name = re.search(r"(\w+)\(", piece.group()).group(1)
        between = text[comment.end():piece.start()] if comment else "x"
        rest, shared = re.subn(r"LSCHED_API[^;]*;", "", between)
        says = comment.group() if rest == "\n" * (shared + 1) else ""
        line = text.count("\n", 0, piece.start()) + 1
        if not says or says.startswith("/* ----"):
            complaints.append(f"{path}:{line}: {name} has no comment directly above it")
        elif re.match(r"LSCHED_API int(32|64)_t", piece.group()) and "lsched_error" in piece.group() \
                and not re.search(r"LSCHED_E_|[Ee]rror|fails", says):
            complaints.append(f"{path}:{line}: the comment of {name} says no errors; \"Errors: those of every call\" stands for the usual ones")


def fields(path, text, complaints):
    for struct in STRUCT.finditer(text):
        lines = struct.group(3).split("\n")
        if "base units" in struct.group(1):
            continue
        for at, line in enumerate(lines):
            field = re.match(r"    int64_t ([\w, \[\]]+);(.*)", line)
            if not field:
                continue
            above, up = "", at - 1
            while up > 0 and re.match(r"\s*(/?\*)", lines[up]):
                above, up = lines[up] + above, up - 1
            beside = field.group(2) + (lines[at + 1] if field.group(2) and "*/" not in field.group(2) else "")
            for name in re.findall(r"\w+", re.sub(r"\[\w+\]", "", field.group(1))):
                if not UNITS.search(name) and not SAID.search(beside + above):
                    number = text.count("\n", 0, struct.start(3)) + at + 1
                    complaints.append(f"{path}:{number}: {struct.group(2)}.{name} has no unit, neither in its name nor in a comment")


def main():
    complaints = []
    for path in tree.files(".h"):
        if path.startswith("libsched/include/"):
            text = tree.read(path)
            functions(path, text, complaints)
            fields(path, text, complaints)
    tree.finish(complaints, "declarations of public headers")


main()
