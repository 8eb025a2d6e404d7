"""check_bindings.py: every public function has a binding in Python and in C++, and every option one in Python, or stands in
bindings/unbound.txt with a reason.

A function is bound if the code of the package, without the generated _abi.py, or a header of C++ names it. The list has
lines `LANGUAGE: REASON`, and below each of them the functions that the reason holds for. A function in the list that is
bound, or that no header declares, is a complaint, too; so the list says what is missing. `--missing` prints what the list
lacks.

An option is a field of a struct lsched_*_opts. Python can set it if the package makes the structure with a keyword, or
assigns to a field of that name, and the value is no constant. The list has it as `lsched_x_opts.field`. In C++ the
caller fills the structure itself.
"""
import ast
import glob
import os
import re
import sys

import tree

HEADERS = "libsched/include/libsched/*.h"
# algorithm.h is for plug-ins, which are in C; jemalloc.h has only inline functions
NO_INTERFACE = ("algorithm.h", "jemalloc.h")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
DECLARED = re.compile(r"LSCHED_API[^;{]*?\b(lsched_\w*[a-z0-9])\(", re.S)
WORD = re.compile(r"\blsched_\w+")
BOUND = {"python": "bindings/python/libsched/*.py", "cpp": "bindings/cpp/*.hpp"}
OPTIONS = re.compile(r"typedef struct (lsched_\w+_opts) \{(.*?)\n\} \1;", re.S)
FIELD = re.compile(r"(\w+)\s*(?=[,;])")
CALLBACK = re.compile(r"\(\*(\w+)\)\([^)]*\)")
FILLED_IN = ("size", "reserved_zero")  # by the structures of the package themselves, as are counts of lists


def read(root, pattern, without=()):
    paths = [path for path in glob.glob(os.path.join(root, pattern)) if os.path.basename(path) not in without]
    texts = []
    for path in sorted(paths):
        with open(path, encoding="utf-8") as file:
            texts.append(file.read())
    return COMMENT.sub("", "\n".join(texts))


def listed(root):
    """By language: the functions of the list."""
    found, language = {name: [] for name in BOUND}, None
    with open(os.path.join(root, "bindings/unbound.txt"), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            head = re.match(r"(\w+): \S.{19,}$", line)
            if head and head[1] in found:
                language = head[1]
            elif line.strip() and not line.startswith("#"):
                if language is None or not line.startswith("    "):
                    sys.exit(f"bindings/unbound.txt:{number}: expected 'python: REASON', 'cpp: REASON' or functions")
                found[language] += line.split()
    return found


def options(root):
    """Every option as "lsched_x_opts.field"."""
    found = set()
    for struct, fields in OPTIONS.findall(read(root, HEADERS, NO_INTERFACE)):
        names = FIELD.findall(CALLBACK.sub(r"\1", fields))
        found |= {f"{struct}.{name}" for name in names if name not in FILLED_IN and not name.startswith("n_")}
    return found


def options_of_python(root, names):
    """The options that the package sets to something that its caller chooses."""
    classes = {}
    for name in names:
        struct = name.split(".")[0]
        classes["".join(part.capitalize() for part in struct.split("_")[1:])] = struct
    found = set()
    for path in glob.glob(os.path.join(root, BOUND["python"])):
        if os.path.basename(path) == "_abi.py":
            continue
        with open(path, encoding="utf-8") as file:
            tree_of_file = ast.parse(file.read())
        made, assigned = set(), set()
        for node in ast.walk(tree_of_file):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", None) in classes:
                made.add(classes[node.func.attr])
                found |= {f"{classes[node.func.attr]}.{keyword.arg}" for keyword in node.keywords
                          if not isinstance(keyword.value, ast.Constant)}
            elif isinstance(node, ast.Assign) and not isinstance(node.value, ast.Constant):
                assigned |= {target.attr for target in node.targets if isinstance(target, ast.Attribute)}
        found |= {f"{struct}.{field}" for struct in made for field in assigned}
    return found & names


def complaints_of_options(root, exempt):
    names = options(root)
    if len(names) < 30:
        return [f"only {len(names)} options are declared: are the headers where the check looks?"]
    found, bound = [], options_of_python(root, names)
    for name in sorted(names - bound - exempt):
        found.append(f"{name} cannot be set from Python: add an argument, or a line with the reason to bindings/unbound.txt")
    for name in sorted(exempt):
        if name in bound or name not in names:
            found.append(f"bindings/unbound.txt: {name} can be set, or is gone: take it out")
    return found


def complaints(root):
    declared = set(DECLARED.findall(read(root, HEADERS, NO_INTERFACE)))
    if len(declared) < 100:
        return [f"only {len(declared)} functions are declared: are the headers where the check looks?"]
    found = []
    for language, pattern in BOUND.items():
        bound = set(WORD.findall(read(root, pattern, ("_abi.py",))))
        rows = listed(root)[language]
        exempt = [name for name in rows if "." not in name]
        if language == "python":
            found += complaints_of_options(root, set(rows) - set(exempt))
        for name in sorted(declared - bound - set(exempt)):
            found.append(f"{name} has no binding in {language}: add one, or a line with the reason to bindings/unbound.txt")
        for name in sorted(exempt):
            if name in bound or name not in declared or exempt.count(name) > 1:
                found.append(f"bindings/unbound.txt: {name} ({language}) is bound, gone, or listed twice: take it out")
    return found


def main():
    found = complaints(tree.ROOT)
    if "--missing" in sys.argv[1:]:
        print("\n".join(line.split()[0] for line in found))
        return 0
    for line in found:
        print(line)
    print(f"bindings: {len(found)} complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
