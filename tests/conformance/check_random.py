"""check_random.py PROGRAM [--shrink SEED] -- random cases, played cycle after cycle by a host that keeps nominations.

Of every seed: every plan passes the verifier, the library's tasks are where its decisions put them, and after some cycles
nothing moves any more. LSCHED_TEST_SEED sets where seeds begin, LSCHED_TEST_SCALE how many there are. --shrink drops
nodes, queues, jobs and tasks of a seed that fails for as long as it still fails, and prints what is left.
Cases are written as JSON, which is YAML.
"""
import copy
import json
import os
import subprocess
import sys
import tempfile

from random_cases import Case

SEEDS = 1000
UNTIL, AFTER = 30, 12


def play(program, cases):
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(directory, "random.yaml"), "w", encoding="utf-8") as file:
            json.dump(cases, file)
        played = subprocess.run([program, "--strict", "--keep", directory], capture_output=True,
                                text=True, check=False)
    flaps = [result["id"] for result in map(json.loads, played.stdout.splitlines())
             if result["flapped"]]
    return played, flaps


def fails(program, case):
    played, flaps = play(program, [case])
    return played.returncode != 0 or bool(flaps)


def smaller(case):
    """All cases with one thing less that nothing else of the case refers to."""
    on_nodes = {t.get("node") for j in case["jobs"] for t in j["tasks"]} | {
        name for j in case["jobs"] for t in j["tasks"] for name in t.get("only_nodes", [])}
    queues = {j["queue"] for j in case["jobs"]} | {q.get("parent") for q in case["queues"]}
    for key, kept in (("jobs", set()), ("nodes", on_nodes), ("queues", queues)):
        for i, element in enumerate(case[key]):
            if element["name"] not in kept and len(case[key]) > 1:
                less = copy.deepcopy(case)
                del less[key][i]
                yield less
    for j, job in enumerate(case["jobs"]):
        for i in range(len(job["tasks"])):
            if len(job["tasks"]) > 1:
                less = copy.deepcopy(case)
                del less["jobs"][j]["tasks"][i]
                yield less


def shrink(program, seed):
    case = Case(seed).form(UNTIL, AFTER)
    if not fails(program, case):
        print(f"seed {seed} does not fail")
        return
    while less := next((c for c in smaller(case) if fails(program, c)), None):
        case = less
    print(json.dumps([case], indent=1))


def main(program, *more):
    if more:
        shrink(program, int(more[1]))
        return 0
    first = int(os.environ.get("LSCHED_TEST_SEED", "1"))
    n = max(1, SEEDS * int(os.environ.get("LSCHED_TEST_SCALE", "100")) // 100)
    played, flaps = play(program, [Case(seed).form(UNTIL, AFTER) for seed in range(first, first + n)])
    sys.stderr.write(played.stderr)
    for name in flaps:
        print(f"{name}: cycles go on changing the state")
    print(f"seeds {first} to {first + n - 1}: {len(played.stdout.splitlines())} of {n} played, "
          f"{len(flaps)} flap")
    return 1 if flaps or played.returncode != 0 else 0


sys.exit(main(*sys.argv[1:]))
