#!/usr/bin/env python3
"""check_abidiff.py [--update | --damage | --damage-all] [CC]: compares the interface with tests/abi/interface.xml by abidiff (libabigail).

abidiff sees what tables of layouts and symbols do not: types of parameters and results, const, enums, callbacks. A
function that is gone or has other parameters, and a struct that changed otherwise than by fields at its end, is an
error; --update writes the present interface, if a break is meant. New functions and new fields at the end need nothing.

Fields that were appended since are left out before abidiff compares, because its own rule for them
(has_data_member_inserted_at) also hides changes of older fields. A field that took the place of a reserved field is
compared under the old name: older hosts write 0 there, which is the default of every field, and its type must not differ.

The description is made from a shared object of which every public function is an empty body below its declaration in
the headers. So the check needs no debug information in the library; check.symbols says that the library exports these
functions, and the compiler that it defines them as declared. Without abidiff, the check is skipped.

A callback is a pointer to a function, which abidiff knows only if some function takes it, or a struct that has it. So
--damage gives the last callback of each header another parameter, and --damage-all each callback of all headers, one at
a time: each must be an error.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "bindings", "python"))
import header as reader  # noqa: E402
INCLUDE = os.path.join(HERE, "..", "..", "libsched", "include")
STORED = os.path.join(HERE, "interface.xml")
SYMBOLS = os.path.join(HERE, "symbols.txt")
SKIPPED = 77
# libsched.h includes all others that have structures
MORE = ("pack.h", "scenario.h", "algorithm_view.h", "algorithm_roles.h", "algorithm_act.h", "algorithm.h")
DECLARATION = re.compile(r"^LSCHED_API ([^;{}#]*?\b(lsched_\w+)\([^;{}#]*\));", re.M)


def headers():
    """The text of each public header without comments."""
    folder, texts = os.path.join(INCLUDE, "libsched"), {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            texts[name] = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    return texts


def stored_sizes():
    with open(STORED, encoding="utf-8") as file:
        return {name: int(bits) // 8 for name, bits in
                re.findall(r"<class-decl name='(lsched_\w+)' size-in-bits='(\d+)'", file.read())}


def stored_reserves():
    """(struct, offset in bytes) -> name, for each reserved field."""
    with open(STORED, encoding="utf-8") as file:
        structs = re.findall(r"<class-decl name='(lsched_\w+)' size-in-bits(.*?)</class-decl>", file.read(), re.S)
    member = re.compile(r"layout-offset-in-bits='(\d+)'[^>]*>\s*<var-decl name='(reserved\w*)'")
    return {(struct, int(bits) // 8): name for struct, body in structs for bits, name in member.findall(body)}


def shortened(texts):
    """The headers without the fields that begin after the stored end of their struct."""
    folder, sizes, reserves = os.path.join(INCLUDE, "libsched"), stored_sizes(), stored_reserves()
    known = reader.read(os.path.join(folder, "libsched.h"), os.path.join(folder, "errors.def"), MORE)

    def shorten(found):
        name, body = found[2], found[3]
        new = [field for field, offset, _ in known.layout(name)[2] if offset >= sizes.get(name, 1 << 30)]
        for field, offset, _ in known.layout(name)[2]:
            body = re.sub(rf"\b{field}\b", reserves.get((name, offset), field), body)
        kept = [one for one in body.split(";")
                if not any(re.search(rf"\b{field}\b *(\[[^]]*\])? *(,|\)|$)", one.strip()) for field in new)]
        return found[1] + ";".join(kept) + found[4]

    return {name: re.sub(r"^((?:typedef )?struct (\w+) \{)(.*?)(^\})", shorten, text, flags=re.M | re.S)
            for name, text in texts.items()}


def stub(texts):
    """C text that includes every public header and defines every public function; and the names of these."""
    names, lines = [], [f"#include <libsched/{name}>" for name in texts if name.endswith(".h")]
    for text in texts.values():
        for declaration, name in DECLARATION.findall(text):
            names.append(name)
            lines.append(f"{declaration} {{ for (;;) {{}} }}")
    return "\n".join(lines) + "\n", sorted(names)


def build(compiler, folder, texts):
    text, names = stub(texts)
    include = os.path.join(folder, "include")
    os.makedirs(os.path.join(include, "libsched"))
    for name, header in texts.items():
        with open(os.path.join(include, "libsched", name), "w", encoding="utf-8") as file:
            file.write(header)
    with open(SYMBOLS, encoding="utf-8") as file:
        exported = file.read().split()
    if names != exported:
        sys.exit(f"tests/abi/symbols.txt and the headers differ: {sorted(set(names) ^ set(exported))}")
    source, library = os.path.join(folder, "stub.c"), os.path.join(folder, "libstub.so")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run([*compiler.split(), "-std=c11", "-g", "-O0", "-w", "-fPIC", "-shared", "-I", include, source,
                    "-o", library], check=True)
    return library, names


def describe(library, names, output):
    subprocess.run(["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-elf-needed",
                    "--out-file", output, library], check=True)
    with open(output, encoding="utf-8") as file:
        text = file.read()
    described = set(re.findall(r"<function-decl name='(lsched_\w+)'", text))
    if described != set(names) or "name='lsched_job_desc'" not in text or "name='stale_grace_us'" not in text:
        sys.exit("abidw describes no types: the shared object has no debug information")


def callbacks(texts):
    """(header, place, name) of each pointer to a function: members of structs, typedefs, parameters of other callbacks."""
    return [(header, found.start(), found[1]) for header, text in texts.items()
            for found in re.finditer(r"\(\* *(\w+)\)\(", text)]


def damaged(texts, header, place):
    """The headers, but the callback at that place takes one parameter more."""
    text, open_brackets = texts[header], 0
    for end in range(text.index(")(", place) + 1, len(text)):
        open_brackets += (text[end] == "(") - (text[end] == ")")
        if open_brackets == 0:
            return {**texts, header: text[:end] + ", uint64_t one_more" + text[end:]}
    sys.exit(f"{header}: a callback has no end")


def compared(compiler, texts, before=STORED):
    """What abidiff says of the headers, beside the description `before`: (its exit code, its text, the number of
    functions)."""
    with tempfile.TemporaryDirectory() as folder:
        library, names = build(compiler, folder, texts)
        present = os.path.join(folder, "present.xml")
        describe(library, names, present)
        done = subprocess.run(["abidiff", "--no-added-syms", "--harmless", before, present],
                              capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr, len(names)


def check_damage(compiler, of_all):
    texts = headers()
    found = callbacks(texts)
    chosen = found if of_all else list({one[0]: one for one in found}.values())
    if len(found) < 80 or len({one[0] for one in found}) < 7:
        print(f"only {len(found)} callbacks were found in the headers; expected 80 or more")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        # not interface.xml, in which the callbacks that were appended since are missing
        before = os.path.join(folder, "before.xml")
        describe(*build(compiler, os.path.join(folder, "build"), texts), before)
        missed = [f"{header}: {name}" for header, place, name in chosen
                  if compared(compiler, damaged(texts, header, place), before)[0] & 4 == 0]  # 4: a break
    for one in missed:
        print(f"{one}: abidiff does not see that this callback takes another parameter")
    print(f"{len(chosen)} of {len(found)} callbacks damaged, one at a time; {len(missed)} not noticed")
    return int(bool(missed))


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    compiler = arguments[0] if arguments else "cc"
    if not shutil.which("abidw") or not shutil.which("abidiff"):
        print("skipped: abidiff is not installed (Debian: abigail-tools)")
        return SKIPPED
    if "--damage" in sys.argv or "--damage-all" in sys.argv:
        return check_damage(compiler, "--damage-all" in sys.argv)
    if "--update" in sys.argv:
        with tempfile.TemporaryDirectory() as folder:
            describe(*build(compiler, folder, headers()), STORED)
        return 0
    code, text, n = compared(compiler, shortened(headers()))
    if code == 0:
        print(f"{n} functions as in tests/abi/interface.xml, or longer structs")
        return 0
    print(text)
    print("If this break is meant, run tests/abi/check_abidiff.py --update and tests/abi/headers.py freeze.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
