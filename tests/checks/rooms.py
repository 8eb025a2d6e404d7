"""The rooms of the tree: the one table from which the check, the picture and the page are made.

Each layer lists its rooms from bottom to top. A room may use itself, the rooms above its line in
the same layer, and the layers that check_includes.py names. A sentence says what a room knows, and
after the dash what always holds there.
"""
import os
import re

import tree

PAGE_BEGINS, PAGE_ENDS = "<!-- rooms: from tests/checks/rooms.py -->\n", "<!-- end of rooms -->\n"
FILES_BEGIN, FILES_END = "<!-- files: from tests/checks/rooms.py -->\n", "<!-- end of files -->\n"

LAYERS = {
    "libsched/model": [
        ("store", "columns, undo log, blocks, hash indexes, heaps, rows in the order of their names, interned contents -- no object is known here"),
        ("news", "what changed since the last cycle: nodes that gained room, queues that gave back -- a row stands once"),
        ("arrays", "job arrays: how many elements have begun, for how many jobs an array stands, the names of elements -- what waits is one job"),
        ("told", "what the orchestrator is told: open decisions, the change feed -- each effect is told once"),
        ("budgets", "evictions that count for a budget of a job or of the policy -- what did not happen is given back"),
        ("mig", "MIG profiles and how an instance finds its slices -- pure arithmetic over tables"),
        ("shapes", "what jobs and tasks ask for, and the words that nodes answer with -- equal contents are one row"),
        ("supplies", "amounts of things that belong to the whole cluster or to a domain, such as licences -- each place has the sums of the tasks below it"),
        ("machine", "what is inside a node: links, NUMA nodes, network cards -- decoded, never state"),
        ("devices", "devices, what tasks hold of them, which are selected -- a device gives no more than it has"),
        ("demand", "holds, tasks that do not exist yet, what the tasks of jobs ask for, and how many of them a job has and lacks -- what cannot start counts in no demand"),
        ("dependencies", "what jobs wait for before their first start: their begin and other jobs -- an event costs nothing until the next cycle"),
        ("queues", "queues, users, use, lent limits -- sums of a queue are kept by difference"),
        ("reservations", "nodes that only the jobs of one queue may use in a window -- a row lives as long as it has a node"),
        ("allowances", "what the tasks of a queue may cost in a period -- sums are exact, and change only with tasks"),
        ("nodes", "nodes, their free amounts and what is being released there -- FREE and COMING follow every change of a task"),
        ("resizes", "running tasks that have, or are to get, other amounts than their job requests -- what a task is charged is one shape"),
        ("pressure", "devices under memory pressure, and tasks that wait for memory -- such a task keeps its place"),
        ("jobs", "jobs, tasks, bundles, refusals, and all that ends or waits -- a state changes in one function"),
        ("warnings", "when running tasks are to be told that they end -- what was told is not told again"),
        ("absences", "from which nodes a job must stay away because they are to leave -- an answer follows from the columns and the time"),
        ("life", "what the orchestrator changes of a job after its submission -- a job keeps its row"),
        ("check", "the columns against their own rules -- believes nothing and changes nothing"),
        ("image", "save, load, clone, hash, meaning -- a load believes nothing before the checks have passed"),
    ],
    "libsched/engine": [
        ("verify_reserved", "the part of the verifier about reservations -- shares no code with the planner"),
        ("verify_arrays", "the step of the verifier for job arrays -- counts the elements again from the jobs"),
        ("verify", "the independent verifier of a state -- recomputes from columns, calls nothing that places or counts"),
        ("verify_plan", "the independent verifier of a plan: its decisions, and whether each eviction is allowed -- repeats the plan on amounts of its own"),
        ("indexes", "caches over columns: views, search indexes, topology, affinity -- dropping one changes no answer"),
        ("topology", "to which domains and task blocks the tasks of a gang go -- pure arithmetic; the counts of room per domain are in indexes"),
        ("state", "the cluster, the share tree, the cycle in progress, what its current transaction spends and counts, withdrawn decisions -- scratch that an undo forgets"),
        ("queues", "what queues allow: limits, lending, guarantees -- one function answers for all of them"),
        ("policy_hooks", "hooks of the policy and what they see -- a hook that fails undoes the cycle"),
        ("waits", "what can end a wait, what was refused, nominations, where the pass over the actions stands -- a wait names what can end it"),
        ("plan", "the plan as a copy with its own memory -- readable after the cluster's end"),
        ("rights", "which running work may stop for a waiting job: entitlements, shares, guarantees, quotas, the verdict on a task -- an answer follows from the columns and the victims of the transaction"),
        ("victims", "the search for victims: which tasks go so that a job fits -- charges what it looks at, stops at its budget"),
        ("cheapest", "the node on which a reclaim costs least, found in an index of running work -- finds what the search of all nodes finds, or nothing"),
        ("arrays", "an array that has its turn: its next element gets a job -- no transaction belongs to an array"),
        ("actions", "the calls that an action gets for a waiting job: the next job, checkpoints, place, plan, commit, and the evictions of a transaction -- every placement is checked against the columns"),
        ("evictions", "the calls that an action gets for evicting: begin and end a search for victims, try parked bundles in place, tell whether a job may evict, choose victims -- the engine chooses and protects, the action says when and for whom"),
        ("upkeep", "the calls that an action gets for running work alone: free whole nodes, empty nodes, end stale gangs, jobs beyond a limit and work that is not paid for -- kept as a whole or rolled back"),
        ("adopt", "the walk over the plan of a clone, which takes the place of the actions in a cycle -- a group is kept whole or rolled back"),
        ("exclusions", "which nodes and devices a job cannot use, counted by the rule that excludes them, in words -- reads only; each node counts under the first rule that excludes it"),
        ("resizes", "wanted resizes of running tasks, before the actions -- none gets room that a nomination waits for"),
        ("explain", "why a job waits, in words, and what the tables of a policy name in vain -- reads only, and describes the present state"),
        ("cycle", "one cycle from wake to plan: refresh, admission, which parked jobs are tried again, and the loop over the actions -- an error undoes the whole cycle"),
    ],
    "libsched/pack": [
        ("problem", "a packing problem, its memory and its interface to solvers -- validated once"),
        ("cost", "what a plan costs -- one function values every plan"),
        ("fit", "seeds, ruin and recreate for fixed times"),
        ("timed", "seeds, ruin and recreate for flexible times"),
        ("wave", "the prefix-wavefront programme and the exact mode -- states have one canonical form"),
        ("bound", "lower bounds -- derived again in integers"),
        ("solve", "runs the solvers in turns: memory, shares of work, the plan that they start from, best plan and bound -- a run in pieces equals one run"),
        ("judge", "the independent judge of plans -- shares no code with the solvers"),
    ],
    "libsched/forecast": [
        ("include", "the public headers forecast.h, sizing.h and slowdowns.h, which only this part has"),
        ("numbers", "decayed histograms with geometric buckets, short numbers -- no function of libm"),
        ("experts", "the forecasters of one series -- each learns from closed slots only"),
        ("series", "slots, the choice of experts, residuals, images -- one block of memory without pointers"),
        ("calls", "the functions of forecast.h for series -- a call applies whole or changes nothing"),
        ("durations", "what the runs of users took, and predictions from it -- the table is bounded"),
        ("sizing", "which size is enough for measured use, how to share a device, and the best static MIG layout -- a call keeps nothing"),
        ("slowdowns", "how much slower kinds of work run beside each other, from measured progress -- a call keeps nothing"),
    ],
    "libsched/speeds": [
        ("include", "the public header speeds.h, which only this part has"),
        ("lp", "a small linear programme -- its values are valid at any time"),
        ("shares", "arguments, classes of equal jobs, and the policies as linear programmes -- no job has less than alone"),
        ("calls", "the functions of speeds.h that divide time -- a call applies whole or changes nothing"),
        ("turns", "who runs where in a round -- no device is given twice"),
    ],
    "libsched/api": [
        ("door", "one door for every change: checks arguments, marks and names bad elements -- a call applies whole or changes nothing"),
        ("forms", "reads the caller's jobs, nodes and policies and says what is wrong in an element; reports/api_tasks.c checks imports and reports of tasks, reports/real_place.c the places that they name -- nothing is changed here"),
        ("dependencies", "reads what a job waits for before its first start: its begin, its expiry, other jobs -- jobs that would wait for each other are refused"),
        ("reservations", "the functions of the C ABI for reservations, and what these keep others from changing -- windows are set, and nothing stops for them"),
        ("arrays", "job arrays: reads whether a job is an array or an element, and the query about them -- an array never waits with the name of a job that exists"),
        ("reports", "the functions of the C ABI with which the orchestrator reports what happens to tasks and devices: starts, ends, losses, use by others -- what really runs is booked, also where it exceeds a limit"),
        ("calls", "the functions of the C ABI: the operations that go through the door, and the queries"),
        ("metrics", "the counters, one by one and as OpenMetrics text -- a text of any length needs no memory"),
        ("resizes", "the functions of the C ABI for resizes of running tasks -- the wish is stored, a cycle decides"),
        ("allowances", "the functions of the C ABI for allowances -- terms are set, and only a cycle stops what they end"),
        ("supplies", "the functions of the C ABI for supplies -- an amount is set, nothing stops for it"),
        ("what_if", "what the next cycle would do for one job, and which single change would start it -- nothing is left of a trial"),
    ],
    "libsched/algorithms": [
        ("support", "what several algorithms share: the walk of a gang, fragmentation, free time"),
        ("order", "algorithms that say which job of a queue comes first"),
        ("share_quota", "guarantees, quotas, water-filling"),
        ("share_drf", "dominant shares"),
        ("share", "cohort, fair tree, and queues in strict order"),
        ("place", "algorithms that score nodes"),
        ("act", "actions of a cycle: what is tried for the job that the engine hands out, and when victims are sought; engine/actions carries it out"),
        ("planning", "the actions that plan over time: packing (ts-dpbp) and backfill with reservations"),
    ],
    "libsched/config": [
        ("read", "YAML, fields, quantities, complaints -- an error names file, line and column"),
        ("objects", "nodes, queues, jobs of a scenario"),
        ("steps", "steps and expectations of a scenario"),
        ("run", "plays a scenario through the public header"),
    ],
    "lua": [
        ("front", "text, tokens, tree, names and settings of a policy -- knows no Lua state"),
        ("plain", "policies without hooks, read from the tree alone -- needs no LuaJIT"),
        ("state", "LuaJIT and the Lua state of one policy -- no policy runs here"),
        ("lift", "hooks that become programs over columns"),
        ("work", "the tables of a policy about kinds of work -- a number that is wrong has its place in the text"),
        ("host", "the policy in its bounds: environment, hooks, settings"),
        ("library", "the library that policies are written with, in Lua"),
        ("selector", "selectors of devices, the CEL subset"),
        ("absent", "what stands for state, host and selector in a build without Lua"),
    ],
    "cli": [
        ("support", "tables, JSON, words, options -- knows no command"),
        ("input", "files, archives, CSV, decimal numbers as integers"),
        ("policy", "policies: where they are found, how they are checked"),
        ("machine", "what a machine has: hwloc, topology text"),
        ("plan", "a plan as text and as JSON"),
        ("policy_test", "runs tests of policies: their Lua state, scenarios, assertions"),
        ("traces", "readers of traces"),
        ("replay", "clusters that play a trace"),
        ("compare", "plays one input under two policies and tells where the plans differ"),
        ("projects", "projects with precedence (RCPSP): their reader, two searches, and a check of schedules -- a bound follows from rules or from bounds on level 0"),
        ("reassign", "machine reassignment: its reader, an annealing search, a bound, the order of the moves, and a check of assignments -- every assignment that a search holds is feasible"),
        ("virtual", "a cluster that is played forward in virtual time -- every decision is carried out, every known run ends"),
        ("slurm_records", "files and outputs of Slurm as records, and the values that Slurm writes -- a record has no meaning yet"),
        ("slurm", "what the records of Slurm say of a site, and the image of the site as a scenario -- what cannot be understood is said with file and line"),
        ("packing", "packing problems, the MIG study, projects and machine reassignment as parts of `lsched pack`"),
        ("forecast", "samples of series, forecasts with a rolling origin compared with what came, and their report -- a forecast sees no later sample"),
        ("edit", "where values stand in the text of a scenario, changes of its entries, and unified diffs -- a form that is not known is an error, and all other bytes stay"),
        ("slowdowns", "rows of progress, and the table of slow-downs that follows from them, also as Lua text -- a bad row is an error with its line"),
        ("speeds", "tables of speeds, jobs that name their rows, rounds that are played, and their report -- a job cannot state a speed"),
        ("sizing", "what jobs used of their GPUs, the sizes that they need, and the static MIG layout for them -- a bad sample is an error with its line"),
        ("advise", "which nodes to add and to drain: a catalogue, trials on clones, a search over counts -- nothing is proposed that costs more than it saves"),
        ("commands", "the program and one file for each command"),
    ],
}
WITHOUT_ROOMS = ("libsched/base", "libsched/policy")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
# Files that stand in a layer itself, outside its rooms.
LOOSE = {"libsched/algorithms/builtin.c", "libsched/algorithms/builtin.h",
         "cli/CMakeLists.txt", "lua/README.md"}


def place_of(path):
    """(layer, room) of a path; room None outside of rooms, layer None outside of layers."""
    for layer in LAYERS:
        if path.startswith(layer + "/"):
            rest = path[len(layer) + 1:].split("/")
            return layer, rest[0] if len(rest) > 1 else None
    return None, None


def uses():
    """For each (layer, room), the rooms of the same layer whose headers its files include."""
    used = {}
    for path in tree.files(".c", ".h"):
        layer, room = place_of(path)
        if not room:
            continue
        for name in INCLUDE.findall(tree.read(path)):
            target = name if name.startswith(("lua/", "cli/")) else "libsched/" + name
            other, below = place_of(target)
            if other == layer and below and below != room and (path, target) not in UPWARD:
                used.setdefault((layer, room), set()).add(below)
    return used


def page():
    """The rooms as a part of docs/architecture.md: `python3 tests/checks/rooms.py` writes it anew.

    The page lists rooms from top to bottom, as the picture does.
    """
    lines = []
    used = uses()
    for layer, table in LAYERS.items():
        lines += ["", f"| {layer}/ | knows | always holds | uses |", "|---|---|---|---|"]
        for room, sentence in reversed(table):
            knows, _, holds = sentence.partition(" -- ")
            below = [name for name, _ in reversed(table) if name in used.get((layer, room), ())]
            lines.append(f"| {room} | {knows} | {holds} | {', '.join(below)} |")
    return "\n".join(lines).strip("\n") + "\n"


def what_it_is(path):
    """The first sentence of a file's head, after the name of the file; None if there is none.

    "see x.h" names the other file of the pair, which has a sentence of its own, and is left out. A
    remainder that begins with a capital is not about the file: "see x.h. Cost: ...".
    """
    comment = re.match(r"\s*/\*+(.*?)\*/", tree.read(path), re.S)
    text = re.sub(r"^\s*\* ?", "", comment.group(1), flags=re.M).strip() if comment else ""
    named = re.match(r"[\w./-]+ -- (.*)", re.sub(r"\s+", " ", text.split("\n\n")[0]))
    said = re.sub(r"^see [\w./-]+\.h(: |\.? |\.?$)", "", named.group(1)) if named else ""
    end = re.search(r"[.:](?= [A-Z]|$)", said)
    said = said[:end.start()] if end else said
    said = re.sub(r"; (see )?[\w./-]+\.h$", "", said)
    return None if said[:1].isupper() else said or None


def file_index():
    """Each pair of .c and .h, by room, with the first sentence of its head, for the same page."""
    lines = []
    folders = {layer: [room for room, _ in reversed(table)] for layer, table in LAYERS.items()}
    folders.update({layer: [""] for layer in WITHOUT_ROOMS})
    for layer, inside in folders.items():
        lines += ["", f"### Files of {layer}/", "", "| room | file | what it is |", "|---|---|---|"]
        for room in inside:
            stems = {}
            for path in tree.files(".c", ".h"):
                if os.path.dirname(path) == os.path.join(layer, room).rstrip("/"):
                    stems.setdefault(os.path.splitext(os.path.basename(path))[0], []).append(path)
            for stem, paths in sorted(stems.items()):
                heads = [what_it_is(path) for path in sorted(paths, reverse=True)]
                said = "; ".join(dict.fromkeys(filter(None, heads)))
                lines.append(f"| {room} | {stem} | {said.replace('|', chr(92) + '|')} |")
    return "\n".join(lines).strip("\n") + "\n"


def between(text, begins, inside, ends):
    before, rest = text.split(begins)
    return before + begins + inside + ends + rest.split(ends)[1]


def write_page(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = between(text, PAGE_BEGINS, page(), PAGE_ENDS)
    text = between(text, FILES_BEGIN, file_index(), FILES_END)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


# What is left of each rule, so that no new fault joins it. An entry that is no longer needed is a
# complaint, too: the lists only shrink.

# Circles of files of one layer that call each other.
CIRCLES = [
]
# Functions above the bound on complexity.
COMPLEX = set("""
""".split())
# Names that two files of the library give to a struct, a static function or a macro.
TWICE = set("""
""".split())
# Files that include or call a file of a room above.
UPWARD = set()

if __name__ == "__main__":
    write_page(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs",
                            "architecture.md"))
