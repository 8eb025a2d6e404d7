"""Include directions: base <- model <- engine <- api, and everything else through a declared door.

A layer that may not include another cannot come to depend on it; that is what keeps the algorithms
on algorithm.h, Lua behind policy/policy.h (and the programs that lifted hooks become), and the
program on the public header. Each row below lists the layers that the layer on its left may include
besides itself and the public headers.
"""
import re

import tree

PUBLIC = {path.removeprefix("libsched/include/") for path in tree.files(".h", ".def")
          if path.startswith("libsched/include/")}
# Libraries of their own, whose headers the library itself may not see, and the layer of each.
BESIDE = {"libsched/forecast.h": "libsched/forecast", "libsched/sizing.h": "libsched/forecast",
          "libsched/slowdowns.h": "libsched/forecast", "libsched/speeds.h": "libsched/speeds"}
BESIDE_USERS = ("cli", "examples", "bindings")
MAY = {
    "libsched/include": set(),
    "libsched/base": set(),
    "libsched/model": {"base"},
    "libsched/pack": {"base", "model/mig/mig.h"},
    "libsched/policy": {"base", "model"},
    "libsched/engine": {"base", "model", "policy"},
    # templates: they have no code and no state of their own
    "libsched/algorithms": {"base/bisect.h", "base/sort.h", "base/binary_heap.h"},
    "libsched/config": {"base"},
    "libsched/forecast": {"base"},
    "libsched/speeds": {"base"},
    "libsched/api": {"base", "model", "pack", "policy", "engine", "config", "algorithms", "lua"},
    "lua": {"base", "policy"},
    "cli": set(),
    "examples": set(),
    "bindings": set(),
}
# Headers of other libraries, and the only places that may see them: policies run in a Lua state of
# the library, tests of policies in one of the program. The program reads JSON of Slurm with libyaml.
LUA = {"lua", "cli"}
FOREIGN = {"yaml.h": {"libsched/config", "cli"}, "xxhash.h": {"libsched/base"}, "dlfcn.h": LUA,
           "lua.h": LUA, "lauxlib.h": LUA, "lualib.h": LUA, "luajit.h": LUA}
LAYERS = ("base", "model", "pack", "policy", "engine", "algorithms", "config", "forecast",
          "speeds", "api")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def layer_of(path):
    for layer in MAY:
        if path.startswith(layer + "/"):
            return layer
    return None


def is_allowed(layer, quote, target):
    if target in PUBLIC:
        return True
    if target in BESIDE:
        return layer in BESIDE_USERS or layer == BESIDE[target]
    head = target.split("/")[0]
    own = layer.split("/")[-1]
    if target in FOREIGN:
        return layer in FOREIGN[target]
    if quote == "<":
        return head not in LAYERS and head not in ("lua", "cli")
    if head == own or "/" not in target and not layer.startswith("libsched/include"):
        return True
    if target == "embedded_text.h":
        return True
    return head in MAY[layer] or target in MAY[layer]


complaints = []
for path in tree.files(".c", ".h", ".cpp", ".hpp"):
    layer = layer_of(path)
    if layer is None:
        continue
    text = tree.read(path)
    for match in INCLUDE.finditer(text):
        if not is_allowed(layer, match[1], match[2].removeprefix("../")):
            line = text.count("\n", 0, match.start(2)) + 1
            complaints.append(f"{path}:{line}: {layer} may not include {match[2]}")
tree.finish(complaints, "include directions")
