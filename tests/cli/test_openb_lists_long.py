"""openb's 16 other task lists: what each policy leaves unallocated, beside what was published and what
nobody can get below. Draws the table of docs/placement.md.

The lists are read where they lie: LSCHED_SHARED_DIR/traces/openb (cmake -DLSCHED_SHARED_DIR=DIR); without
it the test is skipped. With --update the page gets the table anew.
"""
import csv
import gzip
import os
import sys
import unittest

from lsched_program import ProgramTest

SHARED = os.environ.get("LSCHED_SHARED_DIR", "")
TRACE = os.path.join(SHARED, "traces", "openb")
PAGE = os.path.join("docs", "placement.md")
MARKS = ("<!-- drawn by tests/cli/test_openb_lists_long.py -->\n", "<!-- drawn -->\n")
LISTS = ("cpu050", "cpu100", "cpu200", "cpu250", "gpushare40", "gpushare60", "gpushare80", "gpushare100",
         "gpuspec10", "gpuspec20", "gpuspec25", "gpuspec33", "multigpu20", "multigpu30", "multigpu40",
         "multigpu50")
POLICIES = ("best-fit", "fgd", "least-fragmentation")
SEEDS = 30  # of the published figures: 10
UPDATE = "--update" in sys.argv


def published():
    """Unallocated GPUs at 100 %, in percent, mean of 10 orders, by list and policy."""
    sums = {}
    path = os.path.join(TRACE, "fgd_reference", "analysis_allo_discrete.csv.gz")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            name = row["workload"].replace("openb_pod_list_", ""), row["sc_policy"]
            sums.setdefault(name, []).append(100 - float(row["100"]))
    return {(name, {"05-BestFit": "best-fit", "06-FGD": "fgd"}[policy]): sum(all_) / len(all_)
            for (name, policy), all_ in sums.items() if policy in ("05-BestFit", "06-FGD")}


def mean(numbers):
    numbers = list(numbers)
    return sum(numbers) / len(numbers)


def table(rows):
    out = ["| list | totals | pieces | `best-fit` | published | | `fgd` | published | "
           "| `least-fragmentation` | to `fgd`, published |\n", "|---" * 11 + "|\n"]
    for row in rows:
        best, fgd = row["best-fit"] - row["best-fit*"], row["fgd"] - row["fgd*"]
        own = row["least-fragmentation"]
        out.append(f"| {row['list']} | {row['totals']:.2f} | {row['pieces']:.2f} "
                   f"| {row['best-fit']:.2f} | {row['best-fit*']:.2f} | {best:+.2f} "
                   f"| {row['fgd']:.2f} | {row['fgd*']:.2f} | {fgd:+.2f} "
                   f"| {own:.2f} | {own - row['fgd*']:+.2f} |\n")
    return "".join(out)


@unittest.skipUnless(SHARED and os.path.isdir(TRACE),
                     "no task lists here (cmake -DLSCHED_SHARED_DIR=DIR names where they are)")
class Lists(ProgramTest):
    def tasks_of(self, name):
        path = os.path.join(TRACE, "pods", f"openb_pod_list_{name}.csv.gz")
        with gzip.open(path, "rt", encoding="utf-8") as file:
            lines = file.read().splitlines()
        if "gpu_spec" not in lines[0].split(","):  # lists in which no task asks for a model
            lines = [lines[0] + ",gpu_spec"] + [line + "," for line in lines[1:]]
        return self.write(f"{name}.csv", "\n".join(lines) + "\n")

    def measure(self, name):
        words = [word for policy in POLICIES for word in ("--policy", policy)]
        nodes = os.path.join(TRACE, "openb_node_list_gpu_node.csv")
        got = self.lsched_json("simulate", "openb", "--nodes", nodes, "--tasks", self.tasks_of(name),
                               "--seeds", str(SEEDS), *words)
        row = {"list": name, **got[0]["lower_bound_percent"]}
        for one in got:
            row[one["policy"]] = one["unallocated_gpu_percent"]["100"]["mean"]
        return row

    def test_the_table(self):
        reference = published()
        rows = [self.measure(name) for name in LISTS]
        for row in rows:
            for policy in ("best-fit", "fgd"):
                row[policy + "*"] = reference[row["list"], policy]
            self.assertAlmostEqual(row["best-fit"], row["best-fit*"], delta=0.3, msg=row)
            self.assertLessEqual(row["least-fragmentation"], row["fgd*"] + 1.2, msg=row)
            for policy in POLICIES:
                self.assertLessEqual(row["pieces"], row[policy], msg=row)
        near = [row for row in rows if abs(row["fgd"] - row["fgd*"]) <= 1.0]
        below = [row for row in rows if row["least-fragmentation"] < row["fgd*"]]
        self.assertGreaterEqual(len(near), 13)
        self.assertGreaterEqual(len(below), 12)
        means = {"list": "mean of 16"}
        for key in rows[0].keys() - {"list"}:
            means[key] = mean(row[key] for row in rows)
        self.assertLessEqual(means["least-fragmentation"], 6.45)
        self.compare_page(table(rows + [means]))

    def compare_page(self, drawn):
        with open(PAGE, encoding="utf-8") as file:
            text = file.read()
        begin = text.index(MARKS[0]) + len(MARKS[0])
        end = text.index(MARKS[1], begin)
        if UPDATE:
            with open(PAGE, "w", encoding="utf-8") as file:
                file.write(text[:begin] + drawn + text[end:])
            return
        self.assertEqual(text[begin:end], drawn, f"{PAGE} is not what is drawn; see --update")


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--update"])
