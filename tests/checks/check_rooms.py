"""Rooms hold: every file stands in a room of rooms.py, and rooms depend on each other one way.

The check reads includes, and the symbols of the built objects, because a symbol that a public
header declares can be called from anywhere without an include that shows it. It fails where
 - a file of a layer stands in no room, or a room is too large
 - a room includes or calls a room above it, or a layer calls a layer that it may not
 - files of one layer call each other in a circle (but for the Lua host, one small module)
 - the verifier or the judge of packing calls anything that is not listed here
 - a struct tag, a static function or a macro of the library has the name of another
 - nothing names a macro that a header inside of the library defines
 - a comment or a page names a file that is not there
 - a function is too complex, or a line outside the public headers passes 100 columns
 - a comment in a list (*.def) passes 100 columns; a row of data may be longer
 - docs/architecture.md shows other rooms than the table

Usage: check_rooms.py [BUILD [OBJECTS...]]. Without objects the calls are not checked, and the check
says so.
"""
import collections
import glob
import os
import re
import subprocess
import sys

import rooms
import tree

ROOM_FILES_MAX = 45
ROOM_LINES_MAX = 4500
COMPLEXITY_MAX = 20
COLUMNS_MAX = 100  # the public headers are not wrapped yet

# What each layer may call, besides itself and the public functions (lsched_*).
MAY_CALL = {
    "libsched/base": set(),
    "libsched/model": {"libsched/base"},
    "libsched/pack": {"libsched/base", "libsched/model/mig"},
    "libsched/policy": {"libsched/base", "libsched/model"},
    "libsched/engine": {"libsched/base", "libsched/model", "libsched/policy", "libsched/algorithms"},
    "libsched/algorithms": set(),
    "libsched/config": {"libsched/base"},
    "libsched/forecast": {"libsched/base"},
    "libsched/speeds": {"libsched/base"},
    "lua": {"libsched/base", "libsched/policy", "embedded"},
    "libsched/api": {"libsched/base", "libsched/model", "libsched/pack", "libsched/policy",
                     "libsched/engine", "libsched/config", "libsched/algorithms", "lua", "embedded"},
    "cli": {"embedded"},
}
# Readers of columns and canonical bytes, checks of the columns, and memory: nothing that places,
# fits, charges or counts. A mistake there cannot hide itself in the verifier.
VERIFIER_MAY_CALL = {
    "alloc_free", "alloc_new", "alloc_zero", "check_fail", "check_nomem", "column_def_name",
    "column_defs",
    "columns_check", "device_class_spec", "index_find", "index_key_refusal", "machine_decode",
    "machine_get", "machine_link_word", "mig_profile_is", "mig_table_at", "reader_i64",
    "reader_text", "reader_u32", "row_is_live", "row_name", "table_first", "table_is_raw"}
# The judge reads its arguments and the problem; it shares no arithmetic with the solvers.
JUDGE_MAY_CALL = {
    "alloc_free", "alloc_init", "alloc_new", "arg_allocator", "arg_out", "arg_stride", "arg_struct",
    "arg_text", "err_begin", "fail", "fixed_exp", "fixed_pow", "mig_profile_named",
    "mig_table_named", "pack_problem_check"}
INDEPENDENT = (("libsched/engine/verify", VERIFIER_MAY_CALL, "the verifier"),
               ("libsched/pack/judge/", JUDGE_MAY_CALL, "the judge"))
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'')
TEXT_OR_COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|' + COMMENT.pattern, re.S)


def sources():
    return [path for path in tree.files(".c", ".h")
            if path.startswith(("libsched/", "lua/", "cli/"))]


def order_of(layer, room):
    return [name for name, _ in rooms.LAYERS[layer]].index(room)


def is_upward(source, target):
    """True if target is a room above the room of source, in the same layer."""
    layer, room = rooms.place_of(source)
    other, above = rooms.place_of(target)
    return (layer and layer == other and room and above and
            order_of(layer, above) > order_of(layer, room))


def check_places(paths, complaints):
    size = collections.Counter()
    lines = collections.Counter()
    for path in paths:
        layer, room = rooms.place_of(path)
        if not layer or path in rooms.LOOSE:
            continue
        if room not in [name for name, _ in rooms.LAYERS[layer]]:
            complaints.append(f"{path}:1: stands in no room of {layer}; expected one of "
                              f"{', '.join(name for name, _ in rooms.LAYERS[layer])} "
                              "(tests/checks/rooms.py)")
            continue
        size[layer, room] += 1
        lines[layer, room] += tree.read(path).count("\n")
    for layer, table in rooms.LAYERS.items():
        for room, _ in table:
            if not os.path.isdir(os.path.join(tree.ROOT, layer, room)):
                complaints.append(f"tests/checks/rooms.py:1: there is no folder {layer}/{room}")
            if size[layer, room] > ROOM_FILES_MAX:
                complaints.append(f"{layer}/{room}:1: {size[layer, room]} files; at most "
                                  f"{ROOM_FILES_MAX}")
            if lines[layer, room] > ROOM_LINES_MAX:
                complaints.append(f"{layer}/{room}:1: {lines[layer, room]} lines; at most "
                                  f"{ROOM_LINES_MAX}")


def check_room_includes(paths, complaints):
    for path in paths:
        text = tree.read(path)
        for match in INCLUDE.finditer(text):
            target = match[1] if match[1].startswith(("lua/", "cli/")) else "libsched/" + match[1]
            if is_upward(path, target) and (path, target) not in rooms.UPWARD:
                line = text.count("\n", 0, match.start(1)) + 1
                complaints.append(f"{path}:{line}: a room may not include {match[1]}, "
                                  "which stands above it")


# ---- calls ----

def source_of(path, build):
    """The source of an object file of the build, relative to the root; None for generated text."""
    path = os.path.relpath(path, build)
    match = re.search(r"\.dir/(.*)\.o(?:bj)?$", path)
    if not match:
        return None
    inner = match[1].replace("__/", "")
    for head in ("libsched/", "", "cli/"):
        if (head == "cli/") == path.startswith("cli/") and os.path.isfile(
                os.path.join(tree.ROOT, head + inner)):
            return head + inner
    return "embedded/" + os.path.basename(inner) if "/embedded_" in "/" + inner else None


def symbols(objects, build):
    """defined: symbol -> source; wanted: source -> symbols."""
    defined, wanted = {}, collections.defaultdict(set)
    for path in objects:
        source = source_of(path, build)
        if not source:
            continue
        listing = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
        for fields in map(str.split, listing.splitlines()):
            if len(fields) == 2 and fields[0] == "U":
                wanted[source].add(fields[1])
            elif len(fields) == 3 and fields[1] in "TDBRC":
                defined[fields[2]] = source
    return defined, wanted


def layer_of(source):
    return next((layer for layer in list(MAY_CALL) + ["embedded"]
                 if source.startswith(layer + "/")), None)


def is_allowed(source, target):
    layer, other = layer_of(source), layer_of(target)
    if layer == other or layer not in MAY_CALL:
        return not is_upward(source, target)
    return any(target.startswith(may + "/") for may in MAY_CALL[layer])


def check_calls(defined, wanted, complaints):
    for source in sorted(wanted):
        for symbol in sorted(wanted[source]):
            target = defined.get(symbol)
            if not target or target == source:
                continue
            public = symbol.startswith("lsched_") and layer_of(source) != layer_of(target) and \
                layer_of(source) in ("libsched/algorithms", "libsched/config", "lua", "cli",
                                     "libsched/api")
            if not public and not is_allowed(source, target) and (source, target) not in rooms.UPWARD:
                complaints.append(f"{source}:1: may not call {symbol} of {target}")
            for head, may, who in INDEPENDENT:
                if source.startswith(head) and not target.startswith(head) and symbol not in may:
                    complaints.append(f"{source}:1: {who} may not call {symbol} of {target}")


def circles(graph):
    """Sets of files that reach each other, by Tarjan's algorithm without recursion."""
    index, low, on, stack, found = {}, {}, set(), [], []
    for root in sorted(graph):
        if root in index:
            continue
        work = [(root, iter(sorted(graph[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            node, edges = work[-1]
            for target in edges:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on.add(target)
                    work.append((target, iter(sorted(graph[target]))))
                    break
                if target in on:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    if len(stack) - at > 1:
                        found.append(sorted(stack[at:]))
                    on.difference_update(stack[at:])
                    del stack[at:]
    return found


def check_circles(defined, wanted, complaints):
    graph = collections.defaultdict(set)
    for source, symbols_wanted in wanted.items():
        layer = layer_of(source)
        for symbol in symbols_wanted:
            target = defined.get(symbol)
            if target and target != source and layer and layer_of(target) == layer != "lua":
                graph[source].add(target)
    left = [set(circle) for circle in rooms.CIRCLES]
    full = {node: graph.get(node, set()) for node in
            set(graph) | {t for targets in graph.values() for t in targets}}
    for circle in circles(full):
        names = [os.path.basename(path) for path in circle]
        if set(names) in left:
            left.remove(set(names))
        else:
            complaints.append(f"{circle[0]}:1: these files call each other in a circle: "
                              f"{', '.join(names)}")
    stale(left, "circle", complaints)


def stale(entries, what, complaints):
    for entry in entries:
        shown = ", ".join(sorted(entry)) if isinstance(entry, set) else entry
        complaints.append(f"tests/checks/rooms.py:1: this {what} is no more; remove it from the "
                          f"list: {shown}")


# ---- names ----

# A static function, or one that a sort or a heap of base makes.
STATIC = re.compile(r"^static (?:inline )?[^;={}()]*?\b(\w+)\([^;{}]*\) \{$|"
                    r"^(?:SORT_\w+|HEAP_DEFINE)\((\w+),", re.M)


def check_unique(paths, complaints):
    structs = collections.defaultdict(set)
    statics = collections.defaultdict(set)
    macros = collections.defaultdict(set)
    for path in paths:
        if path.startswith("cli/"):
            continue
        text = COMMENT.sub("", tree.read(path))
        for tag in re.findall(r"^(?:typedef )?(?:struct|union|enum) (\w+) \{", text, re.M):
            structs[tag].add(path)
        for match in STATIC.finditer(text):
            statics[match[1] or match[2]].add(path)
        if path.endswith(".c"):
            undone = set(re.findall(r"^#undef (\w+)", text, re.M))
            for name in re.findall(r"^#define (\w+)", text, re.M):
                if name not in undone:
                    macros[name].add(path)
    found = set()
    for kind, table in (("struct tag", structs), ("macro", macros), ("static function", statics)):
        for name, where in sorted(table.items()):
            if len(where) > 1:
                found.add(name)
            if len(where) > 1 and name not in rooms.TWICE:
                where = sorted(where)
                complaints.append(f"{where[1]}:1: {kind} {name} is also in {where[0]}")
    stale(sorted(rooms.TWICE - found), "name", complaints)


def check_macros(paths, complaints):
    """A limit that nothing reads bounds nothing, and a reader believes that it does."""
    used = collections.Counter()
    for path in tree.files(".c", ".h", ".def", ".cpp", ".hpp"):
        used.update(re.findall(r"\b[A-Z][A-Z0-9_]+\b", COMMENT.sub("", tree.read(path))))
    for path in paths:
        if not path.endswith(".h") or "/include/" in path:
            continue
        text = COMMENT.sub("", tree.read(path))
        for match in re.finditer(r"^#define ([A-Z][A-Z0-9_]+)\b", text, re.M):
            if used[match[1]] == 1:
                complaints.append(f"{path}:1: nothing names the macro {match[1]}")


# Files that are not part of the tree and that comments and pages name with reason.
FOREIGN_FILES = {"sched.h", "stdio.h", "string.h", "stdlib.h", "yaml.h", "lua.h", "ltable.c",
                 "setjmp.h", "math.h", "assert.h", "stdatomic.h", "time.h", "hwloc.h",
                 "main.c", "my_scheduler.c", "xxhash.h"}


def check_references(complaints):
    # a name with folders must be the end of a real path
    known = {path.split("/", n)[-1] for path in tree.files() for n in range(path.count("/") + 1)}
    known |= FOREIGN_FILES
    name = re.compile(r"(?<![\w./<-])(?:[\w-]+/)*([\w-]+\.(?:c|h|def))\b")
    for path in sources() + [p for p in tree.files(".md")
                             if p.startswith("docs/") or "/" not in p]:
        text = tree.read(path)
        spans = COMMENT.finditer(text) if path.endswith((".c", ".h")) else re.finditer(
            r"(?s).+", re.sub(r"```.*?```", lambda m: re.sub(r"[^\n]", " ", m[0]), text,
                              flags=re.S))
        for span in spans:
            for match in name.finditer(span[0]):
                if "NAME" not in match[0] and match[0] not in known:
                    line = text.count("\n", 0, span.start() + match.start()) + 1
                    complaints.append(f"{path}:{line}: there is no file {match[0]}")


# ---- form ----

def functions(text):
    """(line, name, body) of each function; layout is enforced by clang-format."""
    for match in re.finditer(r"^(?!typedef|struct|enum|union|static const|#)[A-Za-z_][^;{}=]*?"
                             r"\b(\w+)\([^;{}]*\) \{\n(.*?)^\}", text, re.M | re.S):
        yield text.count("\n", 0, match.start(1)) + 1, match[1], match[2]


def complexity(body):
    return 1 + len(re.findall(r"\b(?:if|for|while|case)\b|&&|\|\||\?", body))


def check_lists_form(paths, complaints):
    """A line of a list is too wide if a comment of it passes the last column, whatever the row is."""
    for path in paths:
        text = tree.read(path)
        rows = TEXT_OR_COMMENT.sub(lambda m: m[1] or re.sub(r"[^\n]", " ", m[0]), text)
        for number, (line, row) in enumerate(zip(text.split("\n"), rows.split("\n")), 1):
            if len(line) > COLUMNS_MAX and line[COLUMNS_MAX:] != row[COLUMNS_MAX:]:
                complaints.append(f"{path}:{number}: a comment with {len(line)} columns; at most "
                                  f"{COLUMNS_MAX}")


def check_form(paths, complaints):
    found = set()
    for path in paths:
        text = tree.read(path)
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > COLUMNS_MAX and not path.startswith("libsched/include/"):
                complaints.append(f"{path}:{number}: {len(line)} columns; at most {COLUMNS_MAX}")
        if not path.endswith(".c"):
            continue
        code = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
        code = TEXT.sub('""', code)
        for line, name, body in functions(code):
            measure = complexity(body)
            if measure > COMPLEXITY_MAX:
                found.add(name)
            if measure > COMPLEXITY_MAX and name not in rooms.COMPLEX:
                complaints.append(f"{path}:{line}: {name} has complexity {measure}; at most "
                                  f"{COMPLEXITY_MAX}")
    stale(sorted(rooms.COMPLEX - found), "function", complaints)


def check_page(complaints):
    text = tree.read("docs/architecture.md")
    if rooms.PAGE_BEGINS + rooms.page() + rooms.PAGE_ENDS not in text:
        complaints.append("docs/architecture.md:1: the rooms are not those of rooms.py; "
                          "run python3 tests/checks/rooms.py")
    if rooms.FILES_BEGIN + rooms.file_index() + rooms.FILES_END not in text:
        complaints.append("docs/architecture.md:1: the index of files is not that of the heads; "
                          "run python3 tests/checks/rooms.py")


def main():
    complaints = []
    check_page(complaints)
    paths = sources()
    check_places(paths, complaints)
    check_room_includes(paths, complaints)
    check_references(complaints)
    check_lists_form(tree.files(".def"), complaints)
    check_form(paths, complaints)
    if len(sys.argv) > 1:
        build = sys.argv[1]
        objects = sorted(glob.glob(build + "/libsched/CMakeFiles/lsched_objects.dir/**/*.o",
                                   recursive=True) +
                         glob.glob(build + "/libsched/forecast/CMakeFiles/lsched_forecast_objects.dir/**/*.o",
                                   recursive=True) +
                         glob.glob(build + "/libsched/speeds/CMakeFiles/lsched_speeds_objects.dir/**/*.o",
                                   recursive=True) +
                         glob.glob(build + "/cli/CMakeFiles/lsched*.dir/**/*.o", recursive=True))
        defined, wanted = symbols(objects, build)
        check_calls(defined, wanted, complaints)
        check_circles(defined, wanted, complaints)
        print(f"{len(wanted)} objects read")
    else:
        print("no build is named: calls and circles are not checked")
    check_unique(paths, complaints)
    check_macros(paths, complaints)
    tree.finish(complaints, "rooms")


main()
