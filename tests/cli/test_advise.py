"""lsched advise: nodes to add and to drain, figures that follow by hand, and bad input."""
import unittest

import lsched_program

POLICY = """start: 2026-01-05T08:00Z
policy:
  name: easy
  text: |
    return { api = 1, name = "easy", order = "fifo", pipeline = { %s } }
"""
# one node, and four jobs of an hour that each take it whole: they wait 0, 1, 2 and 3 hours
LINE = POLICY % '"backfill"' + """
nodes:
  - {name: n, cpu: 8, price: 2}
queues:
  - {name: q}
jobs:
  - {name: "j[0-3]", queue: q, duration: 1h, tasks: {cpu: 8}}
"""
TYPE = 'nodes: [{name: "extra-[0-7]", cpu: 8, price: %s%s}]\n'


class Advise(lsched_program.ProgramTest):
    def advise(self, scenario, catalogue=None, *words):
        words = [self.write("cluster.yaml", scenario), *words]
        if catalogue is not None:
            words += ["--catalogue", self.write("nodes.yaml", catalogue)]
        return self.lsched_json("advise", *words)

    def added(self, *words):
        return {row["type"]: row["count"] for row in self.advise(*words)["nodes"]["add"]}

    def drained(self, *words):
        return [row["name"] for row in self.advise(*words)["nodes"]["drain"]]

    def bad(self, catalogue, message, scenario=LINE, words=(), expect=3):
        said = self.complaint(expect, "advise", self.write("cluster.yaml", scenario), "--catalogue",
                              self.write("nodes.yaml", catalogue), *words)
        self.assertIn(message, said)

    def test_figures_by_hand(self):
        got = self.advise(LINE, TYPE % (1, ""), "--value", "10")
        nodes = got["nodes"]
        self.assertEqual(got["waiting_jobs"], 4)
        self.assertEqual(nodes["before"]["waiting"], 60)  # 0 + 1 + 2 + 3 hours
        self.assertEqual(nodes["before"]["wait_max"], 3 * 3600)
        self.assertEqual([(row["type"], row["count"], row["of"]) for row in nodes["add"]],
                         [("extra", 3, 8)])
        self.assertEqual(nodes["add"][0]["names"], ["extra-0", "extra-1", "extra-2"])
        self.assertEqual(nodes["with_added"]["waiting"], 0)
        self.assertEqual(nodes["with_added"]["added"], 3)  # three nodes for one hour
        self.assertFalse(got["stopped"])

    def test_what_costs_more_than_it_saves(self):
        # a second node saves two hours of waiting, and is paid for two hours
        self.assertEqual(self.added(LINE, TYPE % (3, ""), "--value", "1"), {})
        # three more nodes save six hours of waiting, and cost three hours
        self.assertEqual(self.added(LINE, TYPE % ("1.99", ""), "--value", "1"), {"extra": 3})
        # paid for at least four hours, one node saves four hours of waiting
        self.assertEqual(self.added(LINE, TYPE % ("1.01", ""), "--value", "1", "--hold", "4h"), {})

    def test_boot_time(self):
        got = self.advise(LINE, TYPE % (1, ", leaves: 0, back: 90m"), "--value", "10")
        # one node is ready at 1:30; j2 starts there or at 2:00 on the first node
        self.assertEqual(got["nodes"]["add"][0]["boot"], 5400)
        self.assertEqual(got["nodes"]["with_added"]["wait_max"], 2 * 3600 - 1800)
        self.assertEqual(self.added(LINE, TYPE % (1, ", leaves: 0, back: 3h"), "--value", "10"), {})

    def test_spot_nodes_are_for_work_that_bears_them(self):
        spot = ", leaves: 0, back: 1m, leaves_every: %s"
        self.assertEqual(self.added(LINE, TYPE % (1, spot % "31m"), "--value", "10"), {})
        self.assertEqual(self.added(LINE, TYPE % (1, spot % "2h1m"), "--value", "10"), {"extra": 3})

    def test_a_type_that_nobody_can_use(self):
        catalogue = ('nodes: [{name: "small-[0-7]", cpu: 4, price: 0.01},'
                     ' {name: "large-[0-7]", cpu: 8, price: 1}]\n')
        self.assertEqual(self.added(LINE, catalogue, "--value", "10"), {"large": 3})
        self.assertEqual(self.added(LINE, TYPE % (1, ', taints: "a=b:no-start"'), "--value", "10"),
                         {})

    def test_a_gang_needs_several_nodes_at_once(self):
        gang = LINE.replace("tasks: {cpu: 8}", "tasks: {cpu: 8, count: 5}")
        self.assertEqual(self.added(gang, TYPE % (1, ""), "--value", "10", "--horizon", "2d"),
                         {"extra": 4})

    def test_the_cheaper_of_two_types(self):
        catalogue = ('nodes: [{name: "a-[0-1]", cpu: 8, price: 1},'
                     ' {name: "b-[0-7]", cpu: 8, price: 2}]\n')
        self.assertEqual(self.added(LINE, catalogue, "--value", "10"), {"a": 2, "b": 1})

    def test_idle_nodes_are_drained(self):
        idle = LINE.replace("{name: n, cpu: 8, price: 2}",
                            '{name: n, cpu: 8, price: 2}\n  - {name: "idle-[0-2]", cpu: 4, power: 1kW}')
        self.assertEqual(self.drained(idle), [])  # the price of a kWh is 0
        got = self.advise(idle, None, "--energy-price", "0.5")
        self.assertEqual([row["name"] for row in got["nodes"]["drain"]],
                         ["idle-0", "idle-1", "idle-2"])
        self.assertEqual(got["nodes"]["with_all"]["saved"], 6)  # 3 nodes, 4 hours, 0.50 per hour
        self.assertEqual(got["nodes"]["energy"],
                         [{"model": "cpu", "nodes": 3, "watts": 3000, "idle_nodes": 3,
                           "idle_watts": 3000, "idle_cost_per_hour": 1.5}])

    def test_quotas_stay(self):
        idle = LINE.replace("{name: q}", "{name: q, quota: {cpu: %s}}").replace(
            "price: 2}", 'price: 2}\n  - {name: "idle-[0-2]", cpu: 4, price: 1}')
        self.assertEqual(self.drained(idle % 8), ["idle-0", "idle-1", "idle-2"])
        self.assertEqual(self.drained(idle % 12), ["idle-0", "idle-1"])
        self.assertEqual(self.drained(idle % 20), [])
        self.assertEqual(self.drained(idle % 40), [])

    def test_running_work_ends_or_moves(self):
        busy = POLICY % '"allocate", "drain"' + """
nodes:
  - {name: "n[0-1]", cpu: 8, price: 5}
queues:
  - {name: q, quota: {cpu: 8}}
jobs:
  - {name: works, queue: q, duration: 10h, preemptible: %s, running_on: n0, running_since: -1h, tasks: {cpu: 2}}
"""
        # n1 is idle; n0 then does not become empty before the period of one hour ends
        self.assertEqual(self.drained(busy % "true", None, "--value", "1"), ["n1"])
        self.assertEqual(self.drained(busy % "false", None, "--value", "1"), ["n1"])

    def test_without_waiting_work(self):
        quiet = LINE.split("jobs:")[0]
        got = self.advise(quiet, TYPE % (1, ""))
        self.assertEqual((got["waiting_jobs"], got["nodes"]["add"]), (0, []))
        out, _ = self.lsched("advise", self.write("cluster.yaml", quiet))
        self.assertIn("Add no node: no job waits.", out)

    def test_budget(self):
        whole = self.advise(LINE, TYPE % (1, ""), "--value", "10")
        budget = whole["work"] // 2
        half = self.advise(LINE, TYPE % (1, ""), "--value", "10", "--budget", str(budget))
        self.assertTrue(half["stopped"])
        self.assertLessEqual(half["nodes"]["with_all"]["price"], half["nodes"]["before"]["price"])
        said = self.complaint(2, "advise", self.write("cluster.yaml", LINE), "--budget", "1")
        self.assertIn("--budget", said)

    def test_the_order_of_the_text_has_no_meaning(self):
        types = ["{name: \"a-[0-2]\", cpu: 8, price: 2}", "{name: \"b-[0-2]\", cpu: 8, price: 1}"]
        first = self.advise(LINE, f"nodes: [{types[0]}, {types[1]}]", "--value", "10")
        second = self.advise(LINE, f"nodes: [{types[1]}, {types[0]}]", "--value", "10")
        self.assertEqual(first["nodes"], second["nodes"])

    def test_quotas_below_an_unlimited_root_stay(self):
        scenario = LINE.replace("{name: q}", "{name: root, quota: {cpu: unlimited}, children: ["
                                "{name: q, quota: {cpu: 8}}, {name: r, quota: {cpu: 4}}]}").replace(
            "price: 2}", 'price: 2}\n  - {name: "idle-[0-2]", cpu: 4, price: 1}')
        self.assertEqual(self.drained(scenario), ["idle-0", "idle-1"])

    def test_a_node_is_empty_when_its_last_task_is_gone(self):
        # w takes the place of one of the two tasks at once; the other runs for 40 or for 9 h more
        scenario = POLICY.replace("fifo", "priority") % '"allocate", "preempt"' + """
nodes:
  - {name: "n-[0-1]", cpu: 8, price: 100}
queues:
  - {name: q}
jobs:
  - {name: e, queue: q, duration: %dh, disruptions: 1, running_on: [n-0, n-1], running_since: -1h, tasks: {count: 2, min: 1, cpu: 8}}
  - {name: w, queue: q, priority: 5, duration: 20h, tasks: {cpu: 8}}
"""
        self.assertEqual(self.drained(scenario % 41, None, "--value", "1"), [])
        got = self.advise(scenario % 10, None, "--value", "1")["nodes"]
        self.assertEqual([row["name"] for row in got["drain"]], ["n-0"])
        self.assertEqual(got["with_all"]["saved"], 1100)  # from 9 h until 20 h

    def test_fewer_tasks_of_an_elastic_job_cost(self):
        jobs = """
nodes:
  - {name: "n-[0-7]", cpu: 8, price: %d}
  - {name: k, cpu: 4}
queues:
  - {name: q}
jobs:
  - {name: e, queue: q, duration: 10h, running_since: -1h, running_on: ["n-[0-7]"], tasks: {count: 8, min: 1, cpu: 8}}
  - {name: w, queue: q, duration: 9h, tasks: {cpu: 4}}
"""
        drains = POLICY % '"allocate", "drain"'
        got = self.advise(drains + jobs % 30, None, "--value", "20")["nodes"]
        self.assertEqual(len(got["drain"]), 7)
        # in 9 h, one task does an eighth of the work of eight
        self.assertEqual(got["with_all"]["waiting"], 20 * 9 * 7 / 8)
        self.assertEqual(self.drained(drains + jobs % 2, None, "--value", "20"), [])

    def test_wakes_without_an_end(self):
        # s leaves each minute, so there is a cycle each minute; w can start there on the third day
        scenario = POLICY % '"allocate"' + """
nodes:
  - {name: n, cpu: 8, price: 2, taints: "a=b:no-start"}
  - {name: s, cpu: 8, leaves: 0, back: 30s, leaves_every: 1m}
queues:
  - {name: q}
jobs:
  - {name: z, queue: q, duration: 1h, tasks: {cpu: 4}}
  - {name: w, queue: q, begin: 50h, duration: 10s, tasks: {cpu: 4}}
"""
        before = self.advise(scenario)["nodes"]["before"]
        self.assertEqual((before["never"], before["wait_p50"]), (1, 30))

    def test_too_many_cycles(self):
        scenario = POLICY % '"allocate"' + """
nodes:
  - {name: n, cpu: 8, price: 2}
  - {name: s, cpu: 8, price: 1, leaves: 0, back: 30s, leaves_every: 1m}
queues:
  - {name: q}
jobs:
  - {name: r, queue: q, duration: 3650d, running_on: n, tasks: {cpu: 8}}
  - {name: w, queue: q, duration: 1h, tasks: {cpu: 8}}
"""
        said = self.complaint(2, "advise", self.write("cluster.yaml", scenario), "--horizon",
                              "3650d", "--budget", str(10 ** 12))
        self.assertIn("--horizon: the play of the cluster as it is needs more than 200000 cycles",
                      said)

    def test_a_cycle_that_its_budget_cut_goes_on(self):
        tall = "".join(f"  - {{name: big-{i}, queue: q, priority: 9, duration: 1h, "
                       f"tasks: {{cpu: {20 + i}}}}}\n" for i in range(60))
        scenario = LINE.replace("policy:", "schedule: {work_budget: 40}\npolicy:").replace(
            "jobs:\n", "jobs:\n" + tall)
        self.assertEqual(self.advise(scenario)["nodes"]["before"]["never"], 60)

    def test_a_time_limit_ends_a_run(self):
        scenario = POLICY % '"evict-overdue", "allocate"' + """
nodes:
  - {name: n, cpu: 8, price: 100}
  - {name: spare, cpu: 4, price: 100}
queues:
  - {name: q}
jobs:
  - {name: r, queue: q, duration: 10h, time_limit: 2h, running_on: n, tasks: {cpu: 8}}
  - {name: w, queue: q, duration: 1h, tasks: {cpu: 8}}
"""
        got = self.advise(scenario, None, "--value", "1")["nodes"]
        self.assertEqual((got["before"]["waiting"], got["before"]["evicted"]), (2, 0))
        self.assertEqual([row["name"] for row in got["drain"]], ["spare"])

        # also a run that goes on when the play ends, because nothing waits: n is empty after 2 of 5 hours
        quiet = scenario.replace("  - {name: w, queue: q, duration: 1h, tasks: {cpu: 8}}\n", "")
        got = self.advise(quiet, None, "--value", "1", "--hold", "5h")["nodes"]
        self.assertEqual(got["with_all"]["saved"], 300 + 500)
        lax = quiet.replace('"evict-overdue", ', "")
        self.assertEqual(self.drained(lax, None, "--value", "1", "--hold", "5h"), ["spare"])

    def test_tasks_that_stop_at_the_begin_are_gone(self):
        scenario = LINE.split("jobs:")[0] + """jobs:
  - {name: r, queue: q, duration: 10h, tasks: {cpu: 8}}
  - {name: w, queue: q, duration: 1h, submitted: -1h, tasks: {cpu: 8}}
running:
  - {task: r/0, node: n, since: -1h, state: releasing, release: 30s}
"""
        before = self.advise(scenario)["nodes"]["before"]
        self.assertEqual((before["never"], before["waiting"]), (0, 1))

    def test_allowances_are_charged(self):
        scenario = LINE.replace("jobs:", "allowances: {q: {price: {cpu: 1}, amount: 10, period: 24h}}"
                                "\njobs:")
        # a job costs 8 of 10 a day. The 2 that are left pay for the last quarter of an hour before
        # midnight; then 4 are left for the last half hour of the next day, and so on
        before = self.advise(scenario)["nodes"]["before"]
        self.assertEqual(before["waiting"], 0 + 15.75 + 39.5 + 63.25)

    def test_work_that_is_not_preemptible_is_not_stopped(self):
        scenario = POLICY % '"allocate", "drain"' + """
nodes:
  - {name: "n-[0-1]", cpu: 8, price: 100}
  - {name: "m-[0-1]", cpu: 8}
  - {name: k, cpu: 4}
queues:
  - {name: q}
jobs:
  - {name: e, queue: q, duration: 10h, preemptible: %s, running_since: -5h, running_on: [n-0, n-1], tasks: {count: 2, cpu: 8}}
  - {name: w, queue: q, duration: 20h, tasks: {cpu: 4}}
"""
        self.assertEqual(self.drained(scenario % "true", None, "--value", "1"), ["n-0", "n-1"])
        self.assertEqual(self.drained(scenario % "false", None, "--value", "1"), [])

    def test_jobs_cost_while_they_wait(self):
        # w waits until it expires, x until r ends; neither has begun to wait before
        scenario = LINE.split("jobs:")[0] + """jobs:
  - {name: r, queue: q, duration: 10h, running_on: n, tasks: {cpu: 8}}
  - {name: w, queue: q, duration: 1h, expires: 1h, tasks: {cpu: 8}}
  - {name: x, queue: q, duration: 1h, begin: 4h, tasks: {cpu: 8}}
  - {name: y, queue: q, duration: 1h, submitted: 20h, tasks: {cpu: 8}}
"""
        before = self.advise(scenario)["nodes"]["before"]
        self.assertEqual((before["waiting"], before["wait_p50"], before["never"]), (7, 6 * 3600, 1))

    def test_dear_nodes_with_work_before_cheap_idle_ones(self):
        scenario = POLICY % '"allocate", "preempt", "drain"' + """
nodes:
  - {name: "n-[0-1]", cpu: 8, price: 100}
  - {name: "m-[0-1]", cpu: 8, price: 1}
  - {name: k, cpu: 4}
queues:
  - {name: q}
jobs:
  - {name: e, queue: q, duration: 10h, running_since: -5h, running_on: [n-0, n-1], tasks: {count: 2, cpu: 8}}
  - {name: w, queue: q, duration: 20h, tasks: {cpu: 4}}
"""
        self.assertEqual(self.drained(scenario, None, "--value", "1"), ["n-0", "n-1"])

    def test_nodes_that_the_cluster_has_are_left_out(self):
        two = LINE.replace("price: 2}", 'price: 2}\n  - {name: "extra-[0-1]", cpu: 8, price: 1}')
        got = self.advise(two, TYPE % (1, ""), "--value", "10")["nodes"]["add"]
        self.assertEqual([(row["names"], row["of"]) for row in got], [(["extra-2"], 6)])
        self.assertEqual(self.added(LINE, "nodes: [{name: n, cpu: 8, price: 1}]\n", "--value", "10"), {})

    def test_bad_catalogues(self):
        self.bad("nodes: []\n", "expected nodes under `nodes:`")
        self.bad("queues: [{name: q}]\n", "expected nodes under `nodes:`")
        self.bad("nodes: [{name: a, cpu: 1, price: 1}]\nqueues: [{name: q}]\n", "nodes alone")
        self.bad("nodes: [{name: a, cpu: 1}]\n", "node 'a': expected `price`, more than 0")
        self.bad(TYPE % (0, ""), "node 'extra-0': expected `price`, more than 0")
        self.bad(TYPE % ("-1", ""), "nodes.yaml:1:46: expected an amount of money")
        self.bad(TYPE % (1, ", leaves: 0, back: -5m"), "expected a time after 1970")
        self.bad(TYPE % (1, ", leaves: 1m, back: 5m"), "node 'extra-0': expected `leaves: 0`")
        self.bad(TYPE % (1, ", cordoned: true"), "expected a node that is not cordoned")
        self.bad(TYPE % (1, ", power: 2000000W"), "expected `power` of at most 1 MW")
        self.bad("nodes: [{name: a, gpus: {count: 1, modle: H100}, price: 1}]\n", "modle")
        self.bad("nodes: [{name: \"a-[0-4096]\", cpu: 8, price: 1}]\n", "at most 4096 nodes")

    def test_bad_options(self):
        for words, said in ((("--value", "-1"), "--value"), (("--value", "x"), "--value"),
                            (("--hold", "0"), "--hold"), (("--horizon", "20000d"), "--horizon"),
                            (("--hold", "2d", "--horizon", "1d"), "--hold"),
                            (("--energy-price", "1001"), "--energy-price")):
            self.bad(TYPE % (1, ""), said, words=words, expect=2)


if __name__ == "__main__":
    unittest.main()
