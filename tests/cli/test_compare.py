"""lsched compare on traces small enough to compute by hand, on the shipped ones, and on input that is wrong."""
import gzip
import json
import random

from first_come import first_come
from lsched_program import NODES, ProgramTest, main

HEAD = "; Version: 2.2\n; UnixStartTime: 1767571200\n; MaxNodes: 4\n; MaxProcs: 4\n; Queue: 1 batch\n"
PICKY = 'return {{ api = 1, name = "picky", {} }}\n'


def job(number, submit, run, procs, asked=-1, user=1, queue=1):
    return f"{number} {submit} -1 {run} {procs} -1 -1 {procs} {asked} -1 1 {user} 1 -1 {queue} -1 -1 -1\n"


# The first fills the cluster until 100; then a long one of user 1 and a short one of user 2 want all of it.
LOG = HEAD + job(1, 0, 100, 4, 100) + job(2, 1, 1000, 4, 1000) + job(3, 2, 10, 4, 10, user=2)


class Compare(ProgramTest):
    def compare(self, a, b, trace, *more):
        return self.lsched_json("compare", a, b, trace, *more)

    def log(self, text=LOG, name="log.swf"):
        return self.write(name, text)

    def policy(self, body, name="picky.lua"):
        return self.write(name, PICKY.format(body))


class Logs(Compare):
    def test_measures_by_hand(self):
        got = self.compare("fifo", "shortest-first", self.log())
        measures = got["measures"]
        self.assertEqual(got["trace_kind"], "swf")
        # first come: 0, 100, 1100; the shortest: 0, 110, 100
        self.assertEqual(measures["wait_mean_s"], {"a": (99 + 1098) / 3, "b": (109 + 98) / 3})
        self.assertEqual(measures["wait_median_s"], {"a": 99, "b": 98})
        self.assertEqual(measures["wait_max_s"], {"a": 1098, "b": 109})
        slow_a, slow_b = [1, 1099 / 1000, 1108 / 10], [1, 1109 / 1000, 108 / 10]
        self.assertEqual(measures["slowdown_mean"],
                         {"a": round(sum(slow_a) / 3, 4), "b": round(sum(slow_b) / 3, 4)})
        self.assertEqual(measures["slowdown_p95"], {"a": 110.8, "b": 10.8})
        self.assertEqual(measures["utilization_percent"], {"a": 100, "b": 100})
        self.assertEqual(measures["end_s"], {"a": 1110, "b": 1110})
        user = (1 + 1.099) / 2
        self.assertEqual(measures["jain_slowdown_users"]["a"],
                         round((user + 110.8) ** 2 / (2 * (user ** 2 + 110.8 ** 2)), 4))
        self.assertEqual(measures["unfinished"], {"a": 0, "b": 0})
        self.assertNotIn("jain_slowdown_queues", measures)  # there is one queue

    def test_where_plans_differ_and_for_whom(self):
        got = self.compare("fifo", "shortest-first", self.log())
        first = got["first_difference"]
        self.assertEqual((first["at"], first["jobs_differ"]), ("2026-01-05T00:01:40Z", 2))
        self.assertEqual(first["jobs"], [
            {"job": "2", "a": "starts on node-[00000-00003]", "b": "-"},
            {"job": "3", "a": "-", "b": "starts on node-[00000-00003]"}])
        self.assertEqual((got["jobs_compared"], got["jobs_differ"]), (3, 2))
        self.assertEqual([(j["job"], j["wait_s_a"], j["wait_s_b"]) for j in got["jobs"]],
                         [("3", 1098, 98), ("2", 99, 109)])
        least = self.compare("fifo", "shortest-first", self.log(), "--show", "1")
        self.assertEqual([j["job"] for j in least["jobs"]], ["3"])
        self.assertEqual((least["jobs_differ"], len(least["first_difference"]["jobs"])), (2, 1))

    def test_one_policy_twice(self):
        got = self.compare("fifo", "fifo", self.log())
        self.assertIsNone(got["first_difference"])
        self.assertEqual((got["jobs"], got["a"]), ([], got["b"] | {"policy": "fifo"}))
        out, _ = self.lsched("compare", "fifo", "fifo", self.log())
        self.assertIn("The plans are the same", out)

    def test_the_same_every_time_and_from_a_pipe(self):
        words = ("compare", "fifo", "shortest-first", "examples/swf", "--json")
        once, _ = self.lsched(*words)
        self.assertEqual(once, self.lsched(*words)[0])
        piped, _ = self.lsched("compare", "fifo", "shortest-first", "-", "--json", stdin=LOG)
        filed, _ = self.lsched("compare", "fifo", "shortest-first", self.log(), "--json")
        self.assertEqual(json.loads(piped) | {"trace": ""}, json.loads(filed) | {"trace": ""})

    def test_the_true_run_time_instead_of_the_estimate(self):
        # its owner asks for far more than it needs
        log = self.log(HEAD + job(1, 0, 100, 4) + job(2, 1, 50, 4, 60) + job(3, 2, 10, 4, 9000))
        self.assertEqual(self.compare("fifo", "shortest-first", log)["jobs_differ"], 0)
        self.assertEqual(self.compare("fifo", "shortest-first", log, "--known-durations")["jobs_differ"], 2)

    def test_jobs_that_never_ran_and_queues_without_names(self):
        log = self.log(HEAD + job(1, 0, -1, 4) + job(2, 0, 5, -1) + job(3, 0, 60, 1, queue=7) +
                       job(4, 5, 60, 4, queue=-1) + job(5, 6, 60, 4, queue=1))
        got = self.compare("fifo", "shortest-first", log)
        self.assertEqual(got["jobs_compared"], 3)
        out, _ = self.lsched("compare", "fifo", "fifo", log)
        self.assertIn("3 jobs", out)
        self.assertIn("3 queues", out)

    def test_records_of_jobs_that_never_ran_are_dropped_before_they_are_checked(self):
        # as the archive publishes them: -1 everywhere
        never = "7 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n8 5 -1 0 9999999 -1 -1 -1 -1 -1 5 -1 -1 -1 -1 -1 -1 -1\n"
        plain, log = self.log(), self.log(LOG + never + job(9, -5, 0, 4), "never.swf")
        got = self.compare("fifo", "shortest-first", log)
        self.assertEqual((got["jobs_never_ran"], got["jobs_with_repeated_number"]), (3, 0))
        self.assertEqual(got["a"], self.compare("fifo", "shortest-first", plain)["a"])
        out, _ = self.lsched("compare", "fifo", "fifo", log)
        self.assertIn("\n3 jobs never ran and are left out\n", out)
        out, _ = self.lsched("compare", "fifo", "fifo", plain)
        self.assertNotIn("never ran", out)

    def test_numbers_that_come_twice_are_told(self):
        log = self.log(LOG + job(3, 3, 10, 4) + job(2, 3, 10, 4) + job(3, 4, 5, 1) + job(-1, 4, 5, 1) + job(-1, 4, 5, 1))
        self.assertEqual(self.compare("fifo", "fifo", log)["jobs_with_repeated_number"], 3)
        out, _ = self.lsched("compare", "fifo", "fifo", log)
        self.assertIn("\n3 jobs have the number of an earlier job; the first such number is 2\n", out)

    def test_a_policy_by_durations_on_a_trace_without_them(self):
        said = "by job.duration, which this trace does not tell it; --known-durations does"
        bare = self.log(HEAD + job(1, 0, 100, 4) + job(2, 1, 1000, 4), "bare.swf")
        by_hook = self.policy("priority = function(job) return -job.duration end")
        for policy in ("shortest-first", by_hook, self.policy("order = 'shortest-first'", "order.lua")):
            _, err = self.lsched("compare", "fifo", policy, bare)
            self.assertEqual(err, f"lsched: warning: {policy} decides {said}\n")
            _, err = self.lsched("compare", "fifo", policy, bare, "--known-durations")
            self.assertEqual(err, "")
            _, err = self.lsched("compare", "fifo", policy, self.log())
            self.assertEqual(err, "")
        self.assertEqual(self.lsched("compare", "fifo", "drf", bare)[1], "")

    def test_queues_by_user(self):
        got = self.compare("fifo", "fifo", self.log(), "--queues", "by-user")
        self.assertEqual(got["measures"]["jain_slowdown_queues"], got["measures"]["jain_slowdown_users"])
        self.assertNotIn("jain_slowdown_queues",
                         self.compare("fifo", "fifo", self.log(), "--queues", "one")["measures"])

    def test_a_part_of_the_list(self):
        self.assertEqual(self.compare("fifo", "fifo", self.log(), "--jobs", "2")["jobs_compared"], 2)
        log = self.log(LOG + job(4, 86400 * 3, 10, 1))
        self.assertEqual(self.compare("fifo", "fifo", log, "--window-days", "3:4")["jobs_compared"], 1)

    def test_jobs_that_nobody_lets_in_are_unfinished(self):
        closed = self.policy("admit = function(job, queue) return queue.name ~= job.name and job.gpu > 99 end")
        got = self.compare("fifo", closed, self.log())
        self.assertEqual(got["measures"]["unfinished"], {"a": 0, "b": 3})
        self.assertEqual(got["jobs"][0]["wait_s_b"], None)
        out, _ = self.lsched("compare", "fifo", closed, self.log())
        self.assertIn("never started", out)

    def test_parameters_of_a_side(self):
        by_size = self.policy("params = { sign = 1 }, "
                              "priority = function(job) return params.sign * job.duration end")
        got = self.compare(by_size, by_size, self.log(), "--param-b", "sign=-1")
        self.assertEqual([j["job"] for j in got["jobs"]], ["3", "2"])

    def test_a_gang_that_starts_with_fewer_gets_on_in_proportion(self):
        # the second runs on 2 of 4 processors for 100 s, which is 50 s of its 100, and then on all
        log = self.log(HEAD + job(1, 0, 100, 2) + job(2, 0, 100, 4))
        elastic = self.policy("gang_minimum = function(job) return 1 end")
        measures = self.compare("fifo", elastic, log, "--verify")["measures"]
        self.assertEqual(measures["end_s"], {"a": 200, "b": 150})
        self.assertEqual(measures["wait_max_s"], {"a": 100, "b": 0})

    def test_a_time_limit(self):
        log = self.log(HEAD + job(1, 0, 1000, 4) + job(2, 1, 50, 4))
        limit = self.policy('pipeline = { "allocate", "evict-overdue" }, time_limit = function(job) return 100 end')
        got = self.compare("fifo", limit, log)
        self.assertEqual(got["measures"]["unfinished"], {"a": 0, "b": 1})
        self.assertEqual(got["measures"]["evictions"], {"a": 0, "b": 1})
        self.assertEqual(got["measures"]["wait_max_s"], {"a": 999, "b": 99})
        out, _ = self.lsched("compare", "fifo", limit, log)
        self.assertIn("not the same jobs on both sides", out)

    def test_wide_jobs_are_gangs(self):
        log = self.log("; MaxProcs: 16\n; MaxNodes: 4\n" + job(1, 0, 10, 6) + job(2, 1, 10, 16))
        got = self.compare("fifo", "fifo", log, "--verify")
        self.assertEqual(got["measures"]["wait_max_s"], {"a": 9, "b": 9})


class Strict(Compare):
    """--strict --queues one is first come, first served over all queues of the trace, whatever the policy."""

    def check(self, log, jobs, capacity, policies=("fifo", "shortest-first"), words=()):
        waits = first_come(jobs, capacity)
        got = self.compare(*policies, log, "--strict", "--queues", "one", "--per-node", str(capacity), *words)
        mean = sum(waits) / len(waits)
        for side in "ab":
            self.assertAlmostEqual(got["measures"]["wait_mean_s"][side], mean, places=3)
            self.assertEqual(got["measures"]["wait_max_s"][side], max(waits))
        return mean

    def test_made_up_logs(self):
        words = random.Random(7)
        for n_queues in (1, 2, 5):
            jobs, text = [], "; MaxProcs: 32\n; MaxNodes: 1\n"
            for number in range(1, 201):
                submit, run = (jobs[-1][0] if jobs else 0) + words.choice((0, 1, 60)), words.randint(1, 400)
                jobs.append((submit, run, words.randint(1, 32)))
                text += job(number, *jobs[-1], asked=words.randint(1, 900), queue=words.randint(1, n_queues))
            self.check(self.log(text), jobs, 32)
            self.check(self.log(text), jobs, 32, ("drf", "fair-tree"))

    def test_the_example(self):
        jobs = []
        with open("examples/swf/log.swf", encoding="ascii") as lines:
            for line in lines:
                fields = [] if line.startswith(";") else [int(word) for word in line.split()]
                if fields and fields[3] > 0 and fields[7] > 0:
                    jobs.append((fields[1], fields[3], fields[7]))
        self.check("examples/swf/log.swf", jobs[:600], 256, words=("--jobs", "600"))

    def test_philly(self):
        path = "examples/philly/jobs.csv"
        words = ("--strict", "--queues", "one", "--jobs", "1500", "--per-node", "8")
        got = self.compare("fifo", "shortest-first", path, *words, "--known-durations")
        self.assertEqual(got["measures"]["wait_mean_s"]["a"], got["measures"]["wait_mean_s"]["b"])
        self.assertEqual(got["jobs_differ"], 0)


class Shadow(Compare):
    def test_by_hand(self):
        got = self.compare("fifo", "shortest-first", self.log(), "--shadow")
        shadow = got["shadow"]
        self.assertEqual((got["measures"], got["first_difference"], got["jobs"]), ({}, None, []))
        # 0: both start the first; 1, 2: both wait; 100: they differ; 1100: the last one, for both
        self.assertEqual((shadow["cycles_differ"], shadow["jobs_differ"]), (1, 2))
        self.assertEqual(shadow["differences"], {"starts_a_only": 1, "starts_b_only": 1, "starts_elsewhere": 0,
                                                 "stopped_a_only": 0, "stopped_b_only": 0,
                                                 "waits_for_other_room": 0})
        self.assertEqual([(d["job"], d["what"]) for d in shadow["first"]],
                         [("2", "starts_a_only"), ("3", "starts_b_only")])

    def test_the_candidate_changes_nothing(self):
        for trace in ("examples/swf", "examples/philly"):
            words = ("fifo", "guaranteed-quota", trace, "--jobs", "400")
            beside = self.compare(*words, "--shadow")
            alone = self.compare(*words)
            self.assertEqual(beside["a"], alone["a"], trace)

    def test_a_policy_in_its_own_shadow(self):
        for policy, trace in (("drf", "examples/swf"), ("guaranteed-quota", "examples/philly"),
                              ("fgd", "examples/openb")):
            got = self.compare(policy, policy, trace, "--shadow", "--jobs", "400")["shadow"]
            self.assertGreater(got["cycles"], 200)
            self.assertEqual((got["cycles_differ"], got["cycles_failed"]), (0, 0), policy)

    def test_a_candidate_that_fails_is_counted(self):
        # fails over the second job, so in the cycles that still have it, and not when it is loaded
        broken = self.policy("priority = function(job) "
                             "return job.name == 'job-00000001' and job.name .. nil or 0 end")
        shadow = self.compare("fifo", broken, self.log(), "--shadow")["shadow"]
        self.assertGreater(shadow["cycles_failed"], 0)
        self.assertLess(shadow["cycles_failed"], shadow["cycles"])
        self.assertIn("priority", shadow["failure"])


class Others(Compare):
    def test_philly_with_evictions(self):
        got = self.compare("fifo", "guaranteed-quota", "examples/philly", "--jobs", "3000")
        self.assertEqual(got["trace_kind"], "philly")
        self.assertEqual(got["measures"]["evictions"]["a"], 0)
        self.assertGreater(got["measures"]["evictions"]["b"], 0)
        self.assertGreater(got["measures"]["lost_hours"]["b"], 0)
        self.assertIn("jain_slowdown_queues", got["measures"])

    def test_strict_order_is_that_of_simulate(self):
        with open("examples/philly/jobs.csv", encoding="ascii") as whole:
            jobs = self.write("jobs.csv", "".join(whole.readlines()[:3000]))
        with open("examples/philly/philly_vc.csv", encoding="ascii") as vcs:
            self.write("philly_vc.csv", vcs.read())
        there = self.lsched_json("simulate", "philly", jobs, "--policy", "drf", "--gpus-per-node", "8")
        here = self.compare("drf", "fifo", jobs, "--strict")
        self.assertEqual(here["a"]["plans_hash"], there["plans_hash"])
        self.assertAlmostEqual(here["measures"]["wait_mean_s"]["a"], there["wait_s"]["mean"], places=2)

    def test_openb_is_that_of_simulate(self):
        there = self.lsched_json("simulate", "openb", "--nodes", NODES, "--tasks", "examples/openb/tasks.csv",
                                 "--policy", "best-fit", "--seeds", "1")
        got = self.compare("best-fit", "least-fragmentation", "examples/openb")
        self.assertEqual(got["trace_kind"], "openb")
        self.assertEqual(got["a"]["plans_hash"], there["runs"][0]["plans_hash"])
        self.assertEqual(got["measures"]["unallocated_percent_100"]["a"],
                         there["unallocated_gpu_percent"]["100"]["mean"])
        self.assertLess(got["measures"]["dropped_gpus"]["b"], got["measures"]["dropped_gpus"]["a"])
        self.assertTrue(all(("no place" in (j["a"], j["b"])) and j["a"] != j["b"] for j in got["jobs"]))

    def test_a_scenario(self):
        got = self.compare("fifo", "guaranteed-quota", "examples/scenarios/back-to-its-owner.yaml")
        self.assertEqual(got["trace_kind"], "scenario")
        self.assertEqual(got["measures"]["tasks_evicted"], {"a": 0, "b": 5})
        self.assertEqual(got["measures"]["unstarted"], {"a": 1, "b": 0})
        self.assertEqual(got["shadow"]["differences"]["stopped_b_only"], 2)
        self.assertEqual(got["first_difference"]["jobs"][2],
                         {"job": "llm", "a": "-", "b": "gets h100-[32-63]"})

    def test_a_scenario_that_makes_no_sense_under_one_side(self):
        scenario = ("nodes:\n- {name: n, gpus: 1}\nqueues:\n- {name: q}\njobs:\n"
                    "- {name: long, queue: q, submitted: -2s, duration: 9h, tasks: {gpu: 1}}\n"
                    "- {name: short, queue: q, submitted: -1s, duration: 1m, tasks: {gpu: 1}}\n"
                    "events:\n- {at: 1h, finish: long}\n")
        path = self.write("s.yaml", "start: 2026-01-05T08:00Z\n" + scenario)
        got = self.compare("fifo", "shortest-first", path)
        self.assertIsNone(got["a"]["ended_early"])
        self.assertIn("s.yaml:", got["b"]["ended_early"])
        out, _ = self.lsched("compare", "fifo", "shortest-first", path)
        self.assertIn("Under B the scenario ends early", out)


class Wrong(Compare):
    def wrong(self, what, *words, expect=3):
        err = self.complaint(expect, "compare", *words)
        self.assertIn(what, err)
        self.assertNotIn("/proc", err)

    def wrong_log(self, what, text):
        path = self.log(text)
        self.wrong(f"{path}:{what}", "fifo", "drf", path)

    def test_logs(self):
        self.wrong_log("6:1: ", HEAD + "x" + job(1, 0, 1, 1))
        self.wrong_log("6:5: field 3, wait time: expected a number, got 'soon'",
                       HEAD + job(1, 0, 1, 1).replace("-1", "soon", 1))
        self.wrong_log("6:46: expected 18 fields, got another one", HEAD + job(1, 0, 1, 1)[:-1] + " 7\n")
        self.wrong_log("6:6: expected 18 fields, got 3", HEAD + "1 2 3\n")
        self.wrong_log("7:1: job 2: expected a submit time of 0 or more, got -5",
                       HEAD + job(1, 0, 1, 1) + job(2, -5, 1, 1))
        self.wrong_log("6:45: the file is cut off: expected the rest of a line", HEAD + job(1, 0, 1, 1)[:-1])
        self.wrong_log("4:13: expected a number from 1 to 1048576, got 'many'",
                       HEAD.replace("MaxProcs: 4", "MaxProcs: many") + job(1, 0, 1, 1))
        self.wrong_log("5:", HEAD)
        self.wrong(" expected at least one job that ran", "fifo", "drf", self.log(HEAD))
        self.wrong("neither MaxProcs nor MaxNodes; --capacity N", "fifo", "drf", self.log(job(1, 0, 1, 1)))

    def test_files(self):
        self.wrong("cannot open", "fifo", "drf", "nowhere.swf")
        self.wrong("cannot read: Is a directory", "fifo", "drf", self.directory)
        packed = self.write("log.gz", gzip.compress(LOG.encode())[:-9])
        self.wrong("log.gz: cannot unpack (gzip): the file is cut off", "fifo", "drf", packed)
        self.wrong("x.yaml:1:1: ", "fifo", "drf", self.write("x.yaml", "nodse: []\n"))
        self.wrong("other.csv: expected columns of a trace", "fifo", "drf", self.write("other.csv", "seed,job\n1,2\n"))
        self.wrong("jobs.csv:2:", "fifo", "drf", self.write("jobs.csv", "timestamp,duration,num_gpus,cluster\n,,,\n"),
                   "--queues", "one")

    def test_policies(self):
        self.wrong("did you mean 'fifo'?", "fifi", "drf", self.log(), expect=2)
        broken = self.write("b.lua", "return {\n  api = 1,\n  nmae = 'x',\n}\n")
        self.wrong(f"{broken}:3:", "fifo", broken, self.log())
        self.wrong("--param-b: expected NAME=VALUE, got '7'", "fifo", "drf", self.log(), "--param-b", "7", expect=2)
        self.wrong("", "fifo", self.policy("params = { depth = 1 }"), self.log(), "--param-b", "debth=2")
        nil = self.policy("priority = function(job) return job.name .. nil end")
        self.wrong("priority", "fifo", nil, self.log())

    def test_options(self):
        log = self.log()
        self.wrong("--trace-kind: expected philly, swf, openb or scenario, got 'sfw'; did you mean 'swf'?",
                   "fifo", "drf", log, "--trace-kind", "sfw", expect=2)
        self.wrong("--vc is not for a trace of kind swf", "fifo", "drf", log, "--vc", "x", expect=2)
        self.wrong("--strict is not for a trace of kind openb", "fifo", "drf", "examples/openb", "--strict", expect=2)
        self.wrong("--jobs is not for a trace of kind scenario", "fifo", "drf",
                   "examples/scenarios/two-jobs.yaml", "--jobs", "3", expect=2)
        self.wrong("--queues: expected by-queue, by-user, by-group or one, got 'by-vc'", "fifo", "drf", log,
                   "--queues", "by-vc", expect=2)
        for more in ((), ("--per-node", "1")):
            self.wrong("--capacity: expected 1 to 1048576 processors, got 0", "fifo", "drf", log, "--capacity", "0", *more,
                       expect=2)
        self.wrong("--capacity: expected a multiple of 4, the processors of a node (--per-node), got 6", "fifo", "drf", log,
                   "--capacity", "6", "--per-node", "4", expect=2)
        self.wrong("--per-node: expected 1 to 128, got 129", "fifo", "drf", "examples/philly", "--per-node", "129",
                   expect=2)
        self.wrong("--show: expected 1 to 1000, got 0", "fifo", "drf", log, "--show", "0", expect=2)
        self.wrong("--window-days: expected two days such as 14:70, got '3'", "fifo", "drf", log,
                   "--window-days", "3", expect=2)
        self.wrong("no job was submitted in days 5:6", "fifo", "drf", log, "--window-days", "5:6")
        self.wrong("compare needs A B TRACE", "fifo", "drf", expect=2)

    def test_progress_when_it_is_asked_for(self):
        _, err = self.lsched("compare", "fifo", "drf", "examples/swf", "--progress")
        self.assertIn("100 %", err)


main()
