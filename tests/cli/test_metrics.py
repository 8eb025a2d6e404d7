"""lsched metrics: OpenMetrics text by the rules of its format, the numbers of scenarios and of saved clusters."""
import glob
import re
import sys
import unittest

import lsched_program

SCENARIO = "examples/scenarios/research-and-product.yaml"
TWO = "examples/scenarios/two-jobs.yaml"
# scripts/python-env installs the parser; the tests of the rules below need none
for folder in glob.glob(".cache/python-env/lib/python*/site-packages"):
    sys.path.append(folder)
try:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
except ImportError:
    text_string_to_metric_families = None

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\d+(?:\.\d+)?)")
SUFFIXES = {"counter": ("_total",), "gauge": ("",), "info": ("_info",), "histogram": ("_bucket", "_count", "_sum")}
ODD = 'a"b\\c'


def families(text):
    """{family: (type, unit, {(name, labels): value})}; fails where the text breaks a rule of the format."""
    assert text.endswith("# EOF\n") and text.count("# EOF") == 1
    found, now = {}, None
    for line in text[:-len("# EOF\n")].split("\n")[:-1]:
        if line.startswith("# HELP "):
            now = line.split(" ")[2]
            assert now not in found, f"{now} begins twice"
            found[now] = ["", "", {}]
        elif line.startswith("# TYPE "):
            _, _, name, found[now][0] = line.split(" ")
            assert name == now and not found[now][2]
        elif line.startswith("# UNIT "):
            _, _, name, unit = line.split(" ")
            assert name == now and name.endswith("_" + unit) and not found[now][2]
            found[now][1] = unit
        else:
            match = SAMPLE.fullmatch(line)
            assert match, f"no sample: {line!r}"
            name, labels, value = match.groups()
            assert name in [now + suffix for suffix in SUFFIXES[found[now][0]]], f"{name} in family {now}"
            key = (name, labels or "")
            assert key not in found[now][2], f"{key} twice"
            found[now][2][key] = float(value)
    return found


class Metrics(lsched_program.ProgramTest):
    def test_the_text_obeys_the_rules(self):
        for words in ([SCENARIO], [SCENARIO, "--queues"], [TWO, "--policy", "drf", "--queues"]):
            got = families(self.lsched("metrics", *words)[0])
            self.assertGreater(len(got), 30)
            for name, (kind, _, samples) in got.items():
                self.assertTrue(kind, name)
                if kind != "histogram":
                    continue
                sets = {re.sub(r',?le="[^"]*"', "", labels) for _, labels in samples}
                for labels in sets:
                    begins = labels + "," if labels else ""
                    buckets = [value for (n, l), value in samples.items()
                               if n.endswith("_bucket") and l.startswith(begins + "le=")]
                    self.assertEqual(buckets, sorted(buckets))
                    self.assertEqual(len(buckets), 16)
                    self.assertEqual(buckets[-1], samples[(name + "_count", labels)])

    def test_a_parser_of_prometheus_reads_it(self):
        if text_string_to_metric_families is None:
            self.skipTest("prometheus_client is not installed (scripts/python-env)")
        for words in ([SCENARIO, "--queues"], [self.odd_names(), "--queues"]):
            text = self.lsched("metrics", *words)[0]
            read = list(text_string_to_metric_families(text))
            self.assertEqual({family.name for family in read}, set(families(text)))
            waits = next(family for family in read if family.name == "lsched_wait_seconds")
            self.assertEqual((waits.type, waits.unit), ("histogram", "seconds"))
        names = {s.labels.get("queue") for family in read for s in family.samples}
        self.assertIn(ODD, names)

    def odd_names(self):
        name = ODD.replace("\\", "\\\\").replace('"', '\\"')
        return self.write("odd.yaml", f'nodes:\n  - {{name: n, cpu: 4}}\nqueues:\n  - {{name: "{name}"}}\n')

    def test_label_values_are_escaped(self):
        got = families(self.lsched("metrics", self.odd_names(), "--queues")[0])
        labels = {labels for _, _, samples in got.values() for _, labels in samples}
        self.assertTrue(any('queue="a\\"b\\\\c"' in text for text in labels))

    def test_numbers_are_those_of_the_scenario(self):
        got = families(self.lsched("metrics", TWO, "--queues")[0])
        value = {key: number for _, _, samples in got.values() for key, number in samples.items()}
        self.assertEqual(value[("lsched_decisions_total", 'kind="place"')], 1)
        self.assertEqual(value[("lsched_queue_decisions_total", 'queue="team",kind="place"')], 1)
        self.assertEqual(value[("lsched_cycles_total", "")], 1)
        self.assertEqual(value[("lsched_jobs_total", 'call="submitted"')], 2)
        self.assertEqual(value[("lsched_jobs_pending", "")], 1)
        self.assertEqual(value[("lsched_action_runs_total", 'action="allocate"')], 1)
        self.assertEqual(value[("lsched_wait_seconds_count", "")], 1)

    def test_the_same_scenario_gives_the_same_text(self):
        one, _ = self.lsched("metrics", SCENARIO)
        two, _ = self.lsched("metrics", SCENARIO)
        self.assertEqual(one, two)

    def test_a_saved_cluster_begins_with_zero(self):
        seeds = sorted(glob.glob("fuzz/corpus/load_image/*"))
        self.assertTrue(seeds)
        texts = [self.lsched("metrics", seed, expect=None) for seed in seeds]
        good = [families(out) for out, _ in texts if out]
        self.assertTrue(good)
        for got in good:
            self.assertEqual(set(got["lsched_decisions"][2].values()), {0.0})
            self.assertEqual(got["lsched_cycles"][2][("lsched_cycles_total", "")], 0)
        self.assertTrue(any(got["lsched_jobs_present"][2][("lsched_jobs_present", "")] for got in good))
        self.assertIn("saved cluster", self.complaint(2, "metrics", next(
            seed for seed, (out, _) in zip(seeds, texts) if out), "--policy", "drf"))

    def test_mistakes(self):
        self.assertIn("metrics needs FILE", self.complaint(2, "metrics"))
        self.assertIn("cannot", self.complaint(3, "metrics", "no/such.yaml"))
        broken = self.write("broken", b"LSCHEDIM and no more")
        self.assertIn(broken, self.complaint(3, "metrics", broken))


if __name__ == "__main__":
    unittest.main()
