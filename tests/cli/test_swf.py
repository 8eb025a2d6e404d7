"""lsched simulate swf: small logs computed by hand, random logs against a simulator of its own, and what it refuses."""
import csv
import gzip
import os
import random

from batch_rules import simulate
from lsched_program import ProgramTest, main

POLICIES = ("fcfs", "easy", "easy-sjbf", "conservative", "sjf")


def line(number, submit, run, procs, estimate, allocated=-1, queue=1, user=1):
    return (f"{number} {submit} -1 {run} {allocated} -1 -1 {procs} {estimate} -1 1 {user} 1 -1 {queue} -1 -1 -1\n")


class Log(ProgramTest):
    def log(self, jobs, head="; MaxProcs: 10\n"):
        return self.write("log.swf", head + "".join(line(i + 1, *job) for i, job in enumerate(jobs)))

    def replay(self, jobs, policy, *more, head="; MaxProcs: 10\n"):
        return self.lsched_json("simulate", "swf", self.log(jobs, head), "--policy", policy, "--verify", *more)

    def starts(self, jobs, policy, *more):
        """Runs the log, and reads the starts from the file of --per-job."""
        path = os.path.join(self.directory, "jobs.csv")
        self.replay(jobs, policy, "--per-job", path, *more)
        with open(path, encoding="ascii") as rows:
            return {int(row["job"]): row for row in csv.DictReader(rows)}


class ByHand(Log):
    # 10 processors. The first holds 8 until 100, the second waits for all 10. Of the others, one ends before 100,
    # one is as short but too wide, and one would last beyond 100.
    JOBS = ((0, 100, 8, 100), (1, 50, 10, 50), (2, 90, 2, 90), (3, 20, 2, 200), (4, 10, 2, 10))

    def starts_of(self, policy, *more):
        return [float(row["start_s"]) for row in self.starts(self.JOBS, policy, *more).values()]

    def test_first_come_first_served_is_strict(self):
        self.assertEqual(self.starts_of("fcfs"), [0, 100, 150, 150, 150])

    def test_easy_fills_the_gap_before_the_reservation(self):
        self.assertEqual(self.starts_of("easy"), [0, 100, 2, 150, 150])

    def test_the_shortest_first_fills_the_gap_with_more(self):
        jobs = ((0, 100, 8, 100), (1, 50, 10, 50), (2, 95, 2, 95), (2, 10, 2, 10))
        starts = [float(row["start_s"]) for row in self.starts(jobs, "easy-sjbf").values()]
        self.assertEqual(starts, [0, 100, 150, 2])

    def test_the_shortest_job_first_is_strict(self):
        self.assertEqual(self.starts_of("sjf"), [0, 100, 150, 150, 4])

    def test_figures(self):
        got = self.replay(self.JOBS[:2], "fcfs")
        self.assertEqual((got["jobs"], got["mean_wait_s"], got["max_wait_s"], got["mean_jct_s"]), (2, 49.5, 99, 124.5))
        self.assertEqual(got["bounded_slowdown"], round((1 + 149 / 50) / 2, 4))
        self.assertEqual(got["utilization"], round((800 + 500) / (10 * 150), 6))


class Random(Log):
    def test_starts_equal_those_of_another_simulator(self):
        seed = int(os.environ.get("LSCHED_TEST_SEED", random.SystemRandom().randrange(1 << 30)))
        print("seed", seed, flush=True)
        rng = random.Random(seed)
        for round_ in range(12):
            jobs, at = [], 0
            for _ in range(rng.choice((5, 40, 120))):
                at += rng.choice((0, 0, 1, rng.randrange(1, 60)))
                run = rng.choice((0, 1, rng.randrange(1, 200)))
                estimate = rng.choice((run, run, max(1, run // 2), run + rng.randrange(1, 300)))
                # an estimate that is missing is the run time
                jobs.append((at, run, rng.randrange(1, 11), estimate))
            for policy in POLICIES:
                # the log keeps an estimate of 0 as missing, which the rules read as the run time
                known = [(a, r, s, e if e > 0 else r) for a, r, s, e in jobs]
                want = simulate(policy, known, 10)
                got = self.starts(jobs, policy)
                told = [float(got[i + 1]["start_s"]) + jobs[0][0] for i in range(len(jobs))]
                self.assertEqual(told, want, f"seed {seed}, round {round_}, {policy}")


class Rules(Log):
    def test_a_run_ends_at_its_estimate_unless_it_may_overrun(self):
        jobs = ((0, 100, 10, 40), (1, 10, 10, 10))
        self.assertEqual(float(self.starts(jobs, "fcfs")[2]["start_s"]), 40)
        self.assertEqual(float(self.starts(jobs, "fcfs", "--overrun")[2]["start_s"]), 100)

    def test_perfect_estimates(self):
        jobs = ((0, 10, 8, 100), (0, 10, 10, 10), (0, 20, 2, 20))
        self.assertEqual(float(self.starts(jobs, "easy")[3]["start_s"]), 0)
        self.assertEqual(float(self.starts(jobs, "easy", "--perfect-estimates")[3]["start_s"]), 20)

    def test_jobs_that_are_left_out(self):
        jobs = ((0, -1, 1, 5), (0, 0, 1, 5), (0, 5, -1, 5), (0, 5, 11, 5), (1, 5, 10, 5))
        got = self.replay(jobs, "easy")
        self.assertEqual((got["jobs"], got["dropped"], got["never_ran"]), (2, 1, 2))
        got = self.replay(jobs, "easy", "--drop-zero-runs")
        self.assertEqual((got["jobs"], got["dropped"], got["never_ran"]), (1, 1, 3))

    def test_the_table_counts_what_was_replayed(self):
        jobs = ((0, 5, 11, 5), (1, 5, 10, 5), (2, -1, 1, 5))
        out, _ = self.lsched("simulate", "swf", self.log(jobs), "--policy", "easy")
        self.assertIn("1 job on 10 processors; 1 dropped, 1 never ran", out)

    def test_what_is_not_taken_as_it_stands(self):
        head = "; MaxProcs: 4\n; MaxProcs: 10\n"
        row = "1 0.0 -1 0.9 2 7.5 -1 2 10.5 -1 1 1 1 -1 1 -1 -1 -1\n"
        path = self.write("log.swf", head + line(1, 0, 5, 1, 5) + row)
        _, err = self.lsched("simulate", "swf", path, "--policy", "easy")
        # the run time and the requested time; the CPU time is not used
        self.assertIn("log.swf:4: the decimals of 2 numbers are left out", err)
        self.assertIn("MaxProcs 4 and 10; the last one counts", err)
        self.assertIn("1 job has the number of an earlier job; the first such number is 1", err)
        _, err = self.lsched("simulate", "swf", path, "--policy", "easy", "--procs", "7")
        self.assertNotIn("MaxProcs", err)
        self.assertEqual(self.lsched("simulate", "swf", self.log(ByHand.JOBS), "--policy", "easy")[1], "")

    def test_several_policies_are_a_list(self):
        path = self.log(ByHand.JOBS)
        got = self.lsched_json("simulate", "swf", path, "--policy", "fcfs", "--policy", "easy")
        self.assertEqual([of["policy"] for of in got["policies"]], ["fcfs", "easy"])

    def test_a_ready_made_policy_and_queues(self):
        got = self.replay(ByHand.JOBS, "drf", "--queues", "by-user")
        self.assertEqual(got["jobs"], 5)


class Promises(Log):
    def promises(self, jobs, policy, *more):
        return self.replay(jobs, policy, "--promises", *more)["promises"]

    def test_the_starts_that_are_told(self):
        # the second job is told 100 when it comes at 1, and 60 when the first ends at 60, where it starts; the third
        # has no reservation. The score is the length of the interval from 1 to 100
        got = self.promises(((0, 60, 8, 100), (1, 50, 10, 50), (2, 20, 2, 200)), "easy")
        self.assertEqual((got["waited"], got["told"], got["on_time"], got["missed"]), (2, 2, 2, 0))
        # the third job is told 110, the end of the second, when that starts at 60; it starts then
        self.assertEqual((got["moved_earlier"], got["moved_later"]), (0, 0))
        self.assertEqual(got["interval_score_s"], (99 + 50) / 2)
        # errors: 40 for 59 seconds, 0 for 50 seconds
        self.assertEqual(got["median_error_s"], 40)

    def test_a_start_that_moves_earlier(self):
        # when the first job ends at 60, the second needs the last one to end as well, at 80
        got = self.promises(((0, 60, 4, 100), (0, 80, 4, 80), (1, 50, 10, 50)), "easy")
        self.assertEqual((got["told"], got["moved_earlier"], got["moved_later"]), (1, 1, 0))
        self.assertEqual((got["median_error_s"], got["interval_score_s"]), (20, 99))

    def test_work_that_outlasts_its_estimate_is_the_cause_of_a_miss(self):
        # overdue work is assumed to run for another minute: 40, then 100 and no more, because the job starts at 100
        got = self.promises(((0, 100, 10, 40), (1, 10, 10, 10)), "easy", "--overrun")
        self.assertEqual((got["told"], got["missed"], got["moved_later"]), (1, 1, 1))
        self.assertEqual(got["missed_by_cause"], {"overrun": 1, "early_end": 0, "arrival": 0, "none": 0})
        self.assertEqual(got["interval_score_s"], 39 + 20 * 60)
        # 39 seconds with an error of -60, 60 seconds with an error of 0
        self.assertEqual(got["median_error_s"], 0)

    def test_a_job_that_comes_earlier_in_the_order_is_a_cause(self):
        # the shortest first: the job of 10 seconds takes the start at 100 from the job of 50
        got = self.promises(((0, 100, 10, 100), (1, 50, 10, 50), (2, 10, 10, 10)), "sjf")
        self.assertEqual(got["missed_by_cause"], {"overrun": 0, "early_end": 0, "arrival": 1, "none": 0})

    def test_a_start_that_is_withdrawn_is_told_no_more(self):
        # the second job is told 100 at 1, nothing at 60, when the third comes, which goes first, and 140 at 100
        got = self.promises(((0, 100, 10, 100), (1, 50, 10, 50), (60, 40, 10, 40)), "sjf")
        self.assertEqual((got["told"], got["withdrawn"], got["moved_later"], got["missed"]), (2, 1, 1, 1))
        self.assertEqual(got["moved_later_by_cause"]["arrival"], 1)
        # 59 seconds with an error of -40; 40 + 40 seconds with an error of 0
        self.assertEqual(got["median_error_s"], 0)
        self.assertEqual(self.promises(((0, 100, 10, 100), (1, 50, 10, 50)), "sjf")["withdrawn"], 0)

    def test_an_early_end_can_make_a_later_plan(self):
        # the last job is told 16, before the second at 44. When the first ends at 5, the second can start at 16, and
        # the last one has to wait until the second ends at 32
        jobs = ((0, 5, 3, 44), (0, 16, 9, 21), (1, 15, 2, 15), (1, 57, 2, 57), (1, 2, 6, 13))
        got = self.promises(jobs, "conservative")
        self.assertEqual(got["missed_by_cause"], {"overrun": 0, "early_end": 1, "arrival": 0, "none": 0})

    def test_easy_keeps_its_reservations_while_work_ends_in_time(self):
        seed = int(os.environ.get("LSCHED_TEST_SEED", random.SystemRandom().randrange(1 << 30)))
        print("seed", seed, flush=True)
        rng = random.Random(seed)
        for _ in range(6):
            jobs, at = [], 0
            for _ in range(150):
                at += rng.choice((0, 1, rng.randrange(1, 60)))
                run = rng.randrange(1, 200)
                jobs.append((at, run, rng.randrange(1, 11), run + rng.choice((0, rng.randrange(1, 300)))))
            got = self.promises(jobs, "easy")
            self.assertGreater(got["told"], 0)
            self.assertEqual((got["missed"], got["moved_later"]), (0, 0), f"seed {seed}")
            overrun = self.promises([(a, r, s, max(1, e // 2)) for a, r, s, e in jobs], "easy", "--overrun")
            self.assertEqual(overrun["missed"], overrun["missed_by_cause"]["overrun"], f"seed {seed}")

    def test_what_is_printed(self):
        out, _ = self.lsched("simulate", "swf", self.log(ByHand.JOBS), "--policy", "easy", "--promises")
        self.assertRegex(out, r"Expected starts that waiting jobs were told:\n\npolicy +waited +told ")
        self.assertNotIn("promises", self.replay(ByHand.JOBS, "easy"))


class Packed(Log):
    def test_gzip(self):
        text = ("; MaxProcs: 10\n" + "".join(line(i + 1, *job) for i, job in enumerate(ByHand.JOBS))).encode()
        want = self.replay(ByHand.JOBS, "easy")
        halves = gzip.compress(text[:100]) + gzip.compress(text[100:])
        for packed in (gzip.compress(text), halves):
            got = self.lsched_json("simulate", "swf", self.write("log.swf.gz", packed), "--policy", "easy")
            self.assertEqual(got, want)
        whole = gzip.compress(os.urandom(100000))
        bad = bytearray(gzip.compress(text))
        bad[len(bad) // 2] ^= 0x55
        for damaged in (whole[:-1], whole[:50000], bytes(bad), whole + b"x"):
            path = self.write("bad.gz", damaged)
            self.assertIn("bad.gz: cannot unpack (gzip): ",
                          self.complaint(3, "simulate", "swf", path, "--policy", "easy"))


class Refused(Log):
    def refused(self, expect, *words):
        return self.complaint(expect, "simulate", "swf", *words)

    def test_what_is_missing(self):
        self.assertIn("needs FILE", self.refused(2, "--policy", "easy"))
        self.assertIn("--policy is missing", self.refused(2, self.log(ByHand.JOBS)))
        self.assertIn("--procs M", self.refused(3, self.log(ByHand.JOBS, ""), "--policy", "easy"))

    def test_what_is_wrong(self):
        self.assertIn("no policy 'eazy'; did you mean 'easy'?", self.refused(2, self.log(ByHand.JOBS), "--policy", "eazy"))
        self.assertIn("--queues", self.refused(2, self.log(ByHand.JOBS), "--policy", "easy", "--queues", "two"))
        self.assertIn("--procs", self.refused(2, self.log(ByHand.JOBS), "--policy", "easy", "--procs", "0"))
        cut = self.write("cut.swf", line(1, 0, 5, 1, 5)[:-4])
        self.assertIn("cut.swf:1:", self.refused(3, cut, "--policy", "easy", "--procs", "4"))
        self.assertIn("no job has room: each asks for at least 11 processors, and there are 10",
                      self.refused(3, self.log(((0, 5, 11, 5), (0, 5, 12, 5))), "--policy", "easy"))
        full = os.path.join(self.directory, "none", "jobs.csv")
        self.assertIn(full, self.complaint(4, "simulate", "swf", self.log(ByHand.JOBS), "--policy", "easy", "--per-job", full))


main()
