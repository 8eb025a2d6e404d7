"""check_orders.py RUNNER: the order in which nodes, queues, jobs and pools are told decides nothing.

Each scenario is played as it stands, and again with the items of its lists in other orders: turned
around, and shuffled by the scenario's name. Ties go by name, so plans and work units must be the
same, and what the scenario expects must still come. So every algorithm that some scenario uses is
asked. Lists are those of the text's form, items that begin with "- " at one indent, under the keys
below; what stands on one line in brackets is left as it is, and so is the order of work that runs
already. A scenario whose meaning is an order stands in KEPT, with the reason.
"""

import hashlib
import os
import random
import re
import shutil
import sys
import tempfile

import check_plans

KEYS = {"nodes", "queues", "children", "jobs", "pools", "submit"}

# Scenario -> why its order is a part of what it says.
EARLIER = "a dependency names a job that exists, or an earlier one of the list"
KEPT = {
    "tests/scenarios/S-array-end.yaml": EARLIER,
    "tests/scenarios/S-dependency.yaml": EARLIER,
    "tests/scenarios/S-dependency-circle.yaml": EARLIER,
    "tests/scenarios/S-dependency-never.yaml": EARLIER,
    "tests/scenarios/S-first-start.yaml": EARLIER,
}


def indent_of(line):
    return len(line) - len(line.lstrip(" "))


def items_of(lines, begin, indent):
    """Items of a list that begins at `begin`: their lines, and where the list ends."""
    items, i = [], begin
    while i < len(lines):
        line = lines[i]
        blank = not line.strip() or line.lstrip().startswith("#")
        if not blank and (indent_of(line) < indent or
                          (indent_of(line) == indent and not line.lstrip().startswith("- "))):
            break
        if not blank and indent_of(line) == indent:
            items.append([])
        if items:
            items[-1].append(line)
        else:
            items.append([line])
        i += 1
    return items, i


def imports_in_order(items, turned):
    """Work that was there before is reported one by one, and takes devices in that order."""
    was = [item for item in items if "running_on" in "".join(item)]
    kept = iter(was)
    return [next(kept) if item in was else item for item in turned]


def reordered(lines, turn):
    """The lines with the items of each list in the order that turn() gives them."""
    out, i = [], 0
    while i < len(lines):
        line = lines[i]
        out.append(line)
        i += 1
        m = re.match(r"( *(?:- )?)(\w+):\s*(?:#.*)?$", line)
        if not m or m.group(2) not in KEYS or i == len(lines):
            continue
        at = i
        while at < len(lines) and (not lines[at].strip() or lines[at].lstrip().startswith("#")):
            at += 1
        if at == len(lines) or not lines[at].lstrip().startswith("- ") or \
                indent_of(lines[at]) < len(m.group(1)) - (2 if "- " in m.group(1) else 0):
            continue
        out += lines[i:at]
        items, i = items_of(lines, at, indent_of(lines[at]))
        for item in imports_in_order(items, turn(items)):
            out += reordered_item(item, turn)
    return out


def reordered_item(item, turn):
    return item[:1] + reordered(item[1:], turn) if len(item) > 1 else item


def variants(path, text):
    chance = random.Random(hashlib.sha256(path.encode()).digest())

    def shuffled(items):
        items = list(items)
        chance.shuffle(items)
        return items

    for name, turn in (("turned around", lambda items: items[::-1]), ("shuffled", shuffled)):
        changed = "\n".join(reordered(text.split("\n"), turn))
        if changed != text:
            yield name, changed


def texts():
    for path in check_plans.scenarios():
        with open(os.path.join(check_plans.ROOT, path), encoding="utf-8") as file:
            yield path, file.read()


def played_as(runner, copies, path, text):
    """Plans and work of a text beside the files of the scenario's folder, which it may name."""
    folder = os.path.dirname(path) if path.endswith(".yaml") else ""
    copy = os.path.join(copies, folder.replace("/", "-") or "worlds")
    if folder and not os.path.isdir(copy):
        shutil.copytree(os.path.join(check_plans.ROOT, folder), copy,
                        ignore=shutil.ignore_patterns("*.yaml"))
    os.makedirs(copy, exist_ok=True)
    with open(os.path.join(copy, "order.yaml"), "w", encoding="utf-8") as file:
        file.write(text)
    return check_plans.plans_of(runner, file.name)


# Pipelines of the worlds below; each is played with moves_max, so the planner of moves is asked too.
PIPELINES = [
    ("allocate", "consolidate"), ("allocate", "reclaim", "preempt", "consolidate", "evict-stale-gangs"),
    ("drain", "evict-overdue", "allocate", "reclaim", "preempt"), ("ts-dpbp", "consolidate", "reclaim"), ("backfill", "consolidate", "reclaim"),
]
SHARES = ["quota", "fair-tree", "drf", "fifo"]
WORLD = """start: 2026-01-05T08:00Z
topology: [zone, rack]
policy:
  name: orders
  text: |
    return {{ api = 1, name = "orders", fair_share = "{share}", placement = "{place}", pipeline = {{ {pipeline} }} }}
nodes:
{nodes}
queues:
{queues}
jobs:
{jobs}
running:
{running}
events:
  - at: 1m
    schedule: {{moves_max: 6}}
  - at: 2m
    schedule: {{moves_max: 6}}
    submit:
{late}
  - at: 2h
    drain: [{drained}]
    schedule: {{moves_max: 40}}
  - at: 3h
    schedule: {{moves_max: 40}}
"""
PLACES = ["binpack", "spread", "best-fit", "first-fit", "least-fragmentation"]


def names_of(chance, letter, n):
    """Names whose order is not that of the list."""
    numbers = list(range(n))
    chance.shuffle(numbers)
    return [f"{letter}{number:03}" for number in numbers]


def job_of(chance, name, queues):
    tasks = chance.choice([
        "{gpu: 1, cpu: 1}", "{gpu: 2, cpu: 2}", "{gpu: 4, cpu: 2}", "{gpu: 8}", "{cpu: 3}", "{gpu: 0.5}",
        "{count: 4, gpu: 2}", "{count: 6, min: 2, gpu: 1}", "{count: 3, gpu: 8, topology: {required: rack}}",
        "{count: 8, gpu: 4, topology: {preferred: rack}}"])
    more = chance.choice(["", ", duration: 2h", ", time_limit: 1h", ", priority: 5", ""])
    return f"{{name: {name}, queue: {chance.choice(queues)}{more}, tasks: {tasks}}}"


def world(seed):
    """More nodes than any algorithm looks at in one go, more than half of them in use, many alike."""
    chance = random.Random(seed)
    n = 72 + chance.randrange(24)
    nodes, queues = names_of(chance, "n", n), names_of(chance, "q", 5)
    busy = chance.sample(nodes, n - 4)
    old, jobs = names_of(chance, "o", len(busy)), names_of(chance, "j", 30)
    return WORLD.format(
        share=chance.choice(SHARES), place=chance.choice(PLACES),
        pipeline=", ".join(f'"{name}"' for name in PIPELINES[seed % len(PIPELINES)]),
        nodes="\n".join(f"  - {{name: {name}, cpu: 16, gpus: 8, labels: {{zone: z{i % 2}, rack: r{i % 12}}}}}"
                        for i, name in enumerate(nodes)),
        queues="\n".join(f"  - {{name: {name}, quota: {{gpu: {chance.choice([40, 80, 200])}}}}}"
                         for name in queues),
        jobs="\n".join([f"  - {{name: {name}, queue: {chance.choice(queues)}, tasks: {{gpu: "
                        f"{chance.choice([1, 1, 2, 3, 4])}, cpu: 1}}}}" for name in old] +
                       [f"  - {job_of(chance, name, queues)}" for name in jobs[:20 if seed % 4 else 3]]),
        running="\n".join(f"  - {{task: {job}/0, node: {node}, since: -1h}}"
                          for job, node in zip(old, busy)),
        late="\n".join(f"      - {job_of(chance, name, queues)}" for name in jobs[20:]),
        drained=chance.choice(nodes))


def compare(runner, copies):
    wrong, played, scenarios = [], 0, 0
    scale = int(os.environ.get("LSCHED_TEST_SCALE") or 100)
    worlds = max(1, 16 * scale // 100)
    every = max(1, 75 // max(1, scale))  # the stage with sanitizers asks for a quarter
    for path, text in [*list(texts())[::every], *((f"world {seed}", world(seed)) for seed in range(worlds))]:
        want = played_as(runner, copies, path, text)
        if want == "none 0" and path.startswith("world"):
            wrong.append(f"{path} cannot be played")
        if want == "none 0" or path in KEPT:
            continue
        scenarios += 1
        for name, changed in variants(path, text):
            got = played_as(runner, copies, path, changed)
            played += 1
            if got != want:
                wrong.append(f"{path}: plans and work are {want}; with its lists {name}: {got}")
    print("\n".join(wrong))
    print(f"{scenarios} scenarios, {played} with other orders, {len(wrong)} with other plans or work")
    return 1 if wrong or played < scenarios else 0


def main():
    with tempfile.TemporaryDirectory() as copies:
        return compare(os.path.abspath(sys.argv[1]), copies)


if __name__ == "__main__":
    sys.exit(main())
