"""Every name that a Python source of this tree reads from the binding exists there.

A test that is rarely run would otherwise keep the name that a constant had before it was renamed, and fail where nobody looks.
The names of the binding are read from its sources, so that the check needs neither the library nor a run.
"""
import ast
import os

import tree

BINDING = "bindings/python/libsched"


def parsed(path):
    with open(os.path.join(tree.ROOT, path), encoding="utf-8") as source:
        return ast.parse(source.read(), path)


def defined(module):
    """The names that a module of the binding defines or imports at its top level."""
    names = set()
    for node in module.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.update(part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name))
    return names


def reads(module, name):
    """(line, attribute) for each attribute that the module reads from the variable `name`."""
    for node in ast.walk(module):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name:
            yield node.lineno, node.attr


def bound(module):
    """The variables of a source that stand for modules of the binding: variable -> module."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == "libsched":
                    yield alias.asname or alias.name, "__init__"
        elif isinstance(node, ast.ImportFrom) and node.module == "libsched":
            for alias in node.names:
                if os.path.exists(os.path.join(tree.ROOT, BINDING, alias.name + ".py")):
                    yield alias.asname or alias.name, alias.name


def main():
    names = {path[len(BINDING) + 1:-3]: defined(parsed(path)) for path in tree.files(".py")
             if path.startswith(BINDING + "/")}
    package = names["__init__"] | {name for name in names["_abi"] if not name.startswith("_")} | set(names)
    complaints, seen = [], 0
    for path in tree.files(".py"):
        if path.startswith(BINDING + "/"):
            continue
        module = parsed(path)
        for variable, of in set(bound(module)):
            known = package if of == "__init__" else names[of]
            for line, attribute in reads(module, variable):
                seen += 1
                if attribute not in known and not attribute.startswith("__"):
                    complaints.append(f"{path}:{line}: the binding has no name {attribute}; names stand in {BINDING}")
    if not seen:
        complaints.append(f"{BINDING}: no Python source reads a name of the binding, so the check sees nothing")
    tree.finish(complaints, "Python sources")


if __name__ == "__main__":
    main()
