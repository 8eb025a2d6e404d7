"""check_doc_links.py: every link of the project's pages leads somewhere.

A link without a scheme names a file or a directory of the tree, relative to its page. Where it has an anchor, the page that it
names has a heading whose anchor, made as GitHub makes it, is that one. Links in code blocks are no links. CONTRIBUTING.md names
files in code words, from the root; they exist, too. There, a word in capitals is to be replaced: `policies/NAME.lua`.
"""
import glob
import os
import re

import tree

LINK = re.compile(r"(?<!\\)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)")
CODE_BLOCK = re.compile(r"^```.*?^```", re.M | re.S)
CODE_WORDS = re.compile(r"`[^`\n]*`")
NAMED_FILE = re.compile(r"`([\w./*-]+/[\w.*-]*)`")
RECIPES = "CONTRIBUTING.md"
HEADING = re.compile(r"^#+ +(.*?) *$", re.M)


def without_blocks(text):
    return CODE_BLOCK.sub(lambda block: "\n" * block[0].count("\n"), text)


def anchors(text):
    """Of headings, as GitHub makes them: lower case, words and hyphens alone; the second of a name gets -1."""
    found = set()
    for heading in HEADING.findall(without_blocks(text)):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number = 0
        while anchor + (f"-{number}" if number else "") in found:
            number += 1
        found.add(anchor + (f"-{number}" if number else ""))
    return found


def named_files(page, text):
    for match in NAMED_FILE.finditer(text):
        path = match[1]
        if "NAME" not in path and not path.startswith("build/") and \
                not glob.glob(os.path.join(tree.ROOT, path)):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{page}:{line}: there is no {path}"


def check_page(page):
    if page == RECIPES:
        yield from named_files(page, without_blocks(tree.read(page)))
    text = CODE_WORDS.sub(lambda words: " " * len(words[0]), without_blocks(tree.read(page)))
    for match in LINK.finditer(text):
        target = match[1]
        if re.match(r"[a-z]+:", target):
            continue
        line = text.count("\n", 0, match.start()) + 1
        path, _, anchor = target.partition("#")
        there = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if not os.path.exists(os.path.join(tree.ROOT, there)):
            yield f"{page}:{line}: there is no {there}"
        elif anchor and there.endswith(".md") and anchor not in anchors(tree.read(there)):
            yield f"{page}:{line}: {there} has no heading for #{anchor}"


tree.finish([c for page in tree.files(".md") for c in check_page(page)], "links of pages")
