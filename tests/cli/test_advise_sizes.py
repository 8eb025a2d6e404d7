"""lsched advise --samples: sizes of jobs and static MIG layouts, from tables and metrics, and bad samples."""
import random
import unittest

import lsched_program

CLUSTER = """start: 2026-01-05T08:00Z
nodes:
  - {name: "mig-[0-1]", cpu: 64, gpus: {count: 4, model: H100, memory: 80Gi, sm_count: 132, sharing: mig}}
  - {name: shared, cpu: 64, gpus: {count: 2, model: L40, memory: 48Gi, sm_count: 142, sharing: mps}}
queues: [{name: q}]
jobs:
  - {name: "small-[0-4]", queue: q, tasks: {mig: 3g.40gb, cpu: 1}}
  - {name: busy, queue: q, tasks: {mig: 3g.40gb, cpu: 1}}
  - {name: unknown, queue: q, tasks: {mig: 2g.20gb, cpu: 1}}
  - {name: service, queue: q, tasks: {count: 2, gpu: 0.5, models: L40, cpu: 1}}
"""
START = 1767600000  # 2026-01-05T08:00Z


def table(rows):
    return "time,job,fb_used,sm_active\n" + "".join("%d,%s,%.1f,%.3f\n" % row for row in rows)


def use(job, memory, sm, slots=200, seed=1):
    """A sample each ten minutes, around the memory in MiB and the part of the multiprocessors."""
    chance = random.Random(seed)
    return [(START + 600 * i, job, memory * (1 - 0.03 * chance.random()), sm * (1 - 0.03 * chance.random()))
            for i in range(slots)]


class AdviseSizes(lsched_program.ProgramTest):
    def advise(self, text, *words):
        return self.lsched_json("advise", self.write("cluster.yaml", CLUSTER), "--samples",
                                self.write("usage.csv", text), *words)

    def bad(self, text, message, *words, expect=3):
        said = self.complaint(expect, "advise", self.write("cluster.yaml", CLUSTER), "--samples",
                              self.write("usage.csv", text), *words)
        self.assertIn(message, said)

    def test_profiles_and_shares(self):
        rows = use("busy", 18000, 0.99) + use("service", 8000, 0.2)
        for i in range(5):
            rows += use("small-%d" % i, 9000, 0.3, seed=i)
        got = self.advise(table(rows))
        changes = {row["job"]: (row["kind"], row["from"], row["to"], row["saved"]) for row in got["resize"]}
        self.assertEqual(changes, {
            # one of three compute slices, at most 9,000 MiB of 9,728
            **{"small-%d" % i: ("profile", "3g.40gb", "1g.10gb", 0.375) for i in range(5)},
            # it uses all of its compute slices, so only more of them show what it needs
            "busy": ("profile", "3g.40gb", "4g.40gb", 0),
            # two tasks: 8,000 MiB of 49,152 are 0.163, and a fifth of the multiprocessors is 0.2
            "service": ("share", "0.500", "0.200", 0.6)})
        row = got["resize"][0]
        self.assertEqual(row["job"], "busy")
        self.assertEqual(row["risk"], 0.01)
        self.assertRegex(row["evidence"]["memory"], r"^peak 17\.\d GiB in 33 hours, p99 17\.\d, bound 17\.\d from 200 slots$")
        self.assertEqual([layout["table"] for layout in got["layout"]], ["h100-80gb"])
        layout = got["layout"][0]
        self.assertEqual(layout["served"], {"1g.10gb": 5, "2g.20gb": 1, "4g.40gb": 1})
        self.assertEqual((layout["devices"], layout["free"], layout["exact"]), (8, 6, True))
        self.assertEqual(sum(cut["devices"] for cut in layout["cut"]), 2)

    def test_few_samples_keep_the_size(self):
        got = self.advise(table(use("small-0", 9000, 0.3, slots=98)))
        self.assertEqual(got["resize"], [])
        self.assertEqual([(row["job"], row["from"], row["reason"]) for row in got["keep"]],
                         [("small-0", "3g.40gb", "fits")])  # the request is all that is known
        self.assertIn("too few for a risk of 1 %", got["keep"][0]["evidence"]["memory"])
        got = self.advise(table(use("small-0", 9000, 0.3, slots=98)), "--risk", "0.05")
        self.assertEqual([row["to"] for row in got["resize"]], ["1g.10gb"])

    def test_metrics(self):
        lines = ["# TYPE DCGM_FI_DEV_FB_USED gauge"]
        for at, job, memory, sm in use("small-0", 9000, 0.3):
            for name, value in (("DCGM_FI_DEV_FB_USED", memory), ("DCGM_FI_PROF_SM_ACTIVE", sm)):
                lines.append('%s{gpu="0",pod="%s",UUID="GPU-{1,2}"} %f %d' % (name, job, value, at * 1000))
            lines.append('DCGM_FI_DEV_GPU_TEMP{gpu="0"} 61 %d' % (at * 1000))
        got = self.advise("\n".join(lines) + "\n")
        self.assertEqual([(row["job"], row["to"]) for row in got["resize"]], [("small-0", "1g.10gb")])
        same = self.advise(table(use("small-0", 9000, 0.3)))
        self.assertEqual([row["to"] for row in same["resize"]], ["1g.10gb"])

    def test_text(self):
        said, _ = self.lsched("advise", self.write("cluster.yaml", CLUSTER), "--samples",
                              self.write("usage.csv", table(use("small-0", 9000, 0.3))))
        self.assertIn("1 of 1 job with samples should get another size, which saves 0.375 GPUs:", said)
        self.assertIn("Static layout of 8 devices of h100-80gb:", said)

    def test_labels_of_metrics(self):
        for labels in ('exported_pod="%s",pod="exporter"', 'pod="exporter",exported_pod="%s"',
                       'gpu="0", pod="%s"', 'hpc_job="%s",pod="exporter"', 'pod="%s" , gpu="0"'):
            lines = ["up 1 1767600000000"]
            for at, job, memory, sm in use("small-0", 9000, 0.3):
                for name, value in (("DCGM_FI_DEV_FB_USED", memory), ("DCGM_FI_PROF_SM_ACTIVE", sm)):
                    lines.append("%s{%s} %f %d" % (name, labels % job, value, at * 1000))
            got = self.advise("\n".join(lines) + "\n")
            self.assertEqual([(row["job"], row["to"]) for row in got["resize"]], [("small-0", "1g.10gb")], labels)

    def test_times_that_hide_the_others(self):
        rows = use("small-0", 9000, 0.3)
        late = (START + 3650 * 86400, "small-1", 9000.0, 0.3)
        self.bad(table(rows[:50] + [late] + rows[50:]), "usage.csv:52:1: the time is 3648 days after the 200 samples")
        self.bad(table(rows + [(START * 1000, "small-1", 9000.0, 0.3)]), "divide milliseconds by 1000")
        self.bad('DCGM_FI_DEV_FB_USED{pod="a"} 3 1767600000\n', "multiply seconds by 1000")
        said = self.complaint(3, "advise", self.write("cluster.yaml", CLUSTER), "--samples",
                              self.write("a.csv", table(rows)), "--samples", self.write("b.csv", table([late])))
        self.assertIn("b.csv:2:1: the time is", said)
        # as many samples before a long pause as after it: the later ones count
        month = [(at - 30 * 86400, job, 30000.0, 0.9) for at, job, _, _ in rows]
        self.assertEqual([row["to"] for row in self.advise(table(month + rows))["resize"]], ["1g.10gb"])

    def test_bad_samples(self):
        head = "time,job,fb_used,sm_active\n"
        self.bad(head + "1,a,-1,0\n", "fb_used")
        self.bad(head + "1,a,nan,0\n", "usage.csv:2:5: ")
        self.bad(head + "1,a,1,1.01\n", "sm_active: expected at most 1")
        self.bad(head + "soon,a,1,1\n", "usage.csv:2:1: time: expected seconds since 1970")
        self.bad("time,job,fb_used\n1,a,1\n", "sm_active")
        self.bad('DCGM_FI_DEV_FB_USED{pod="a"} 3\n', "expected a time in milliseconds")
        self.bad('DCGM_FI_DEV_FB_USED{pod="a} 3 4\n', "expected labels such as")
        self.bad('DCGM_FI_DEV_FB_USED{pod="a"} NaN 4\n', "usage.csv:1:30: ")
        self.bad(head, "--risk: expected a number above 0", "--risk", "0.6", expect=2)
        said = self.complaint(2, "advise", self.write("cluster.yaml", CLUSTER), "--risk", "0.1")
        self.assertIn("--risk is for --samples", said)


if __name__ == "__main__":
    unittest.main()
