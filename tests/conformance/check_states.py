"""check_states.py PROGRAM CASES_DIR: the project's own cases, which must come out exactly as they say.

Stricter than a judge that compares with another scheduler: every expected state and node must be as written, no more
tasks evicted in a cycle than the bound, nothing may flap, and every task must have some expectation. One difference is
a failure. Cases in rounds are played a second time by a host that keeps nominations: the outcome must be the same, but that
a task with a nomination counts as pending. Needs PyYAML; exit 77 (skipped) without it.
"""
import glob
import json
import os
import subprocess
import sys

try:
    import yaml
except ImportError:
    print("skipped: no PyYAML")
    sys.exit(77)


def expectations(case):
    """Name of the task and what is expected of it, None where the case says nothing."""
    for job in case["jobs"]:
        for i in range(len(job["tasks"])):
            name = f"{job['name']}-{i}"
            yield name, (case.get("expect_tasks", {}).get(name)
                         or case.get("expect_jobs", {}).get(job["name"]))


def complaints_of(case, result):
    if result is None:
        yield "was not played"
        return
    for name, want in expectations(case):
        got = result["tasks"].get(name)
        if want is None:
            yield f"{name}: the case expects nothing of it"
        elif got is None:
            yield f"{name}: expected {want}, got nothing"
        elif got["state"] != want["state"] or "node" in want and got["node"] != want["node"]:
            yield f"{name}: expected {want}, got {got}"
    named = {name for name, _ in expectations(case)} | {job["name"] for job in case["jobs"]}
    for name in [*case.get("expect_tasks", {}), *case.get("expect_jobs", {})]:
        if name not in named:
            yield f"{name}: expected, but there is no such task or job"
    bound = case.get("bounds", {}).get("evictions_at_most")
    if bound is None:
        yield "has no bound on evictions"
    elif result["evictions_per_cycle_max"] > bound:
        yield f"expected at most {bound} evictions in a cycle, got {result['evictions_per_cycle_max']}"
    if result["flapped"]:
        yield "flaps"


def play(*command):
    """Results by id, and whether all cases could be played."""
    played = subprocess.run(command, capture_output=True, text=True, check=False)
    sys.stderr.write(played.stderr)
    results = [json.loads(line) for line in played.stdout.splitlines()]
    return {result["id"]: result for result in results}, played.returncode == 0


def without_nominations(result):
    if result:
        for task in result["tasks"].values():
            if task["state"] == "nominated":
                task.update(state="pending", node=None)
    return result


def main(program, directory):
    results, ok = play(program, "--strict", directory)
    kept, kept_ok = play(program, "--strict", "--keep", directory)
    total, bad, seen = 0, 0, set()
    for path in sorted(glob.glob(os.path.join(directory, "*.yaml"))):
        with open(path, encoding="utf-8") as file:
            cases = yaml.safe_load(file)
        for case in cases:
            wrong = list(complaints_of(case, results.get(case["id"])))
            if case["mode"] == "rounds":
                wrong += [f"with kept nominations: {complaint}" for complaint in complaints_of(
                    case, without_nominations(kept.get(case["id"])))]
            if case["id"] in seen:
                wrong.append("the id is used twice")
            seen.add(case["id"])
            for complaint in wrong:
                print(f"{os.path.basename(path)}: {case['id']}: {complaint}")
            total += 1
            bad += bool(wrong)
    print(f"{total - bad} passed, {bad} failed")
    return 0 if ok and kept_ok and total > 0 and bad == 0 else 1


sys.exit(main(*sys.argv[1:3]))
