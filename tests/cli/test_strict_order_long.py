"""compare --strict --queues one on a published log of several queues: first come, first served of a simulator of its own."""
import lzma
import os
import sys

from first_come import first_come
from lsched_program import ProgramTest, main

LOG = os.path.join(os.environ.get("LSCHED_SHARED_DIR", "../shared"), "traces", "pwa-swf", "SDSC-BLUE-2000-4.2-cln.swf.xz")
PROCESSORS = 1152


class Published(ProgramTest):
    def test_mean_wait_of_sdsc_blue(self):
        jobs = []
        with lzma.open(LOG, "rt", encoding="latin-1") as lines:
            for line in lines:
                words = line.split()
                if not words or words[0].startswith(";"):
                    continue
                size = int(words[7]) if int(words[7]) > 0 else int(words[4])
                if int(words[3]) > 0 and 0 < size <= PROCESSORS:
                    jobs.append((int(words[1]), int(words[3]), size))
        waits = first_come(jobs, PROCESSORS)
        got = self.lsched_json("compare", "fifo", "fifo", LOG, "--strict", "--queues", "one", "--per-node", str(PROCESSORS))
        self.assertAlmostEqual(got["measures"]["wait_mean_s"]["a"], sum(waits) / len(waits), places=3)
        self.assertEqual(round(got["measures"]["wait_mean_s"]["a"]), 379080)


if not os.path.exists(LOG):
    print(f"skipped: there is no {LOG}")
    sys.exit(77)
main()
