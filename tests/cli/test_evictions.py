"""lsched run and explain where work is stopped, moved and nominated: tables, JSON, and what a queue has a right to."""
import json

from lsched_program import ProgramTest, main

TAKING_BACK = "examples/scenarios/taking-back.yaml"
RECLAIM = """
start: 2026-01-05T08:00Z
policy: guaranteed-quota
nodes: [{name: "n[0-1]", cpu: 64, gpus: 4}]
queues: [{name: a, quota: {gpu: 4}}, {name: b, quota: {gpu: 4}}]
jobs:
  - {name: "x-[0-7]", queue: a, tasks: {gpu: 1}}
  - {name: "y-[0-3]", queue: b, submitted: -1m, tasks: {gpu: 1}}
  - {name: y-wide, queue: b, tasks: {gpu: 8}}
running:
""" + "".join(f"  - {{task: x-{i}/0, node: n{i // 4}, since: -{i + 1}h}}\n" for i in range(8))
MOVE = """
start: 2026-01-05T08:00Z
policy: guaranteed-quota
nodes: [{name: "n[0-1]", cpu: 64, gpus: 4}]
queues: [{name: a, quota: {gpu: 4}}, {name: b, quota: {gpu: 4}}]
jobs:
  - {name: s, queue: a, running_on: n0, running_since: -10m, tasks: {gpu: 1}}
  - {name: t, queue: a, running_on: n1, running_since: -20m, tasks: {gpu: 2}}
  - {name: big, queue: b, tasks: {gpu: 4}}
"""
TOO_MUCH = """
policy: guaranteed-quota
nodes: [{name: "n[0-3]", cpu: 64, gpus: 4}]
queues:
  - name: research
    quota: {gpu: 8}
    lend_limit: {gpu: 2}
    children: [{name: vision, quota: {gpu: 8}}, {name: speech, quota: {gpu: 4}}]
  - {name: product, quota: {gpu: 12}}
jobs: [{name: v, queue: vision, tasks: {count: 3, gpu: 1}}]
"""


class Tables(ProgramTest):
    def table(self, scenario, *words):
        out, err = self.lsched("run", self.write("s.yaml", scenario), *words)
        self.assertEqual(err, "")
        return out

    def test_who_stops_for_whom_at_what_cost(self):
        self.assertIn("""\
at 2026-01-05T08:00:00Z: 8 decisions: 4 nominated, 4 evicted
  action    job      tasks  GPUs each  when         work lost  why                  nodes
  nominate  y-[0-3]      4          1  in 30s                                       n0
    evict   x-[0-3]      4          1  in 30s  10.1 GPU-hours  reclaim for y-[0-3]  n0
""", self.table(RECLAIM))

    def test_what_moves_is_one_line_with_both_places(self):
        out = self.table(MOVE)
        self.assertIn(": 3 decisions: 1 nominated, 1 moved\n", out)
        self.assertRegex(out, r"\n  nominate +big +1 +4  in 30s +n0\n"
                              r"    migrate +s +1 +1  in 30s  11\.0 GPU-minutes  "
                              r"consolidate for big  n0 to n1\n")
        self.assertRegex(out, r"\n  s +a +it moves: its old place should be gone in 30 s\n")
        self.assertRegex(out, r"\n  big +b +its place is being released; it should be free "
                              r"in 30 s\n")

    def test_every_task_has_its_group_of_decisions(self):
        out = self.table(RECLAIM, "--tasks")
        self.assertRegex(out, r"group  action +job +task  node  GPUs  devices  when +work lost  why")
        groups = {}
        for line in out.splitlines():
            words = line.split()
            if words[1:2] in (["nominate"], ["evict"]):
                groups.setdefault(words[0], []).append(words[1])
        self.assertEqual(groups, {str(i): ["evict", "nominate"] for i in range(1, 5)})

    def test_rights_of_queues_and_promises_that_exceed_what_there_is(self):
        out = self.table(TOO_MUCH)
        self.assertIn("""\
  queue     used  quota  guaranteed  fair share  asked for  not lent  limit  jobs waiting
  product      0     12          12           0          0         0      -             0
  research     3      8           8           3          3       1.4      -             0
    speech     0      4           3           0          0         0      -             0
    vision     3      8           5           3          3         0      -             0
  the quotas below research add up to 12 GPUs, but its guarantee is 8: each quota is scaled down in proportion
  the quotas of all queues add up to 20 GPUs, but there are only 16: a queue that holds no more than its quota keeps what it has
""", out)

    def test_a_day_with_a_reclaim_is_told_from_end_to_end(self):
        out, _ = self.lsched("run", TAKING_BACK, "--all")
        self.assertRegex(out, r"9 decisions: 3 nominated, 6 evicted\n")
        self.assertRegex(out, r"evict +sweep +6 .* reclaim for chat-\[0-2\]")
        self.assertRegex(out, r"3 decisions\n.*\n  place +chat-\[0-2\] +3 ")


    def test_what_stops_for_nobody_says_why(self):
        scenario = MOVE.replace("  - {name: big, queue: b, tasks: {gpu: 4}}\n",
                                "schedule: {moves_max: 4}\n")
        out = self.table(scenario, "--all")
        self.assertRegex(out, r"migrate +s +1 .*  consolidate, to free whole nodes  n0 to n1\n")
        gang = """
policy: guaranteed-quota
nodes: [{name: "n[0-1]", cpu: 64, gpus: 4}]
queues: [{name: a, quota: {gpu: 8}}]
settle: confirm
jobs: [{name: g, queue: a, running_on: [n0, n1], tasks: {count: 2, gpu: 4}}]
events: [{at: 10s, remove_nodes: [n1]}, {at: 80s}]
"""
        self.assertRegex(self.table(gang, "--all"),
                         r"1 decision: 1 evicted\n.*\n"
                         r"  evict +g +1 +4  in 30s +its gang is below its minimum  n0\n")

    def test_claims_that_are_taken_back_are_counted(self):
        late = RECLAIM + "settle: confirm\nevents: [{at: 10m}]\n"
        self.assertRegex(self.table(late, "--all"),
                         r"0 decisions: 4 of earlier cycles withdrawn\n")


class Json(ProgramTest):
    def cycle(self, scenario):
        cycle, = self.lsched_json("run", self.write("s.yaml", scenario))["cycles"]
        return cycle

    def test_decisions_say_for_whom_and_what_it_costs(self):
        cycle = self.cycle(RECLAIM)
        self.assertEqual(cycle["totals"], {"placed": 0, "nominated": 4, "evicted": 4, "moved": 0,
                                           "withdrawn": 0, "paused": 0, "swapped_out": 0,
                                           "resumed": 0, "checkpoints": 0, "resizes": 0, "warnings": 0})
        evicted = [each for each in cycle["decisions"] if each["kind"] == "evict"]
        self.assertEqual({(each["job"], each["reason"], each["node"]) for each in evicted},
                         {(f"x-{i}", "reclaim", "n0") for i in range(4)})
        self.assertEqual({each["job"]: each["cost"] for each in evicted},  # GPU-milliseconds
                         {f"x-{i}": (i + 1) * 3600000 + 60000 for i in range(4)})
        self.assertEqual({each["at_us"] - cycle["now_us"] for each in evicted}, {30000000})
        by_group = {each["bundle"]: each["job"] for each in cycle["decisions"]
                    if each["kind"] == "nominate"}
        for each in evicted:  # a victim falls with the job that it goes for
            self.assertEqual(by_group[each["bundle"]], each["for_job"])
        claim = next(each for each in cycle["decisions"] if each["kind"] == "nominate")
        self.assertEqual([claim[key] for key in ("reason", "for_job", "to_node", "cost")],
                         [None] * 4)

    def test_moves_say_where_to(self):
        cycle = self.cycle(MOVE)
        self.assertEqual(cycle["totals"], {"placed": 0, "nominated": 1, "evicted": 0, "moved": 1,
                                           "withdrawn": 0, "paused": 0, "swapped_out": 0,
                                           "resumed": 0, "checkpoints": 0, "resizes": 0, "warnings": 0})
        move, = (each for each in cycle["decisions"] if each["kind"] == "migrate")
        self.assertEqual((move["job"], move["node"], move["to_node"], move["for_job"],
                          move["reason"], move["cost"]),
                         ("s", "n0", "n1", "big", "consolidate", 660000))

    def test_waiting_says_why_nobody_was_evicted(self):
        waiting = {each["job"]: each for each in self.cycle(RECLAIM)["waiting"]}
        self.assertEqual(waiting["y-0"]["code"], "nominated")
        self.assertEqual((waiting["x-0"]["code"], waiting["x-0"]["jobs"]), ("leaving", 4))
        self.assertIsNone(waiting["x-0"]["eviction"])
        self.assertEqual(waiting["y-wide"]["code"], "never-fits")
        with_gang = RECLAIM.replace("gpu: 8", "count: 2, gpu: 4")
        waiting = {each["job"]: each for each in self.cycle(with_gang)["waiting"]}
        self.assertEqual(waiting["y-wide"]["eviction"],
                         {"code": "share", "resource": "gpu", "queue": "b", "need": 8000,
                          "have": 0})

    def test_queues_have_their_rights(self):
        queues = {each["name"]: each["amounts"]["gpu"] for each in self.cycle(TOO_MUCH)["queues"]}
        self.assertEqual(queues["vision"],
                         {"used": 3000, "quota": 8000, "limit": None, "guarantee": 5000,
                          "fair_share": 3000, "demand": 3000, "non_preemptible_use": 0, "used_core": 0,
                          "not_lent": 0, "hold": 0,
                          "decayed_ppm": 0, "limit_now": None})
        self.assertEqual(queues["research"]["hold"], 1400)  # of 8 x 16 / 20 - 3 used - 2 lent


class Explain(ProgramTest):
    def test_who_took_it_is_on_the_terminal_and_in_the_json(self):
        path = self.write("s.yaml", RECLAIM)
        out, _ = self.lsched("explain", path, "x-0")
        self.assertIn("\n  stopped     1 task, 1.0 GPU-hours of work, by reclaim for y-", out)
        self.assertIn("because a held more than its entitlement, and b did not\n", out)
        got = self.lsched_json("explain", path, "x-0")
        self.assertEqual((got["waiting"]["code"], got["tasks_leaving"], got["tasks_nominated"]),
                         ("leaving", 1, 0))
        self.assertEqual([each["state"] for each in got["tasks"]], ["releasing"])
        got = self.lsched_json("explain", path, "y-0")
        self.assertEqual((got["waiting"]["code"], got["tasks_leaving"], got["tasks_nominated"]),
                         ("nominated", 0, 1))
        self.assertEqual([each["state"] for each in got["tasks"]], ["nominated"])


class Policy(ProgramTest):
    def test_a_misspelt_setting_is_an_error_with_its_place(self):
        for text, says in (
                ('eviction = { victims = "cheapst" }', "did you mean 'cheapest'"),
                ("eviction = { releas_seconds = 3 }", "did you mean 'release_seconds'"),
                ("usage = { half_life = -1 }", "half_life"),
                ('pipeline = { "allocate", "reclam" }', "did you mean 'reclaim'"),
                ('fair_share = "quotas"', "did you mean 'quota'")):
            path = self.write("mine.lua", 'return { api = 1, name = "mine",\n  ' + text + " }\n")
            err = self.complaint(3, "check", path)
            self.assertTrue(err.startswith(path + ":2:"), err)
            self.assertIn(says, err)
            scenario = self.write("s.yaml", RECLAIM)
            self.assertIn(says, self.complaint(3, "run", scenario, "--policy", path))
            out, _ = self.lsched("check", path, "--json", expect=3)
            self.assertEqual(json.loads(out)["error"]["line"], 2)

    def test_costs_of_a_policy_are_shown_in_its_own_unit(self):
        path = self.write("mine.lua", """return { api = 1, name = "mine", fair_share = "quota",
  pipeline = { "allocate", "reclaim" },
  victim = function(job, candidate) return 7.5 end }
""")
        out, _ = self.lsched("run", self.write("s.yaml", RECLAIM), "--policy", path)
        self.assertRegex(out, r"when +cost  why")
        self.assertRegex(out, r"evict .* 30  reclaim for y-\[0-3\]")


main()
