"""lsched simulate swf on published logs: mean wait and bounded slowdown that other simulators print."""
import os
import sys

from lsched_program import ProgramTest, main

LOGS = os.path.join(os.environ.get("LSCHED_SHARED_DIR", "../shared"), "traces", "pwa-swf")
KTH, LUBLIN, NASA = "KTH-SP2-1996-2.1-cln.swf.gz", "lublin_256.swf.gz", "NASA-iPSC-1993-3.1-cln.swf.gz"
PUBLISHED = ((KTH, 100, 28475, ("fcfs",), 353943.09, 6825.666),
             (KTH, 100, 28475, ("easy",), 6837.23, 92.870),
             (KTH, 100, 28475, ("easy", "--perfect-estimates"), 6331.84, 72.063),
             (KTH, 100, 28475, ("easy-sjbf",), 5906.00, 69.558),
             (KTH, 100, 28475, ("conservative",), 7942.13, 102.321),
             (KTH, 100, 28475, ("sjf",), 13336.33, 135.397),
             (LUBLIN, 256, 10000, ("fcfs",), 2388443.76, 66502.476),
             (LUBLIN, 256, 10000, ("easy",), 97155.99, 590.054),
             (LUBLIN, 256, 10000, ("easy-sjbf",), 73394.38, 219.558),
             (LUBLIN, 256, 10000, ("conservative",), 131567.51, 489.201),
             (NASA, 128, 18239, ("fcfs",), 8.00, 1.026),
             (NASA, 128, 18239, ("easy",), 4.03, 1.012))


class Published(ProgramTest):
    def test_figures(self):
        for log, procs, jobs, policy, wait, slowdown in PUBLISHED:
            with self.subTest(log=log, policy=policy):
                got = self.lsched_json("simulate", "swf", os.path.join(LOGS, log), "--procs", str(procs), "--policy", *policy)
                self.assertEqual(got["jobs"], jobs)
                self.assertAlmostEqual(got["mean_wait_s"], wait, delta=0.0051)
                self.assertAlmostEqual(got["bounded_slowdown"], slowdown, delta=0.00051)


if not os.path.exists(os.path.join(LOGS, KTH)):
    print(f"skipped: there is no {LOGS}")
    sys.exit(77)
main()
