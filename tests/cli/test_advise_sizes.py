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
                         [("small-0", "3g.40gb", "few")])
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
        self.assertIn("Static layout of 8 devices of h100-80gb in mode mig:", said)

    def sizes(self, nodes, jobs, rows, *words):
        """Advice for jobs on other nodes, by job: kind, from and to; or the reason to keep the size."""
        text = "start: 2026-01-05T08:00Z\nnodes: [%s]\nqueues: [{name: q}]\njobs: [%s]\n" % (
            ", ".join("{%s}" % node for node in nodes), ", ".join("{queue: q, %s}" % job for job in jobs))
        self.got = self.lsched_json("advise", self.write("other.yaml", text), "--samples",
                                    self.write("other.csv", table(rows)), *words)
        return {**{row["job"]: (row["kind"], row["from"], row["to"]) for row in self.got["resize"]},
                **{row["job"]: row["reason"] for row in self.got["keep"]}}

    def test_kind_of_gpu(self):
        small = 'name: "a30-[0-1]", labels: {gpu: a30}, cpu: 64, gpus: {count: 4, model: A30, memory: 24Gi%s}'
        large = 'name: "h100-[0-1]", labels: {gpu: h100}, cpu: 64, gpus: {count: 8, model: H100, memory: 80Gi%s}'
        for mode in ("", ", sharing: mps"):
            nodes = [small % mode, large % mode]
            for job, want in (
                    # 0.3 of seven compute slices are 2.1
                    ("running_on: h100-0, tasks: {gpu: 1}", ("profile", "whole", "3g.40gb")),
                    ("tasks: {gpu: 1, select: {gpu: h100}}", ("profile", "whole", "3g.40gb")),
                    ("tasks: {gpu: 1, models: H100}", ("profile", "whole", "3g.40gb")),
                    ("tasks: {gpu: 1, select: {gpu: a30}}", ("profile", "whole", "2g.12gb")),
                    ("tasks: {gpu: 1, select: {gpu: b200}}", "no-kind"),
                    ("tasks: {gpu: 1, affinity: {required: {gpu: {not-in: [a30]}}}}", ("profile", "whole", "3g.40gb")),
                    ("tasks: {gpu: 1, affinity: {required: {gpu: {absent: true}}}}", "no-kind"),
                    ("tasks: {gpu: 1, affinity: {required: [{gpu: a30}, {gpu: h100}]}}", "kinds"),
                    # an expression excludes nothing before the job runs
                    ('tasks: {claim: {select: "device.memory >= 40"}}', "kinds"),
                    ('running_on: h100-0, tasks: {claim: {select: "device.memory >= 40"}}',
                     ("profile", "whole", "3g.40gb")),
                    ("tasks: {gpu: 1}", "kinds")):
                with self.subTest(mode=mode, job=job):
                    self.assertEqual(self.sizes(nodes, ["name: j, " + job], use("j", 5000, 0.3)), {"j": want})
        nodes = [small % ", sharing: mps", large % ", sharing: mps"]
        # 30 GiB are more than an A30 has
        self.assertEqual(self.sizes(nodes, ["name: j, tasks: {gpu_memory: 30Gi}"], use("j", 4000, 0.1)),
                         {"j": ("memory", "30Gi", "8Gi")})
        # one compute slice of an H100, which has no 1g.5gb; a profile is only on devices in mode mig
        nodes = ['name: a100, cpu: 64, gpus: {count: 8, model: A100-SXM4-40GB, memory: 40Gi, sharing: mig}',
                 large % ", sharing: mig", 'name: plain, cpu: 64, gpus: {count: 8, model: H100, memory: 80Gi}']
        self.assertEqual(self.sizes(nodes, ["name: j, running_on: h100-0, tasks: {mig: 2g.20gb}"],
                                    use("j", 4000, 0.45)), {"j": ("profile", "2g.20gb", "1g.10gb")})
        self.assertEqual(self.sizes(nodes, ["name: j, tasks: {mig: 3g.20gb}"], use("j", 4000, 0.3)),
                         {"j": ("profile", "3g.20gb", "1g.5gb")})

    def test_present_size_is_the_charge(self):
        nodes = ["name: n, cpu: 64, gpus: {count: 8, model: H100, memory: 80Gi, sm_count: 132, sharing: mps}"]
        for tasks, memory, sm, want in (
                ("gpu_memory: 60Gi", 50000, 0.2, ("memory", "60Gi", "52Gi")),
                ("gpu_memory: 60Gi, gpu_memory_limit: 70Gi", 50000, 0.2, ("memory", "60Gi", "52Gi")),
                ("gpu: 0.25, gpu_sm_count: 66", 10000, 0.45, ("share", "0.500", "0.450")),
                ("gpu: 0.5, gpu_memory: 60Gi", 55000, 0.2, ("share", "0.750", "0.700")),
                ("gpu_sm_count: 33", 10000, 0.1, ("share", "0.250", "0.150")),
                # it is alone on its device, so that only a MIG instance is smaller
                ("gpu: 0.5, isolation: full", 9000, 0.1, ("profile", "whole", "1g.10gb"))):
            with self.subTest(tasks=tasks):
                self.assertEqual(self.sizes(nodes, ["name: j, tasks: {%s}" % tasks], use("j", memory, sm)),
                                 {"j": want})

    def test_layout_cuts_only_mig(self):
        nodes = ["name: s, cpu: 64, gpus: {count: 8, model: A100-SXM4-80GB, memory: 80Gi, sharing: mps}",
                 "name: g, cpu: 64, gpus: {count: 2, model: A100-SXM4-80GB, memory: 80Gi, sharing: mig}"]
        jobs = ['name: share, tasks: {count: 16, gpu: 0.5}', 'name: mig, tasks: {count: 20, mig: 1g.10gb}',
                'name: whole, tasks: {gpu: 1}', 'name: keeps, tasks: {gpu: 1}']
        self.assertEqual(self.sizes(nodes, jobs, use("whole", 15000, 0.25))["whole"], ("profile", "whole", "2g.20gb"))
        layout = self.got["layout"][0]
        self.assertEqual((layout["devices"], layout["not_cut"]), (2, 8))
        # twenty of 1/8 and one of 2/8, which the tables charge; whole devices are not cut
        self.assertEqual(layout["wanted_gpus"], 2.75)
        self.assertEqual(sum(cut["devices"] for cut in layout["cut"]), 2)

    def text(self, name, text, *words):
        said, _ = self.lsched("advise", self.write("cluster.yaml", CLUSTER), "--samples",
                              self.write(name, text), *words)
        return said

    def test_says_what_it_did_not_use(self):
        rows = use("small-0", 9000, 0.3) + use("gone", 1, 0.1, slots=3) + use("away", 1, 0.1, slots=2)
        said = self.text("usage.csv", table(rows))
        self.assertIn("Not used: 10 samples of 2 names that no job of the scenario has, such as 'gone'.", said)
        self.assertIn("No samples: 7 jobs with GPUs, such as 'small-1'.", said)
        lines = ["go_goroutines 8", "# HELP x", 'DCGM_FI_DEV_GPU_TEMP{gpu="0"} 61 1767600000000',
                 'DCGM_FI_DEV_FB_USED{gpu="0", pod=""} 1 1767600000000',
                 'DCGM_FI_DEV_FB_USED{ gpu="0", pod="exporter", exported_pod="gone" } 1 1767600000000']
        for words in (lines, lines[1:], lines[3:] + lines[:3]):
            said = self.text("usage.prom", "\n".join(words) + "\n")
            self.assertIn("Not used: 1 sample of 1 name that no job of the scenario has, such as 'gone'.", said)
            self.assertIn("%d of other metrics, 1 without a job" % (2 - (words == lines[1:])), said)

    def test_lines_without_a_value(self):
        lines = ['DCGM_FI_DEV_FB_USED{pod="small-0"} NaN 1767600000000']
        said = self.text("usage.prom", "\n".join(lines) + "\n")
        self.assertIn("0 without a job (label exported_pod, hpc_job or pod), 1 without a value (NaN).", said)
        got = self.advise("\n".join(lines) + "\n")
        self.assertEqual((got["unused"]["lines_without_value"], got["keep"], got["resize"]), (1, [], []))

    def test_memory_in_another_unit(self):
        for memory, reason in ((81559, "capacity"), (9000 * 1024, "unit")):
            got = self.advise(table(use("small-0", memory, 0.3)))
            self.assertEqual([(row["job"], row["reason"]) for row in got["keep"] + got["resize"]],
                             [("small-0", reason)])

    def test_a_site_without_mig(self):
        nodes = ["name: n, cpu: 64, gpus: {count: 2, model: A100-SXM4-80GB, memory: 80Gi}"]
        jobs, rows = ["name: j, tasks: {gpu: 1}"], use("j", 9000, 0.3)
        self.assertEqual(self.sizes(nodes, jobs, rows)["j"][0], "profile")
        self.assertEqual(self.sizes(nodes, jobs, rows, "--modes", "mps")["j"][0], "share")
        self.assertEqual(self.sizes(nodes, jobs, rows, "--modes", "mps,mig")["j"][0], "profile")

    def test_labels_of_metrics(self):
        for labels in ('exported_pod="%s",pod="exporter"', 'pod="exporter",exported_pod="%s"',
                       'gpu="0", pod="%s"', 'hpc_job="%s",pod="exporter"', 'pod="%s" , gpu="0"'):
            lines = ["up 1 1767600000000"]
            for at, job, memory, sm in use("small-0", 9000, 0.3):
                for name, value in (("DCGM_FI_DEV_FB_USED", memory), ("DCGM_FI_PROF_SM_ACTIVE", sm)):
                    lines.append("%s{%s} %f %d" % (name, labels % job, value, at * 1000))
            got = self.advise("\n".join(lines) + "\n")
            self.assertEqual([(row["job"], row["to"]) for row in got["resize"]], [("small-0", "1g.10gb")], labels)

    def test_few_samples_change_nothing(self):
        for slots in (1, 5):
            for memory, sm in ((9000, 1), (40000, 0.2), (90000, 0.2)):
                got = self.advise(table([(at, job, memory, sm) for at, job, _, _ in use("small-0", 1, 1, slots)]))
                self.assertEqual(got["resize"], [])
                self.assertEqual([(row["job"], row["reason"]) for row in got["keep"]], [("small-0", "few")])
        # an hour at the limit is enough to grow; zeros of memory are no samples
        got = self.advise(table([(at, job, 9000, 1) for at, job, _, _ in use("small-0", 1, 1, 6)]))
        self.assertEqual([(row["to"], row["decided"]) for row in got["resize"]], [("4g.40gb", "compute")])
        got = self.advise(table([(at, job, 0, 0.1) for at, job, _, _ in use("small-0", 1, 1)]))
        self.assertEqual([(row["job"], row["reason"]) for row in got["keep"]], [("small-0", "few")])

    def test_text_of_kept_and_grown(self):
        said = self.text("usage.csv", table(use("busy", 18000, 0.99) + use("small-0", 9000, 0.3, slots=5)))
        self.assertRegex(said, r"busy +profile +3g.40gb +4g.40gb +0.000 +mig, rule 3 +compute: peak 3.0 slices")
        self.assertIn("1 job with samples keeps the size:", said)
        self.assertRegex(said, r"small-0 +3g.40gb +mig, rule 3 +few +too few samples +memory: peak")
        said = self.text("usage.csv", table(use("service", 18000, 0.7)))
        self.assertIn("should get another size, which takes 0.400 GPUs more:", said)
        self.assertIn("A share replaces gpu, gpu_memory and gpu_sm_count of the request.", said)
        nodes = "nodes: [{name: n, cpu: 64, gpus: {count: 8, model: H100, memory: 80Gi, sharing: mig}}]\n"
        jobs = 'queues: [{name: q}]\njobs: [{name: "j-[0-24]", queue: q, tasks: {mig: 1g.10gb}}]\n'
        rows = [row for i in range(25) for row in use("j-%d" % i, 4000, 0.3, slots=2)]
        said, _ = self.lsched("advise", self.write("many.yaml", nodes + jobs), "--samples",
                              self.write("many.csv", table(rows)))
        self.assertIn("25 jobs with samples keep the size:", said)
        self.assertIn("  ... and 5 more: --json has all.", said)

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
        self.bad('DCGM_FI_DEV_FB_USED{pod="a"} nan 4\n', "usage.csv:1:30: ")
        self.bad(head, "--risk: expected a number above 0", "--risk", "0.6", expect=2)
        said = self.complaint(2, "advise", self.write("cluster.yaml", CLUSTER), "--risk", "0.1")
        self.assertIn("--risk is for --samples", said)


if __name__ == "__main__":
    unittest.main()
