"""check_declarations.py: each declaration of the public headers says what its reader must know.

Functions: each has a comment directly above it, or shares the comment of the declaration above. A function that can fail (it
returns an int and takes an lsched_error) has a comment that says with which errors; "those of every call" are listed at the head of
libsched.h. Fields: a signed 64-bit number is an amount or a time; its name has the unit at its end, or a comment beside it or above
it gives the unit, or names the kind on which the unit depends. Enumerators: those of one enum share a prefix that no enumerator of
another enum and no other constant has, so that a name tells its type. An enum with one enumerator has the prefix of its own name
without the last word. Two kinds of names are exempt: the bits LSCHED_X_SET_* of updates, and the bounds, whose names end in a word of BOUND.
"""
import os
import re

import tree

UNITS = re.compile(r"_(us|ms|bytes|milli|milliwatt|micro|ppm|percent|per_hour|hour)$")
SAID = re.compile(r"unit|micro|milli|byte|second|amount|number|count|index|money|MiB|GPU|cost|time|kind|LSCHED_", re.I)
PIECE = re.compile(r"/\*.*?\*/|^LSCHED_API[^;]*;", re.S | re.M)
STRUCT = re.compile(r"((?:/\*(?:[^*]|\*(?!/))*\*/\n)?)typedef struct (\w+) \{(.*?)\n\} \w+;", re.S)
ENUM = re.compile(r"^enum (lsched_\w+) \{(.*?)\}", re.S | re.M)
ROWS = re.compile(r"#define (\w+)\(.*?\b(LSCHED_\w*?)##\w+ = .*?#include <(libsched/\w+\.def)>", re.S)
BOUND = re.compile(r"_(MAX|MIN|DEFAULT|BYTES|BUCKETS|INIT)$")
# values that stand beside a list, or in a list of which each member is used too often for a prefix
SENTINELS = {"LSCHED_OK", "LSCHED_UNCHANGED", "LSCHED_NO_TASK", "LSCHED_DECISION_KINDS_DEFAULT",
             "LSCHED_ANY_RESOURCE", "LSCHED_CPU", "LSCHED_MEMORY", "LSCHED_GPU"}


def enumerators(body):
    """The names of the enumerators in the braces of an enum, also of those that the rows of a list make."""
    names = []
    for macro, prefix, listed in ROWS.findall(body):
        rows = re.findall(rf"^{macro}\((\w+)", tree.read("libsched/include/" + listed), re.M)
        names += [prefix + row for row in rows]
    plain = re.sub(r"^[ \t]*#.*$", "", re.sub(r"\\\n", "", ROWS.sub("", body)), flags=re.M)
    return names + re.findall(r"(?:^|,)\s*(LSCHED_\w*[A-Z0-9])\b", plain)


def prefix_of(enum, names):
    if len(names) == 1:
        return enum.rsplit("_", 1)[0].upper() + "_"
    common = os.path.commonprefix(names)
    return common[:common.rfind("_") + 1]


def prefixes(texts, complaints):
    places, enums = {}, {}
    for path, text in texts.items():
        plain = re.sub(r"/\*.*?\*/", lambda found: re.sub(r"[^\n]", " ", found.group()), text, flags=re.S)
        for enum in ENUM.finditer(plain):
            enums[enum.group(1)] = enumerators(enum.group(2))
            place = f"{path}:{plain.count(chr(10), 0, enum.start()) + 1}"
            places.update({name: (place, enum.group(1)) for name in enums[enum.group(1)]})
        for macro in re.finditer(r"^#define (LSCHED_\w+)[ \t]+[\w(]", plain, re.M):
            places.setdefault(macro.group(1), (f"{path}:{plain.count(chr(10), 0, macro.start()) + 1}", ""))
    complaints += [f"check_declarations.py: the sentinel {name} does not exist" for name in SENTINELS - set(places)]
    for enum, names in enums.items():
        names = [name for name in names if name not in SENTINELS]
        prefix = prefix_of(enum, names) if names else ""
        if names and (prefix in ("LSCHED_", "") or not names[0].startswith(prefix)):
            complaints.append(f"{places[names[0]][0]}: the enumerators of {enum} share no prefix")
            continue
        for name, (place, other) in places.items():
            bit_of_update = other.endswith("_set") and name.startswith(prefix + "SET_")
            if names and other != enum and name.startswith(prefix) and not (bit_of_update or BOUND.search(name)
                                                                            or name in SENTINELS):
                complaints.append(f"{place}: {name} begins with {prefix}, the prefix of {enum}")


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
    texts = {path: tree.read(path) for path in tree.files(".h") if path.startswith("libsched/include/")}
    for path, text in texts.items():
        functions(path, text, complaints)
        fields(path, text, complaints)
    prefixes(texts, complaints)
    tree.finish(complaints, "declarations of public headers")


main()
