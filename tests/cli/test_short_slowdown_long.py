"""lsched simulate swf with the ready-made policy short-slowdown: figures of published logs, against those of EASY."""
import os
import sys

from lsched_program import ProgramTest, main

LOGS = os.path.join(os.environ.get("LSCHED_SHARED_DIR", "../shared"), "traces", "pwa-swf")
# log, processors, longest wait of easy, bounded slowdown of easy-sjbf; slowdown and longest wait of short-slowdown
FIGURES = (("KTH-SP2-1996-2.1-cln.swf.gz", 100, 262194, 69.558, 52.187, 365604),
           ("lublin_256.swf.gz", 256, 1029731, 219.558, 153.388, 1504481),
           ("HPC2N-2002-2.1-cln.swf.xz", 240, 1163311, 83.207, 70.042, 1166301))
BETTER, LONGER = 0.9, 1.5


class Figures(ProgramTest):
    def test_slowdown_and_longest_wait(self):
        for log, procs, easy_wait, sjbf_slowdown, slowdown, wait in FIGURES:
            with self.subTest(log=log):
                got = self.lsched_json("simulate", "swf", os.path.join(LOGS, log), "--procs", str(procs), "--policy", "short-slowdown")
                self.assertAlmostEqual(got["bounded_slowdown"], slowdown, delta=0.00051)
                self.assertEqual(got["max_wait_s"], wait)
                self.assertLessEqual(got["bounded_slowdown"], BETTER * sjbf_slowdown)
                self.assertLessEqual(got["max_wait_s"], LONGER * easy_wait)

    def test_a_bound_of_zero_is_easy_with_the_shortest_job_in_the_gaps(self):
        log, procs, _, sjbf_slowdown, _, _ = FIGURES[0]
        got = self.lsched_json("simulate", "swf", os.path.join(LOGS, log), "--procs", str(procs), "--policy", "short-slowdown",
                               "--param", "bound_hours=0")
        self.assertAlmostEqual(got["bounded_slowdown"], sjbf_slowdown, delta=0.00051)


if not os.path.exists(os.path.join(LOGS, FIGURES[0][0])):
    print(f"skipped: there is no {LOGS}")
    sys.exit(77)
main()
