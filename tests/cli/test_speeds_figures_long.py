"""`lsched speeds` on the tables and job lists of Gavel, against the optimum that HiGHS finds for the same
linear programme, divisible and in rounds. Skipped without the Python package highspy or the traces."""
import csv
import glob
import json
import lzma
import os
import random
import sys

from lsched_program import ProgramTest, main

# scripts/python-env installs HiGHS
for folder in glob.glob(".cache/python-env/lib/python*/site-packages"):
    sys.path.append(folder)
try:
    import highspy
except ImportError:
    highspy = None

GAVEL = os.path.join(os.environ.get("LSCHED_SHARED_DIR") or "../shared", "traces/dl-sim-workloads/gavel")
MODELS = ("v100", "p100", "k80")
CLUSTERS = ((36, 36, 36), (24, 48, 96))
PRICES = (3.06, 1.46, 0.9)
POLICIES = ("max-min", "makespan", "cost")
ROUNDS, RESTART = 4000, 0.028  # rounds of 6 minutes, of which a start costs 10 s


def speeds_of(name):
    """(kind, devices) -> speed on each model, from a table of Gavel without co-location."""
    with lzma.open(f"{GAVEL}/{name}_throughputs.json.xz", "rt") as text:
        table = json.load(text)
    rows = {}
    for model in MODELS:
        for key, row in table[model].items():
            kind, devices = key[2:].rsplit(",", 1)
            rows.setdefault((kind.strip("'\""), int(devices.strip(" )"))), {})[model] = row["null"]
    return rows


def jobs_of(name, n, rows, devices):
    """n jobs of a list, with weights, that fit: (kind, devices, weight, work)."""
    draw = random.Random(n)
    with lzma.open(f"{GAVEL}/{name}.tsv.xz", "rt") as text:
        every = [line.rstrip("\n").split("\t") for line in text if line.strip()]
    picked = []
    while len(picked) < n:
        kind, steps, _, scale = draw.choice(every)[:4]
        speeds = rows.get((kind, int(scale)), {})
        if any(speeds.get(m, 0) > 0 and int(scale) <= devices[k] for k, m in enumerate(MODELS)):
            picked.append((kind, int(scale), draw.choice((1, 1, 2)), float(steps)))
    return picked


class Optimum:
    """The linear programme of a policy, built and solved here, with no code of the library."""

    def __init__(self, jobs, rows, devices):
        self.jobs, self.devices = jobs, devices
        # what the program reads: six decimals, rounded up
        self.speed = [[rows[kind, gang].get(m, 1.0) if gang <= devices[k] else 0
                       for k, m in enumerate(MODELS)] for kind, gang, _, _ in jobs]
        total = sum(weight for _, _, weight, _ in jobs)
        self.alone = []
        for (_, gang, weight, _), speed in zip(jobs, self.speed):
            left, rate = 1.0, 0.0
            for k in sorted(range(len(MODELS)), key=lambda k, s=speed: -s[k]):
                part = min(left, devices[k] * weight / total / gang) if speed[k] > 0 else 0
                left, rate = left - part, rate + part * speed[k]
            self.alone.append(rate)

    def best(self, policy):
        n, m = len(self.jobs), len(MODELS)
        lp = highspy.Highs()
        lp.setOptionValue("output_flag", False)
        level, infinite = n * m, highspy.kHighsInf
        for i in range(n):
            for k in range(m):
                lp.addVar(0, 1 if self.speed[i][k] > 0 else 0)
        lp.addVar(0, infinite)
        longest = max(job[3] / alone for job, alone in zip(self.jobs, self.alone))
        for i, (_, _, _, work) in enumerate(self.jobs):
            own = [i * m + k for k in range(m)]
            rate = [self.speed[i][k] / self.alone[i] for k in range(m)]
            lp.addRow(-infinite, 1, m, own, [1.0] * m)
            lp.addRow(1, infinite, m, own, rate)
            factor = {"max-min": 1.0, "makespan": work / self.alone[i] / longest, "cost": 0.0}[policy]
            lp.addRow(0, infinite, m + 1, own + [level], rate + [-factor])
        for k in range(m):
            lp.addRow(-infinite, self.devices[k], n, [i * m + k for i in range(n)],
                      [float(job[1]) for job in self.jobs])
        if policy == "cost":
            for i, job in enumerate(self.jobs):
                for k in range(m):
                    lp.changeColCost(i * m + k, PRICES[k] * job[1])
        else:
            lp.changeColCost(level, 1.0)
            lp.changeObjectiveSense(highspy.ObjSense.kMaximize)
        lp.run()
        value = lp.getInfo().objective_function_value
        return longest / value if policy == "makespan" else value


class Gavel(ProgramTest):
    def setUp(self):
        super().setUp()
        if highspy is None:
            self.skipTest("highspy is not installed (scripts/python-env)")
        if not os.path.isdir(GAVEL):
            self.skipTest(f"{GAVEL} is not there")

    def play(self, rows, jobs, devices, policy):
        table = [["kind", "devices", *MODELS]]
        table += [[*key, *(f"{speeds[m]:.6f}" if m in speeds else "" for m in MODELS)]
                  for key, speeds in rows.items()]
        lines = [["name", "kind", "devices", "weight", "work"]]
        lines += [[f"job-{i:04d}", *job] for i, job in enumerate(jobs)]
        for name, content in (("speeds.csv", table), ("jobs.csv", lines)):
            with open(os.path.join(self.directory, name), "w", newline="", encoding="utf-8") as out:
                csv.writer(out, lineterminator="\n").writerows(content)
        models, prices = (",".join(f"{m}={v}" for m, v in zip(MODELS, values))
                          for values in (devices, PRICES))
        return self.lsched_json("speeds", "--models", models, "--prices", prices, "--policy", policy,
                                "--rounds", str(ROUNDS), "--restart", str(RESTART),
                                os.path.join(self.directory, "speeds.csv"),
                                os.path.join(self.directory, "jobs.csv"))

    def check(self, optimum, policy, got):
        best = optimum.best(policy)
        key = {"max-min": "least", "makespan": "makespan", "cost": "cost"}[policy]
        found = got[key]
        off = found / best - 1
        self.assertLess(abs(off), 1e-5, f"{policy}: {found}, HiGHS {best}")
        played = min(job["played"] / job["throughput"] for job in got["jobs"])
        for job, alone in zip(got["jobs"], optimum.alone):
            self.assertAlmostEqual(job["alone"] / alone, 1, delta=1e-4)
            self.assertGreaterEqual(job["throughput"], job["alone"] * (1 - 1e-5))
        if policy == "max-min":
            rounds = got["rounds"]["least"] / best
        elif policy == "makespan":
            rounds = best / max(job[3] / g["played"] for job, g in zip(optimum.jobs, got["jobs"]))
        else:
            rounds = played
        return off, rounds, played, got["rounds"]["starts"]

    def test_divisible_and_in_rounds(self):
        print("table, list, devices, jobs, policy: off the optimum; in rounds, part of it; the job that "
              "got the least part of its share; starts of a job")
        parts = []
        for table, name in (("simulation", "msr_seed0_6214e9"), ("physical_cluster", "msr_seed0_ee9e8c")):
            rows = speeds_of(table)
            for devices in CLUSTERS:
                for n in (100, 200, 400):
                    jobs = jobs_of(name, n, rows, devices)
                    optimum = Optimum(jobs, rows, devices)
                    for policy in POLICIES:
                        off, rounds, played, starts = self.check(optimum, policy,
                                                                 self.play(rows, jobs, devices, policy))
                        print(f"{table}, {name}, {devices}, {n}, {policy}: {off:+.1e}; {rounds:.4f}; "
                              f"{played:.4f}; {starts / n:.1f}", flush=True)
                        self.assertGreaterEqual(rounds, 0.975)
                        parts.append(rounds)
        self.assertGreaterEqual(sum(parts) / len(parts), 0.985)
        self.assertGreaterEqual(sum(part >= 0.98 for part in parts), len(parts) - 2)


main()
