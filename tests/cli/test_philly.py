"""lsched simulate philly on lists small enough to compute by hand: 16 GPUs on two nodes, two VCs
with 8 GPUs each."""
import csv
import json
import re

from lsched_program import ProgramTest, main

HEAD = "timestamp,duration,num_gpus,gpu_time,cluster\n"
VCS = "vc,node num\na,1\nb,1\n"
HOUR = 3600


def row(at, duration, gpus, vc):
    return (f"2026-01-05 {at // HOUR:02}:{at // 60 % 60:02}:{at % 60:02},{duration},{gpus},"
            f"{duration * gpus},{vc}\n")


class Philly(ProgramTest):
    NODES = ("--gpus-per-node", "8")

    def replay(self, jobs, *more, vcs=VCS, gpus=16, policy="drf"):
        path = self.write("jobs.csv", HEAD + "".join(row(*job) for job in jobs))
        if vcs:
            self.write("philly_vc.csv", vcs)
        nodes = () if "--gpus-per-node" in more else self.NODES
        return self.lsched_json("simulate", "philly", path, "--policy", policy, "--verify",
                                "--gpus", str(gpus), *nodes, *more)


class Preemptive(Philly):
    """srtf, srsf and las on one pool, against the rule itself: at each event the jobs are taken in the order of their
    rank, and each that still fits runs."""
    NODES = ()
    RANKS = {"srtf": lambda left, ran, gpus: left, "srsf": lambda left, ran, gpus: left * gpus,
             "las": lambda left, ran, gpus: ran * gpus}

    @staticmethod
    def greedy(jobs, gpus, rank):
        left, ran, done, runs, now = [job[1] for job in jobs], [0] * len(jobs), {}, [], 0
        while len(done) < len(jobs):
            here = [i for i in range(len(jobs)) if jobs[i][0] <= now and i not in done]
            # no job stops for one of equal rank
            order = sorted(here, key=lambda i: (rank(left[i], ran[i], jobs[i][2]), i not in runs, i))
            free, runs = gpus, []
            for i in order:
                if jobs[i][2] <= free:
                    free -= jobs[i][2]
                    runs.append(i)
            times = [left[i] for i in runs] + [job[0] - now for job in jobs if job[0] > now]
            now += min(times)
            for i in runs:
                left[i] -= min(times)
                ran[i] += min(times)
                if left[i] == 0:
                    done[i] = now
        return sum(done[i] - jobs[i][0] for i in done) / len(jobs)

    def test_the_order_of_ranks_decides_who_runs(self):
        jobs = [(0, 100, 8, "a"), (10, 20, 12, "a"), (15, 40, 4, "a"), (30, 5, 16, "a"), (31, 200, 2, "a"), (32, 7, 3, "a"),
                (90, 60, 6, "a"), (91, 3, 16, "a"), (140, 33, 9, "a"), (141, 32, 9, "a")]
        for policy, rank in self.RANKS.items():
            with self.subTest(policy=policy):
                got = self.replay(jobs, "--queues", "one", vcs=None, policy=policy)
                self.assertAlmostEqual(got["mean_jct_s"], self.greedy(jobs, 16, rank), places=3)
                self.assertEqual(got["lost_gpu_hours"], 0)
                self.assertGreater(got["evictions"], 0)


class Sharing(Philly):
    JOBS = ((0, 100, 8, "a"), (10, 30, 1, "a"), (20, 50, 8, "b"))

    def test_a_static_partition(self):
        # The second of a waits for the first, 90 s; b has its own node.
        got = self.replay(self.JOBS, "--static-partition")
        self.assertEqual(got["wait_s"], {"mean": 30, "p50": 0, "p95": 90, "max": 90})
        self.assertEqual(got["jct_s"], {"mean": 90, "p50": 100, "p95": 120, "max": 120})
        self.assertEqual(got["end"], "2026-01-05T00:02:10Z")
        # 20 s from the first to the last submission: 8 of 16 GPUs; one could be filled for 10 s
        self.assertEqual(got["utilization_percent"], 50)
        self.assertEqual(got["idle_percent"], 50)
        self.assertEqual(got["avoidable_idle_percent"], 3.125)
        self.assertEqual(got["guaranteed_head_wait_max_s"], 0)

    def test_sharing(self):
        # a takes of b's node, so b waits until that is whole again, at 40 s.
        got = self.replay(self.JOBS)
        self.assertEqual(got["wait_s"], {"mean": 6.667, "p50": 0, "p95": 20, "max": 20})
        self.assertEqual(got["utilization_percent"], round(100 * (8 * 20 + 10) / 320, 4))
        self.assertEqual(got["avoidable_idle_percent"], 0)
        self.assertEqual(got["guaranteed_head_wait_max_s"], 20)
        self.assertEqual((got["evictions"], got["moves"], got["lost_percent"]), (0, 0, 0))
        self.assertAlmostEqual(got["gpu_hours"], (800 + 30 + 400) / HOUR, places=3)

    def test_departures_come_before_arrivals_of_the_same_instant(self):
        got = self.replay(((0, 20, 8, "a"), (0, 20, 8, "a"), (20, 5, 8, "b")))
        self.assertEqual(got["wait_s"]["max"], 0)

    def test_both_arms_in_one_run(self):
        both = self.replay(self.JOBS, "--compare-static")["policies"]
        static = self.replay(self.JOBS, "--static-partition")
        shared = self.replay(self.JOBS)
        for arm in (*both, static, shared):
            del arm["library_s"]
        self.assertEqual(both, [static, shared])
        self.assertEqual([arm["static_partition"] for arm in both], [True, False])

    def test_a_row_for_each_job_of_each_arm(self):
        path = self.write("rows.csv", "")
        self.replay(self.JOBS, "--compare-static", "--per-job", path)
        with open(path, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["policy"] for row in rows], ["static partition"] * 3 + ["drf"] * 3)
        self.assertEqual([float(row["submit_s"]) for row in rows], [0, 10, 20] * 2)
        self.assertEqual([float(row["wait_s"]) for row in rows], [0, 90, 0, 0, 0, 20])
        self.assertEqual({row["outcome"] for row in rows}, {"ended"})

    def test_a_parameter_for_every_policy(self):
        jobs = ((0, 100, 8, "a"), (1, 100, 16, "a"), (2, 10, 8, "a"), (3, 200, 8, "a"))
        words = ("--queues", "one", "--policy", "easy")
        one, two = self.replay(jobs, *words, vcs=None, policy="fcfs")["policies"]
        self.assertEqual([one["wait_s"]["max"], two["wait_s"]["max"]], [198, 197])
        one, two = self.replay(jobs, *words, "--param", "backfill_order=0", vcs=None,
                               policy="fcfs")["policies"]
        self.assertEqual(one["plans_hash"], two["plans_hash"])

    def test_wrong_words_for_parameters_and_rows(self):
        path = self.write("jobs.csv", HEAD + row(0, 1, 1, "a"))
        words = ("simulate", "philly", path, "--queues", "one", "--policy", "fcfs", "--param")
        self.assertIn("the policy has no parameter 'nothing'",
                      self.lsched(*words, "nothing=1", expect=3)[1])
        for value in ("7", "-1", "0.5", "no"):
            err = self.lsched(*words, "backfill_order=" + value, expect=3)[1]
            self.assertIn("backfill_order", err)
        self.assertIn("fcfs: the parameter backfill_order is 7; the action 'backfill' takes a whole number from 0 to 2",
                      self.lsched(*words, "backfill_order=7", expect=3)[1])
        self.assertIn("--policy fcfs needs --queues one",
                      self.lsched("simulate", "philly", path, "--policy", "fcfs", expect=2)[1])
        for rows, text in (("-", "the name of a file, got '-'"), (path, "expected another file than those that are read")):
            self.assertIn(text, self.lsched(*words[:-1], "--per-job", rows, expect=2)[1])
        self.assertIn("--param: expected NAME=VALUE, got 'nothing'",
                      self.lsched(*words, "nothing", expect=2)[1])

    def test_a_window_of_days(self):
        # 8 GPUs through day 0, nobody in the first half of day 1, then 16.
        noon = 86400 + 43200
        jobs = HEAD + "".join((row(0, 86400, 8, "a"),
                               "2026-01-06 12:00:00,86400,16,1382400,a\n",
                               "2026-01-07 12:00:00,1,1,1,b\n"))
        got = self.lsched_json("simulate", "philly", self.write("j.csv", jobs), "--policy", "drf",
                               "--gpus", "16", *self.NODES,
                               "--vc", self.write("v.csv", "vc,node num\na,2\n"),
                               "--window-days", "1:2")
        self.assertEqual(got["window"], {"from_day": 1, "to_day": 2, "utilization_percent": 50,
                                         "idle_percent": 50, "avoidable_idle_percent": 0})
        self.assertEqual(got["utilization_percent"],
                         round(100 * (8 * 86400 + 16 * 86400) / (16 * (noon + 86400)), 4))
        self.assertEqual(got["dropped"], 1)

    def test_a_window_after_the_last_submission(self):
        jobs = self.write("j.csv", HEAD + row(0, 86400, 8, "a") + "2026-01-07 12:00:00,1,1,1,b\n")
        words = ("simulate", "philly", jobs, "--policy", "drf", "--gpus", "16", *self.NODES,
                 "--vc", self.write("v.csv", "vc,node num\na,2\n"), "--window-days")
        self.lsched_json(*words, "2:9")
        self.assertIn("--window-days 3:9 begins after the last submission, which is in day 2",
                      self.complaint(3, *words, "3:9"))

    def test_fairness_is_the_part_that_each_vc_was_served(self):
        # until the last submission, at 100 s, b had 100 s of the 250 s that it asked for
        got = self.replay(((0, 100, 8, "a"), (0, 200, 8, "b"), (50, 50, 8, "b"), (100, 1, 8, "a")),
                          "--static-partition")
        served = {vc["name"]: vc["served_gpu_hours"] for vc in got["vcs"]}
        self.assertAlmostEqual(served["a"], 800 / HOUR, places=3)
        self.assertAlmostEqual(served["b"], 800 / HOUR, places=3)
        a, b = 100 / 101, 100 / 250
        self.assertAlmostEqual(got["jain_served"], (a + b) ** 2 / (2 * (a * a + b * b)), places=4)


class Quotas(Philly):
    def test_nodes_rounded_down_and_the_rest_in_order_of_names(self):
        # 5 GPUs for each third of 16, one is left and goes to the first name
        got = self.replay(((0, 1, 5, "z"), (1, 1, 6, "m"), (2, 1, 6, "b"), (3, 1, 1, "none")),
                          vcs="vc,node num\nz,3\nm,3\nb,3\nempty,0\n")
        self.assertEqual({vc["name"]: vc["quota_gpus"] for vc in got["vcs"]},
                         {"b": 6, "empty": 0, "m": 5, "none": 0, "z": 5})
        # m asks for more than its quota, "none" has no nodes
        self.assertEqual((got["list_jobs"], got["jobs"], got["dropped"]), (4, 2, 2))
        self.assertEqual([vc["dropped"] for vc in got["vcs"]], [0, 0, 1, 1, 0])

    def test_one_queue_has_none(self):
        got = self.replay(((0, 9, 16, "a"), (1, 9, 17, "b"), (2, 9, 1, "c")), "--queues", "one",
                          vcs=None)
        self.assertEqual((got["jobs"], got["dropped"]), (2, 1))
        self.assertEqual(got["wait_s"]["max"], 7)
        self.assertIsNone(got["guaranteed_head_wait_max_s"])
        self.assertEqual({vc["quota_gpus"] for vc in got["vcs"]}, {None})


class Order(Philly):
    JOBS = ((0, 100, 4, "a"), (1, 50, 8, "a"), (2, 10, 4, "a"))

    def test_nobody_passes_the_first_of_a_queue(self):
        got = self.replay(self.JOBS, "--static-partition")
        self.assertEqual([got["wait_s"][of] for of in ("p50", "max")], [99, 148])

    def test_with_overtake_what_fits_goes_first(self):
        got = self.replay(self.JOBS, "--static-partition", "--overtake")
        self.assertEqual([got["wait_s"][of] for of in ("p50", "max")], [0, 99])

    def test_equal_times_go_by_row_and_rows_need_not_be_sorted(self):
        one = self.replay(((5, 7, 8, "a"), (5, 1, 8, "a"), (0, 5, 8, "a")), "--static-partition")
        self.assertEqual(one["wait_s"], {"mean": 2.333, "p50": 0, "p95": 7, "max": 7})


class Output(Philly):
    def test_keys_are_those_of_the_documentation_in_their_order(self):
        with open("docs/simulate-philly.md", encoding="utf-8") as page:
            shown = json.loads(re.search(r"```json\n(.*?)```", page.read(), re.S)[1])
        got = self.replay(((0, 1, 1, "a"), (5, 1, 1, "b")), "--window-days", "0:1")
        self.assertEqual(list(got), list(shown))
        for key in ("wait_s", "jct_s", "window"):
            self.assertEqual(list(got[key]), list(shown[key]))
        self.assertEqual(list(got["vcs"][0]), list(shown["vcs"][0]))

    def some(self, *words):
        """The first 1,500 jobs of the example."""
        with open("examples/philly/jobs.csv", encoding="ascii") as jobs:
            path = self.write("some.csv", "".join(jobs.readlines()[:1501]))
        return ["simulate", "philly", path, "--vc", "examples/philly/philly_vc.csv", "--gpus",
                "256", *words]

    def test_two_runs_decide_the_same(self):
        words = self.some("--policy", "guaranteed-quota", "--verify")
        one, two = self.lsched_json(*words), self.lsched_json(*words)
        del one["library_s"], two["library_s"]
        self.assertEqual(one, two)
        self.assertGreater(one["evictions"], 0)

    def test_the_table_has_a_column_for_each_arm(self):
        out, err = self.lsched(*self.some("--policy", "fifo", "--compare-static"))
        self.assertEqual(err, "")  # no progress bar without a terminal
        self.assertIn("1500 jobs of 11 VCs, 2017-10-22 to 2017-10-", out)
        self.assertRegex(out, r"\n +static partition +fifo\n")
        self.assertRegex(out, r"\nGPUs idle, % +\d+\.\d +\d+\.\d\n")
        self.assertLessEqual(max(map(len, out.splitlines())), 80)

    def test_progress_goes_to_stderr_when_asked_for(self):
        _, err = self.lsched(*self.some("--policy", "fifo", "--progress"))
        self.assertIn("100 %  fifo\n", err)

    def test_a_policy_may_be_a_file_and_its_errors_have_a_line(self):
        jobs = ((0, 1, 1, "a"), (5, 1, 1, "b"))
        good = self.write("good.lua", 'return { api = 1, name = "mine", fair_share = "drf" }\n')
        self.assertEqual(self.replay(jobs, policy=good)["policy"], good)
        bad = self.write("bad.lua", "return {\n  plaicement = 3 }\n")
        err = self.complaint(3, "simulate", "philly", self.directory + "/jobs.csv", "--policy", bad)
        self.assertTrue(err.startswith(bad + ":2:"), err)


class Gangs(Philly):
    def test_twelve_gpus_are_a_node_and_four(self):
        # beside 4 + 8 another 4 fit, and nothing more
        vcs = "vc,node num\na,1\n"
        got = self.replay(((0, 100, 12, "a"), (1, 10, 4, "a"), (2, 10, 1, "a")), vcs=vcs)
        self.assertEqual(got["wait_s"], {"mean": 3, "p50": 0, "p95": 9, "max": 9})

    def test_nodes_of_one_gpu_are_a_pool(self):
        # 13 of 16 GPUs are taken by 12 + 1; the job of 3 fits in what is left anywhere
        vcs = "vc,node num\na,1\n"
        jobs = ((0, 100, 12, "a"), (0, 100, 1, "a"), (1, 10, 3, "a"), (2, 10, 16, "a"))
        got = self.replay(jobs, "--gpus-per-node", "1", vcs=vcs)
        self.assertEqual([got["wait_s"][of] for of in ("p50", "max")], [0, 98])

    def test_a_gang_starts_whole_or_not_at_all(self):
        vcs = "vc,node num\na,1\n"
        got = self.replay(((0, 10, 1, "a"), (1, 5, 16, "a")), vcs=vcs)
        self.assertEqual(got["wait_s"]["max"], 9)
        self.assertEqual(got["avoidable_idle_percent"], 0)


main()
