#!/usr/bin/env python3
"""Plants faults by a seed and counts how many the tests find.

  tests/mutation/plant_faults.py --seed 1 --faults 200 [--copy DIR] [--results FILE]

A fault is one line of engine/, model/, algorithms/ or pack/ that is wrong: an operator, a constant, a
condition, a call that is dropped, arguments that change places, or a raw write past the undo log
(fault_sites.py). A copy of the tree holds all faults at once, and a variable chooses one when a
process starts (fault_tree.py), so everything is built once. Then each test runs once without a
fault and notes which lines of faults it comes to, and how long it takes. A fault is judged only by
tests that come to its line, likely and quick ones first, one fault on each core, until one fails
(fault_tests.py). A fault that no test comes to has survived. Checks of the sources are asked first.

A fault that does not compile, or of which the compiler makes the same program, is none, and the next
of the seed takes its place. argued.txt lists faults that were seen to change nothing, with the
reason; the table counts them apart.

Results are appended to a file, one JSON object a line, and a run that is started again goes on: after
the last fault, and with the remaining tests where --seconds ended one. --again judges survivors anew,
after tests were added; the copy follows the tree. --list prints the faults and ends; --only N,N
judges these.

It is for nights and for hands: about ten minutes of building and reaching, and then about half a
minute a fault on two cores. Exit status 0 says that at least --least percent were found.
"""
import argparse
import json
import os
import pathlib
import sys
import threading

import fault_sites
import fault_tests
import fault_tree

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARGUED = pathlib.Path(__file__).resolve().with_name("argued.txt")
SPARE = 1.25  # faults planted for each one wanted: some do not compile or change nothing


def argued_faults():
    """(file, line as it is, line as it would be) -> why nothing changes."""
    found, entry = {}, []
    for line in ARGUED.read_text(encoding="utf-8").split("\n") if ARGUED.exists() else []:
        if line.startswith("#") or not line.strip():
            continue
        if not line.startswith((" ", "- ", "+ ")):
            entry = [line.strip()]
        elif line.startswith("  ") and len(entry) == 3:
            key = tuple(entry)
            found[key] = (found.get(key, "") + " " + line.strip()).strip()
        elif len(entry) < 3:
            entry.append(line[2:].strip())
    return found


def key_of(fault):
    return fault["file"], fault["was"].strip(), fault["now"].strip()


def faults_of(args, copy):
    """The faults of the seed; those of an earlier run of the same seed where there was one."""
    path = copy / f"planted-{args.seed}.json"
    faults = json.loads(path.read_text()) if path.exists() else []
    have = {(f["file"], f["line"], f["now"]) for f in faults}
    want = int(args.faults * SPARE) + 5
    if len(faults) < want:
        for name, number, kind, was, now in fault_sites.drawn(fault_sites.all_sites(ROOT), args.seed):
            if len(faults) >= want:
                break
            if (name, number + 1, now) not in have:
                faults.append({"id": len(faults) + 1, "file": name, "line": number + 1,
                               "kind": kind, "was": was, "now": now})
    return faults, path


def table(results, argued):
    """Prints the table and returns (found, all), without faults that change nothing."""
    rows = {}
    for r in results:
        state = "argued" if r["state"] != "killed" and key_of(r) in argued else r["state"]
        for key in (r["kind"], "all"):
            row = rows.setdefault(key, {"killed": 0, "argued": 0, "survived": 0})
            row[state if state in row else "survived"] += 1
    print(f"{'kind':<20} {'killed':>7} {'survived':>9} {'argued':>7} {'of':>5}")
    for kind in sorted(rows):
        row = rows[kind]
        print(f"{kind:<20} {row['killed']:>7} {row['survived']:>9} {row['argued']:>7} "
              f"{sum(row.values()):>5}")
    for r in results:
        if r["state"] != "killed":
            why = argued.get(key_of(r))
            print(f"{r['file']}:{r['line']}: fault {r['id']}: {r['kind']}: "
                  f"{'argued: ' + why if why else r['state']}"
                  f"\n  - {r['was'].strip()}\n  + {r['now'].strip()}")
    row = rows.get("all", {"killed": 0, "argued": 0, "survived": 0})
    return row["killed"], row["killed"] + row["survived"]


class Session:
    """Faults, what reaches them, and results so far."""

    def __init__(self, args, copy, tree, faults):
        self.args, self.tree, self.faults = args, tree, faults
        self.path = pathlib.Path(args.results or copy / f"results-{args.seed}.jsonl")
        self.lock = threading.Lock()
        self.argued = argued_faults()
        self.last = {}
        if self.path.exists():
            for line in self.path.read_text(encoding="utf-8").split("\n"):
                if line:
                    record = json.loads(line)
                    self.last[record["id"]] = record
        self.tests = fault_tests.list_tests(tree)
        reach = fault_tests.reach_table(self.tests, copy / f"reached-{args.seed}.json", args.jobs)
        bad = sorted(t.name for t in self.tests if reach[t.name]["state"] not in ("passed", "skipped"))
        print(f"{len(self.tests)} tests; left out, since they fail without a fault: "
              f"{', '.join(bad) or 'none'}", flush=True)
        self.near = {}
        for t in self.tests:
            entry = reach[t.name]
            t.seconds = entry["seconds"]
            for fault in entry["faults"] if entry["state"] == "passed" else []:
                self.near.setdefault(fault, []).append(t)

    def due(self):
        """Faults to judge, in the order of the seed, until enough are judged."""
        counted = 0
        for fault in self.faults:
            if counted >= self.args.faults and not self.args.only:
                return
            if fault_tree.fault_dropped(fault):
                continue
            old = self.last.get(fault["id"])
            if old and old["state"] == "same program":
                continue
            counted += 1
            if self.args.only:
                if str(fault["id"]) in self.args.only.split(","):
                    yield fault
            elif old is None or old["state"] == "survived in the time" or \
                    (self.args.again and old["state"] != "killed" and key_of(fault) not in self.argued):
                yield fault

    def judge(self, fault):
        old = self.last.get(fault["id"])
        passed = old.get("passed", []) if old and not self.args.again and not self.args.only else []
        tests = self.near.get(fault["id"], [])
        check = fault_tree.refused_by_check(ROOT, fault)
        state, by, passed, seconds = ("killed", check, [], 0.0) if check else \
            fault_tests.judge(fault, tests, passed, self.args.seconds)
        if state == "survived" and fault_tree.same_program(ROOT, self.tree, fault):
            state = "same program"
        record = {**fault, "state": state, "by": by, "reached_by": len(tests),
                  "seconds": round(seconds, 1)}
        if state == "survived in the time":
            record["passed"] = passed
        with self.lock:
            self.last[fault["id"]] = record
            with self.path.open("a", encoding="utf-8") as out:
                out.write(json.dumps(record) + "\n")
            print(f"{fault['id']:>4} {state:<20} {fault['file']}:{fault['line']} {fault['kind']} {by} "
                  f"{seconds:.0f} s, {len(tests)} tests come there", flush=True)

    def results(self):
        found = [self.last[f["id"]] for f in self.faults if f["id"] in self.last]
        return [r for r in found if r["state"] != "same program"][:self.args.faults]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--copy", default=str(ROOT / "build-mutation"))
    parser.add_argument("--results", default=None)
    parser.add_argument("--seconds", type=float, default=900, help="of tests for one fault")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--least", type=float, default=95, help="percent that must be found")
    parser.add_argument("--cmake", default="", help="more flags for cmake, such as a sanitizer")
    parser.add_argument("--again", action="store_true", help="judge survivors anew")
    parser.add_argument("--only", default="", help="numbers of faults to judge")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    copy = pathlib.Path(args.copy).resolve()
    faults, path = faults_of(args, copy)
    if args.list:
        for f in faults[:args.faults]:
            print(f"{f['id']}: {f['file']}:{f['line']}: {f['kind']}: {f['now'].strip()}")
        return 0
    tree = copy / "tree"
    fault_tree.plant(ROOT, tree, faults, args.cmake.split())
    path.write_text(json.dumps(faults, indent=0))
    dropped = [f for f in faults if fault_tree.fault_dropped(f)]
    print(f"{len(faults)} faults planted, {len(dropped)} dropped", flush=True)
    fault_tree.build(tree, args.jobs)
    session = Session(args, copy, tree, faults)
    # "the same program" takes a fault away, and the next of the seed comes
    while True:
        due = list(session.due())
        if not due:
            break
        fault_tests.in_parallel(args.jobs, session.judge, due)
        if args.again or args.only:
            break
        if all(session.last[f["id"]]["state"] != "same program" for f in due):
            break
    killed, total = table(session.results(), session.argued)
    print(f"found {killed} of {total}: {100 * killed / max(total, 1):.1f} %")
    return 0 if total and 100 * killed >= args.least * total else 1


if __name__ == "__main__":
    sys.exit(main())
