"""lsched simulate philly on the whole list, one queue and one pool: mean waits that another simulator prints."""
import os
import sys

from lsched_program import ProgramTest, main

JOBS = os.path.join(os.environ.get("LSCHED_SHARED_DIR", "../shared"), "traces", "philly", "philly_jobs.csv.xz")
PUBLISHED = (("fcfs", 475770.45), ("easy", 422828.16), ("easy-sjbf", 271009.33), ("sjf", 11829.53))
PREEMPTIVE = (("srtf", 17375.40), ("srsf", 15358.95))


class Published(ProgramTest):
    def test_mean_waits(self):
        for policy, wait in PUBLISHED:
            with self.subTest(policy=policy):
                got = self.lsched_json("simulate", "philly", JOBS, "--gpus", "512", "--queues", "one", "--policy", policy)
                self.assertAlmostEqual(got["mean_wait_s"], wait, delta=0.0051)

    def test_mean_completion_times(self):
        for policy, jct in PREEMPTIVE:
            with self.subTest(policy=policy):
                got = self.lsched_json("simulate", "philly", JOBS, "--gpus", "512", "--queues", "one", "--policy", policy)
                self.assertAlmostEqual(got["mean_jct_s"], jct, delta=0.0051)


if not os.path.exists(JOBS):
    print(f"skipped: there is no {JOBS}")
    sys.exit(77)
main()
