"""Columns are written by the setters of model/store/columns.h alone, so that every write is in the undo log.

A write past the log stays when its call is undone. It shows only where the row is one that the call
did not make, and only if the call fails later; tests find some of these, this check finds all that
are written as assignments, by a pointer that is not const, or by memset and memcpy. The files below
are those that make, undo, copy and load columns as a whole.
"""
import re

import tree

# What these files do is no part of a call that is undone word by word.
ALLOWED = {"libsched/model/store/columns.c", "libsched/model/store/columns.h", "libsched/model/store/undo.c",
           "libsched/model/store/undo_check.c", "libsched/model/image/image.c", "libsched/model/image/image_load.c"}
COLUMN = re.compile(r"(?:->|\.)c\[")
WRITES = re.compile(r"\s*(?:=(?!=)|[-+*/%&|^]=|<<=|>>=|\+\+|--)")
MEMBER = re.compile(r"\.[ui](?:8|16|32|64)\b")
BLOCK = re.compile(r"\bmem(?:set|cpy|move)\(\s*&?[\w>.-]+(?:->|\.)c\[")
POINTER = re.compile(r"(?<!const )\b[ui]\w*(?:8|16|32|64)_t \*(?!const)\w+ = &?[\w>.-]+(?:->|\.)c\[")


def closed(text, at):
    """The place behind the bracket that closes the one before `at`."""
    depth = 1
    while depth and at < len(text):
        depth += {"[": 1, "]": -1}.get(text[at], 0)
        at += 1
    return at


def writes_of(text):
    """Places of the text where a column is written."""
    for m in COLUMN.finditer(text):
        member = MEMBER.match(text, closed(text, m.end()))
        if not member or text[member.end():member.end() + 1] != "[":
            continue
        end = closed(text, member.end() + 1)
        before = text[max(0, m.start() - 80):m.start()]
        if WRITES.match(text, end) or re.search(r"(?:\+\+|--)[\w>.\[\]-]*$", before):
            yield m.start()
    for pattern in (BLOCK, POINTER):
        for m in pattern.finditer(text):
            yield m.start()


def complaints_of(path, text):
    if not path.startswith("libsched/") or not path.endswith((".c", ".h")) or path in ALLOWED:
        return []
    return [f"{path}:{text.count(chr(10), 0, at) + 1}: a column is written past the undo log; "
            "expected a setter of model/store/columns.h" for at in sorted(writes_of(text))]


if __name__ == "__main__":
    for bad in ("k->c[C_X].u32[row] = 1;", "y->k->c[C_X].u8[f(k, a[2])] |= 4;", "k->c[C].i64[r]++;",
                "++k->c[C].i64[r];", "memset(k->c[C].u8 + 4, 0, 8);", "uint32_t *p = k->c[C].u32;"):
        assert list(writes_of(bad)), bad
    for good in ("k->c[C_X].u32[row] == 1;", "n[k->c[C_X].u32[row]]++;", "x = k->c[C].u8[r] - -1;",
                 "const uint32_t *p = k->c[C].u32;"):
        assert not list(writes_of(good)), good
    tree.finish([c for path in tree.files(".c", ".h") for c in complaints_of(path, tree.read(path))],
                "columns")
