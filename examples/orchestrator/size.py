#!/usr/bin/env python3
"""Prints how large the orchestrators of this folder are, part by part, and how large the ones were from which they come.

The older programs were written for version 0.1, with up to ten statements in a line, so that their lines say nothing. Two
numbers do not depend on the layout: tokens, and lines after all programs are laid out alike. A text counts as many tokens as
it has words, so that a description in YAML is not free. Comments, blank lines, documentation texts and inclusions do not count. C is laid out by clang-format with the style of the project. A statement
of Python is one line, and one more for each 100 characters; the head of a compound statement is one, and so is `else`.

Each line belongs to one part:
  host     calls of the library, and the records of what runs where: what a real orchestrator has, too
  world    the simulated world: events and their times, the mix of work, the main loop, totals
  books    checks of the library: what is given twice, rules of gangs and limits, comparisons
  other    what only the older programs do: they measure time, describe the links of machines, list who waits though
           there is room, and run a cycle of a saved state

In the programs of this folder the name of the file says the part, and a comment `---- PART ...` begins another one. The
older programs are not in the project. They are read where LSCHED_SHARED_DIR leads to them, OLDER below has the parts of
their lines, and COUNTED has what this program then printed. Without them, the numbers of COUNTED are printed.

usage: size.py
"""
import ast
import io
import os
import re
import subprocess
import sys
import tokenize

HERE = os.path.dirname(os.path.abspath(__file__))
PARTS = ["host", "world", "books", "other"]
WIDTH = 100
PROGRAMS = {"C": {"orchestrator.h": "host", "orchestrator.c": "host", "world.c": "world", "checks.c": "books"},
            "Python": {"orchestrator.py": "host"}}
# Of the older programs: the line at which a part begins.
OLDER = {
    "orch.c": "1 host, 20 books, 21 world, 22 host, 23 world, 24 host, 25 world, 26 host, 27 world, 32 books, 35 host, "
              "39 world, 52 books, 68 host, 78 other, 84 host, 87 other, 88 host, 113 world, 118 host, 121 world, 131 host, 195 other, 196 host, 197 other, "
              "198 books, 199 other, 201 host, 204 books, 205 host, 213 books, 214 host, 217 books, 221 host, 225 books, "
              "228 host, 233 books, 237 host, 246 books, 247 host, 249 world, 259 books, 260 world, 266 host, 268 world, "
              "269 host, 271 world, 274 other, 286 host, 294 world, 296 other, 298 world, 302 other, 303 world, 310 other, 311 world, "
              "316 books, 317 world",
    "orch.py": "1 host, 7 other, 12 host, 16 world, 21 host, 23 books, 28 host, 37 books, 41 host, 43 books, 45 host, "
               "47 world, 57 host, 61 world, 65 host, 68 world, 72 other",
}
COUNTED = {"C": {"host": [5114, 556], "world": [3095, 355], "books": [1426, 124], "other": [1310, 113]},
           "Python": {"host": [834, 54], "world": [615, 56], "books": [161, 14], "other": [435, 33]}}


def marked(text, part):
    """The part of each line: the given one up to the first comment that begins another."""
    parts = []
    for line in text.splitlines():
        mark = re.match(r"\s*(?:/\*|#) ---- (\w+)", line)
        part = mark[1] if mark and mark[1] in PARTS else part
        parts.append(part)
    return parts


def ranged(text, ranges):
    """The part of each line, by the lines at which parts begin."""
    begins = {int(line): part for line, part in (entry.split() for entry in ranges.split(","))}
    parts, part = [], None
    for number in range(1, len(text.splitlines()) + 1):
        part = begins.get(number, part)
        parts.append(part)
    return parts


def words_of(token):
    """1, or the number of words if the token is a text."""
    return max(1, len(re.findall(r"\w+", token))) if re.match(r"[frb]*[\"']", token) else 1


def count_c(text, parts):
    """Yields (part, tokens, lines) of a text in C."""
    # a comment keeps its line ends, so that the lines keep their numbers
    text = re.sub(r'("(?:\\.|[^"\\])*")|/\*.*?\*/|//[^\n]*',
                  lambda m: m[1] or "\n" * m[0].count("\n") or " ", text, flags=re.S)
    out, last = [], None
    for line, part in zip(text.splitlines(), parts):
        if not line.strip() or re.match(r"\s*#\s*(include|ifndef|endif)|#define \w+_H$", line):
            continue
        tokens = re.findall(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])+\'|\w[\w.]*|->|\+\+|--|<<=?|>>=?|[-+*/%&|^=!<>]=|'
                            r"&&|\|\||\.\.\.|\S", line)
        yield part, sum(words_of(token) for token in tokens), 0
        if part != last:
            out.append(f"// ---- {part}")
            last = part
        out.append(line)
    laid = subprocess.run(["clang-format", f"--style=file:{os.path.join(HERE, '../../.clang-format')}"],
                          input="\n".join(out) + "\n", capture_output=True, text=True, check=True).stdout
    for line in laid.splitlines():
        if mark := re.match(r"\s*// ---- (\w+)", line):
            last = mark[1]
        elif line.strip():
            yield last, 0, 1


def is_documentation(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def count_python(text, parts):
    """Yields (part, tokens, lines) of a text in Python."""
    tree = ast.parse(text)
    skip = {line for node in ast.walk(tree) if is_documentation(node) for line in range(node.lineno, node.end_lineno + 1)}
    skip |= {line for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))
             for line in range(node.lineno, node.end_lineno + 1)}
    blank = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in blank and token.start[0] not in skip:
            yield parts[token.start[0] - 1], words_of(token.string), 0

    def walk(body, depth):
        for node in body:
            if node.lineno in skip:
                continue
            blocks = [(name, getattr(node, name)) for name in ("body", "handlers", "orelse", "finalbody")
                      if getattr(node, name, None)]
            chain = isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
            for name, _ in blocks:
                setattr(node, name, [ast.Pass()] if name == "body" else [])
            head = ast.unparse(node).splitlines()
            head = [line for line in head if line.strip() != "pass"]
            part = parts[node.lineno - 1]
            for line in head:
                yield part, 0, 1 + (4 * depth + len(line)) // WIDTH
            for name, block in blocks:
                if name in ("orelse", "finalbody") and not chain:
                    yield part, 0, 1
                inner = [s for h in block for s in h.body] if name == "handlers" else block
                yield from walk(inner, depth + (0 if name == "orelse" and chain else 1))

    yield from walk(tree.body, 0)


def total(counts):
    sums = {part: [0, 0] for part in PARTS}
    for part, tokens, lines in counts:
        sums[part][0] += tokens
        sums[part][1] += lines
    return sums


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def present(language):
    count = count_c if language == "C" else count_python
    for name, part in PROGRAMS[language].items():
        text = read(os.path.join(HERE, name))
        yield from count(text, marked(text, part))


def older(language):
    """The counts of the older program, and whether they come from the program itself."""
    name = "orch.c" if language == "C" else "orch.py"
    path = os.path.join(os.environ.get("LSCHED_SHARED_DIR") or os.devnull, "findings", "embedder", name)
    if not os.path.isfile(path):
        return COUNTED[language], False
    text = read(path)
    return total((count_c if language == "C" else count_python)(text, ranged(text, OLDER[name]))), True


def main():
    for language in PROGRAMS:
        new, (old, is_read) = total(present(language)), older(language)
        print(f"{language}: tokens and laid-out lines, older -> present"
              + ("" if is_read else " (the older program is not here: its numbers are those of an earlier count)"))
        print(f"  {'part':8} {'tokens':>16} {'lines':>14}   present / older")
        for part in PARTS + ["all"]:
            a, b = ([sum(column) for column in zip(*counts.values())] if part == "all" else counts[part]
                    for counts in (old, new))
            ratio = f"{b[0] / a[0]:.2f} tokens, {b[1] / a[1]:.2f} lines" if a[0] and a[1] else ""
            print(f"  {part:8} {a[0]:6} -> {b[0]:6} {a[1]:5} -> {b[1]:5}   {ratio}")
        if is_read and old != COUNTED[language]:
            print(f"  COUNTED of size.py is not up to date: {language!r}: {old}")


if __name__ == "__main__":
    main()
