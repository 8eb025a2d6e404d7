"""check_doc_code.py [--update] [DIRECTORY_OF_LSCHED]: what the documentation shows is what there is.

Blocks marked c, and the lua and yaml of README.md and of the tutorial, are word for word (but for indentation) in a file
under examples/, which is compiled and run by its own test. Lines of a console block that begin with "$ " are run in the root
of the tree, and what they print must be what follows; --update writes it there instead. build/ in a command is the directory
that was given. Without a directory, or with an lsched that was not built, commands are left out. Yaml and lua of the other
pages have tests of their own.
"""
import os
import re
import subprocess
import sys
import textwrap

import tree

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
SHOWN = {"c": ".c", "lua": ".lua", "yaml": ".yaml"}
FIRST_PAGES = ("README.md", "docs/tutorial.md")  # all that they show is a file that a reader can run
BUILD = re.compile(r"(?<![\w./-])build/")


def flat(text):
    """Lines without indentation: a snippet may stand deeper in its file than on the page."""
    return "\n" + "\n".join(line.strip() for line in text.strip("\n").splitlines()) + "\n"


def is_shown(kind, text, examples):
    return any(flat(text) in whole for path, whole in examples if path.endswith(SHOWN[kind]))


def run_console(text, path):
    """The block with what its commands print now."""
    lines = []
    given = text.splitlines()
    for i, line in enumerate(given):
        if line.startswith("$ "):
            lines.append(line)
            command = BUILD.sub(lambda _: path + "/", line[2:])
            done = subprocess.run(["sh", "-c", command], cwd=tree.ROOT, text=True, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  env={**os.environ, "PATH": path + os.pathsep + os.environ["PATH"]})
            lines += done.stdout.rstrip("\n").splitlines()
        elif not line and given[i + 1:] and given[i + 1].startswith("$ "):
            lines.append("")  # between commands; an output has its own
    return "\n".join(lines) + "\n"


def squeezed(text):
    return [line for line in text.splitlines() if line]


def check_page(page, examples, path, update):
    text = tree.read(page)
    fresh = text
    for match in BLOCK.finditer(text):
        kind, block = match[1], match[2]
        line = text.count("\n", 0, match.start()) + 1
        if kind == "c" or kind in SHOWN and page in FIRST_PAGES:
            if not is_shown(kind, textwrap.dedent(block), examples):
                yield f"{page}:{line}: no file under examples/ has this {kind}"
        elif kind == "console" and path:
            now = run_console(block, path)
            if squeezed(now) == squeezed(block):
                continue
            fresh = fresh.replace(block, now)
            if not update:
                yield f"{page}:{line}: the commands print something else:\n{textwrap.indent(now, '  ')}"
    if update and fresh != text:
        with open(os.path.join(tree.ROOT, page), "w", encoding="utf-8") as file:
            file.write(fresh)


arguments = [a for a in sys.argv[1:] if a != "--update"]
path = os.path.abspath(arguments[0]) if arguments else ""
if path and not os.path.exists(os.path.join(path, "lsched")):
    path = ""
pages = [p for p in tree.files(".md") if p == "README.md" or p.startswith("docs/")]
examples = [(p, flat(tree.read(p))) for p in tree.files(*SHOWN.values()) if p.startswith("examples/")]
complaints = [c for page in pages for c in check_page(page, examples, path, "--update" in sys.argv)]
tree.finish(complaints, "code in the documentation")
