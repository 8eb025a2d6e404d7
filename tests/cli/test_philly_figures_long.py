"""What guaranteed quotas must bring on the Philly list against a static partition, and what they
may cost. On the two weeks that are shipped, and on the whole list where LSCHED_PHILLY_JOBS names
it."""
import os
import unittest

from lsched_program import ProgramTest, main

TWO_WEEKS = "examples/philly/jobs.csv"
VCS = "examples/philly/philly_vc.csv"
WHOLE = os.environ.get("LSCHED_PHILLY_JOBS")


class Figures(ProgramTest):
    def arms(self, jobs, *more):
        return self.lsched_json("simulate", "philly", jobs, "--vc", VCS, "--compare-static",
                                "--policy", "guaranteed-quota", *more)["policies"]

    def check(self, static, quotas):
        self.assertEqual(static["jobs"], quotas["jobs"])
        self.assertEqual((static["evictions"], static["moves"]), (0, 0))
        self.assertLessEqual(quotas["avoidable_idle_percent"], 1)
        self.assertLessEqual(quotas["guaranteed_head_wait_max_s"], 1800)
        self.assertLessEqual(quotas["lost_percent"], 1)
        self.assertLessEqual(quotas["evictions_per_job"], 0.2)
        self.assertGreater(quotas["evictions"], 0)

    def test_two_weeks(self):
        static, quotas = self.arms(TWO_WEEKS)
        self.check(static, quotas)
        self.assertLessEqual(quotas["idle_percent"], static["idle_percent"] / 2)
        self.assertAlmostEqual(static["idle_percent"], 35.5, delta=0.5)
        self.assertAlmostEqual(static["avoidable_idle_percent"], 28.1, delta=0.5)

    def test_two_weeks_on_nodes_of_8(self):
        static, quotas = self.arms(TWO_WEEKS, "--gpus-per-node", "8")
        self.check(static, quotas)
        self.assertLessEqual(quotas["idle_percent"], static["idle_percent"] / 2)

    @unittest.skipUnless(WHOLE, "LSCHED_PHILLY_JOBS names no list")
    def test_the_whole_list(self):
        static, quotas = self.arms(WHOLE, "--window-days", "14:70")
        self.check(static, quotas)
        # An independent count of the same partition, without nodes: 30.0 and 24.2 %.
        self.assertAlmostEqual(static["window"]["idle_percent"], 30, delta=0.2)
        self.assertAlmostEqual(static["avoidable_idle_percent"], 24.2, delta=0.2)
        self.assertLessEqual(quotas["window"]["idle_percent"],
                             static["window"]["idle_percent"] / 2)


main()
