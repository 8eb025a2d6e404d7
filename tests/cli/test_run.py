"""lsched run, explain, check and policies: what people see, what programs read, and exit codes."""
import datetime
import glob
import json

from lsched_program import ProgramTest, main

DAY = "examples/scenarios/research-and-product.yaml"
TWO = "examples/scenarios/two-jobs.yaml"


# 8 GPUs that are whole, 8 that are cut
CUT = """nodes:
  - {name: n1, cpu: 64, gpus: {count: 8, model: H100-80GB, memory: 80Gi}}
  - {name: m1, cpu: 64, gpus: {count: 8, model: H100-80GB, memory: 80Gi, sharing: mig}}
policy: guaranteed-quota
queues: [{name: gangs, quota: {gpu: 12}}]
jobs: [{name: g, queue: gangs, tasks: {count: 1, gpu: 4}}]
"""


class Run(ProgramTest):
    def test_every_example_runs_and_holds(self):
        scenarios = glob.glob("examples/scenarios/*.yaml")
        self.assertIn(DAY, scenarios)
        for path in scenarios:
            self.lsched("run", path)
            out, err = self.lsched("run", path, "--all")
            self.assertIn(" 0 failed\n", out)
            self.assertEqual(err, "")

    def test_the_table_says_what_starts_what_waits_and_why(self):
        out, _ = self.lsched("run", TWO)
        self.assertRegex(out, r"place +train +1 +6 +gpu-1\n")
        self.assertIn("1 job waits\n", out)
        self.assertRegex(out, r"evaluate +team +.*needs 2 GPUs")
        self.assertRegex(out, r"\n  team +6 ")
        self.assertIn("verified", out)

    def test_equal_jobs_share_a_line_and_tasks_get_their_own_when_asked(self):
        out, _ = self.lsched("run", DAY)
        self.assertRegex(out, r"eval-\[1-4\] +4 +8 +h100-\[40-43\]\n")
        self.assertRegex(out, r"notebook-\[a-f\] +6 +0\.25 +l40-0\n")
        out, _ = self.lsched("run", DAY, "--tasks")
        self.assertRegex(out, r"place +eval-4 +0 +h100-43 +8 +0-7\n")
        self.assertRegex(out, r"place +notebook-a +0 +l40-0 +0\.25 +0\n")

    def test_what_the_policy_says_is_shown(self):
        policy = self.write("says.lua", "return { api = 1, score = function(job, node)\n"
                                        "log('has ' .. node.gpu_free .. ' GPUs') return 1\nend }")
        says = "score of job 'train' on node 'gpu-1': has 8 GPUs"
        out, _ = self.lsched("run", TWO, "--policy", policy)
        self.assertIn(f"\npolicy says: {says}\n", out)
        cycle, = self.lsched_json("run", TWO, "--policy", policy)["cycles"]
        self.assertEqual(cycle["policy_log"][0], says)
        self.assertNotIn("policy says", self.lsched("run", TWO)[0])

    def test_json_has_the_documented_keys_in_order(self):
        got = self.lsched_json("run", TWO)
        self.assertEqual(list(got), ["file", "cycles", "expectations", "complete"])
        self.assertEqual((got["file"], got["complete"]), (TWO, True))
        cycle, = got["cycles"]
        self.assertEqual(list(cycle), ["step", "cycle", "now", "now_us", "policy", "plan_hash",
                                       "flags", "policy_error", "policy_log",
                                       "next_wake_us", "work", "totals", "decisions",
                                       "waiting", "queues", "reservations"])
        now = datetime.datetime.fromtimestamp(cycle["now_us"] / 1e6, datetime.timezone.utc)
        self.assertEqual(cycle["now"], now.strftime("%Y-%m-%dT%H:%M:%SZ"))
        self.assertEqual(cycle["flags"], ["verified"])
        decision, = cycle["decisions"]
        self.assertEqual(list(decision), ["kind", "job", "task", "group", "node", "devices",
                                          "device_milli", "device_memory_bytes", "bundle", "at_us",
                                          "reason", "for_job", "to_node", "cost", "numa", "nics",
                                          "alternative", "mig", "starts", "repartition", "recut",
                                          "until_us"])
        self.assertEqual((decision["kind"], decision["job"], decision["task"], decision["node"],
                          len(decision["devices"]), decision["device_milli"]),
                         ("place", "train", 0, "gpu-1", 6, 1000))
        waiting, = cycle["waiting"]
        self.assertEqual(list(waiting), ["code", "queue", "job", "jobs", "resource", "need", "have",
                                         "nodes_able", "nodes_free", "until_us", "nearest_node",
                                         "starts_us", "starts_after", "limiting_queue", "eviction",
                                         "text"])
        self.assertEqual((waiting["code"], waiting["queue"], waiting["job"], waiting["jobs"]),
                         ("gang", "team", "evaluate", 1))
        queue, = cycle["queues"]
        self.assertEqual(queue["amounts"]["gpu"],
                         {"used": 6000, "quota": 0, "limit": None, "guarantee": 0,
                          "fair_share": None, "demand": 10000, "non_preemptible_use": 0, "used_core": 0,
                          "not_lent": 0, "hold": 0,
                          "decayed_ppm": 0, "limit_now": None})
        self.assertEqual(queue["amounts"]["memory"]["used"], 256 << 30)

    def decisions(self, text, *words):
        path = self.write("inside.yaml", text)
        return [each for cycle in self.lsched_json("run", path, *words)["cycles"]
                for each in cycle["decisions"]]

    def test_times_at_which_holds_and_proposals_end_are_shown(self):
        got = self.lsched_json("run", "--all", self.write("until.yaml", """
start: 2026-01-05T08:00Z
settle: manual
nodes: [{name: n, cpu: 4}]
queues: [{name: q}]
jobs: [{name: first, queue: q, tasks: {cpu: 4}}, {name: second, queue: q, tasks: {cpu: 4}},
       {name: third, queue: q, tasks: {cpu: 4}}]
schedule: false
events:
  - at: 10s
    hold: [{name: first, until: 50s}, {name: third}]
    schedule: {all_waiting: true, proposal_life: 1m}
  - at: 60s
    schedule: {all_waiting: true}
"""))
        begin = 1767600000000000
        first, later = got["cycles"]
        self.assertEqual([(each["job"], each["until_us"]) for each in first["decisions"]],
                         [("second", begin + 70_000_000)])
        self.assertEqual({each["job"]: (each["code"], each["until_us"]) for each in first["waiting"]},
                         {"first": ("host-hold", begin + 60_000_000), "third": ("host-hold", None)})
        self.assertEqual(later["now_us"], begin + 60_000_000)
        self.assertEqual({each["job"]: (each["code"], each["until_us"]) for each in later["waiting"]},
                         {"first": ("room", None), "third": ("host-hold", None)})

    def test_decisions_say_which_mig_instances_are_meant(self):
        text = """
queues: [{name: q}]
nodes: [{name: n, cpu: 64, gpus: {count: 1, model: H100-80GB, memory: 80Gi, sharing: mig,
         geometry: [1g.10gb@6]}}]
jobs: [{name: one, queue: q, priority: 1, tasks: {mig: 1g.10gb}},
       {name: half, queue: q, tasks: {mig: 3g.40gb}}]
"""
        one, half = self.decisions(text)
        self.assertEqual((one["mig"], one["starts"], one["repartition"]), ("1g.10gb", [6], []))
        self.assertEqual((half["mig"], half["starts"], half["recut"]), ("3g.40gb", [0], [0]))
        self.assertEqual(half["device_memory_bytes"], 40 << 30)
        out, _ = self.lsched("run", self.write("inside.yaml", text), "--tasks")
        self.assertRegex(out, r"devices +MIG +recut\n")
        self.assertRegex(out, r"place +one .* 0 +1g\.10gb@6 +-\n")
        self.assertRegex(out, r"place +half .* 0 +3g\.40gb@0 +0\n")

    def test_decisions_say_numa_nodes_cards_and_alternatives(self):
        text = """
queues: [{name: q}]
nodes:
  - name: n
    cpu: 64
    memory: 512Gi
    gpus: {count: 4, model: H100}
    machine:
      links: nvswitch
      numa: [{cpu: 32, memory: 256Gi}, {cpu: 32, memory: 256Gi}]
      gpus: [0, 0, 1, 1]
      nics: [{name: a, numa: 0}, {name: b, numa: 1}]
      nic_links: [PIX PIX SYS SYS, SYS SYS PIX PIX]
jobs:
  - {name: wide, queue: q, priority: 2, tasks: {gpu: 2, cpu: 1, numa: required}}
  - {name: near, queue: q, priority: 1, tasks: {gpu: 1, cpu: 1, nics: 1}}
  - {name: other, queue: q, tasks: {cpu: 1, alternatives: [{gpus: 4}, {gpus: 1}]}}
"""
        wide, near, other = self.decisions(text)
        self.assertEqual((wide["numa"], wide["nics"], wide["alternative"]), ([0], [], 0))
        self.assertEqual((near["numa"], near["nics"], near["mig"]), ([], [1], None))
        self.assertEqual((other["alternative"], other["starts"], other["repartition"]), (1, [], []))
        out, _ = self.lsched("run", self.write("inside.yaml", text), "--tasks")
        self.assertRegex(out, r"devices +NUMA +NICs\n")
        self.assertRegex(out, r"place +wide .* 0-1 +0 +-\n")
        self.assertRegex(out, r"place +near .* 2 +- +1\n")

    def test_what_gives_way_for_device_memory_has_lines_of_its_own(self):
        for path, what, word in (("S-share-swap", "swap out", "swapped out"),
                                 ("S-share-wait", "pause", "paused")):
            for words in ([], ["--tasks"]):
                out, _ = self.lsched("run", f"tests/scenarios/{path}.yaml", "--all", *words)
                self.assertRegex(out, rf"decisions?: \d {word}\n(.*\n)? +{what} ")
                self.assertRegex(out, r"decisions?: .*\d resumed\n(.*\n)? +resume ")
        cycle = self.lsched_json("run", "tests/scenarios/S-share-swap.yaml", "--all")["cycles"][1]
        self.assertEqual((cycle["totals"]["swapped_out"], cycle["totals"]["paused"]), (2, 0))
        self.assertEqual({(each["kind"], each["reason"]) for each in cycle["decisions"]},
                         {("suspend", "collision")})

    def test_the_limit_shown_is_the_one_in_force(self):
        path = self.write("limit.yaml", """
policy:
  text: |
    return { api = 1, limit = function(queue) return { gpu = 3 } end }
nodes: [{name: n, cpu: 8, gpus: 4}]
queues: [{name: q, limit: {gpu: 2}}]
""")
        out, _ = self.lsched("run", path)
        self.assertRegex(out, r"\n  q +0 +0 +3 +0\n")
        gpu = self.lsched_json("run", path)["cycles"][0]["queues"][0]["amounts"]["gpu"]
        self.assertEqual((gpu["limit"], gpu["limit_now"]), (2000, 3000))

    def test_all_cycles_are_in_the_json_and_agree_with_the_first_alone(self):
        one, every = self.lsched_json("run", DAY), self.lsched_json("run", DAY, "--all")
        self.assertEqual(len(one["cycles"]), 1)
        self.assertEqual([cycle["cycle"] for cycle in every["cycles"]], [0, 1, 2, 3])
        self.assertEqual(one["cycles"][0]["decisions"], every["cycles"][0]["decisions"])
        self.assertEqual(one["cycles"][0]["plan_hash"], every["cycles"][0]["plan_hash"])
        self.assertGreater(every["expectations"]["checked"], 0)
        self.assertEqual(every["expectations"]["failed"], 0)

    def test_the_same_input_gives_the_same_bytes(self):
        for words in (["run", DAY, "--json", "--all"], ["run", DAY], ["explain", DAY, "llm"]):
            self.assertEqual(self.lsched(*words), self.lsched(*words))

    def test_now_moves_the_cycle(self):
        for when, now in (("2h30m", "2026-01-05T10:30:00Z"),
                          ("2026-02-01", "2026-02-01T00:00:00Z")):
            self.assertEqual(self.lsched_json("run", DAY, "--now", when)["cycles"][0]["now"], now)
        self.assertIn("expected a date", self.complaint(2, "run", DAY, "--now", "tomorrow"))

    def test_the_options_of_the_first_cycle_are_those_of_the_scenario(self):
        text = ("nodes: [{name: n, cpu: 2}]\nqueues: [{name: q}]\n"
                "jobs: [{name: 'a-[0-1]', queue: q, tasks: {cpu: 1}}]\n")
        one = self.write("one.yaml", text + "schedule: {decisions_max: 1}\n")
        got = self.lsched_json("run", one)["cycles"][0]
        self.assertEqual([each["job"] for each in got["decisions"]], ["a-0"])
        self.assertIn("waits for the next cycle", self.lsched("explain", one, "a-1")[0])
        later = self.write("later.yaml", text + "schedule: {now: 40s}\n")
        self.assertIn("at 1970-01-01T00:00:40Z, 40s after the start: 2 decisions", self.lsched("run", later)[0])
        self.assertIn("at 1970-01-01T00:00:50Z", self.lsched("run", later, "--now", "50s")[0])
        none = self.write("none.yaml", text + "schedule: false\n")
        self.assertIn("runs no cycle at its start (schedule: false)", self.lsched("run", none)[0])

    def test_another_policy_may_be_tried(self):
        got = self.lsched_json("run", DAY, "--policy", "spread")["cycles"][0]
        self.assertEqual((got["policy"]["name"], got["policy"]["placement"]), ("spread", "spread"))
        nodes = {each["node"] for each in got["decisions"] if each["job"].startswith("notebook")}
        self.assertEqual(len(nodes), 4)  # of four machines, not on one

    def test_parameters_that_nothing_uses_are_warned_of(self):
        path = self.write("typo.yaml", (
            "policy: {name: p, text: 'return { api = 1, pipeline = { \"backfill\" }, params = { backfill_reservation = 1 } }'}\n"
            "nodes: [{name: n, cpu: 8}]\nqueues: [{name: q}]\njobs: [{name: j, queue: q, tasks: {cpu: 1}}]\n"))
        out, _ = self.lsched("run", path)
        self.assertIn("\nwarning: p:1:57: the parameter 'backfill_reservation' is not used\n", out)

    def test_guarantees_that_jobs_can_never_use_are_warned_of(self):
        path = self.write("cut.yaml", CUT)
        said = "queue gangs is guaranteed 12 GPUs and can use at most 8: "
        out, _ = self.lsched("run", path)
        self.assertIn(f"\nwarning: {said}", out)
        self.assertEqual(out.count("warning:"), 1)
        got = self.lsched_json("run", path)
        self.assertEqual([w.startswith(said) for w in got["warnings"]], [True])
        got = self.lsched_json("run", path, "--policy", "fifo")
        self.assertEqual(["guarantees nothing" in w for w in got["warnings"]], [True])
        whole = self.write("whole.yaml", CUT.replace(", sharing: mig", ""))
        self.assertNotIn("warnings", self.lsched_json("run", whole))
        out, err = self.lsched("check", "guaranteed-quota", path, "--strict", expect=1)
        self.assertIn(f"guaranteed-quota: warning: {said}", out)
        self.assertEqual(err, "")
        for words in (["guaranteed-quota"], ["guaranteed-quota", whole]):
            out, _ = self.lsched("check", *words, "--strict")
            self.assertNotIn("warning", out)
        got = self.lsched_json("check", "guaranteed-quota", path)
        self.assertEqual([w["message"].startswith(said) for w in got["warnings"]], [True])

    def test_an_expectation_that_does_not_hold_is_exit_code_one(self):
        with open(TWO, encoding="utf-8") as text:
            path = self.write("wrong.yaml",
                              text.read() + "expect: {jobs: {evaluate: {placed: 2}}}\n")
        self.lsched("run", path)  # one cycle checks nothing, and says so
        out, err = self.lsched("run", path, "--all", expect=1)
        self.assertIn("1 expectation checked, 1 failed", out)
        self.assertRegex(err, r"^.*wrong\.yaml:\d+:\d+: expected .*\n$")
        out, _ = self.lsched("run", path, "--all", "--json", expect=1)
        got = json.loads(out)["expectations"]
        self.assertEqual((got["checked"], got["failed"], len(got["failures"])), (1, 1, 1))

    def test_wrong_scenarios_are_input_errors_with_a_place(self):
        for text, says in (("nodes: [", ":1:"), ("nodse: []\n", ":1:1: "),
                           ("nodes:\n  - {name: a, cpu: 4x}\n", ":2:20: "),
                           ("jobs:\n  - {name: j, queue: q, tasks: {}}\n", "'q'|\"q\"")):
            path = self.write("wrong.yaml", text)
            _, err = self.lsched("run", path, expect=3)
            self.assertTrue(err.startswith(path + ":"), err)
            self.assertRegex(err, says)

    def test_errors_of_scenarios_speak_of_their_keys(self):
        bad, errors = [], 0
        for path in glob.glob("tests/scenarios/bad/*.yaml"):
            with open(path, encoding="utf-8", newline="") as file:
                bad.append(file.read())
        for tasks in ("gpu: 1.5", "gpu: 40", "gpu: 2, devices: 5", "cpu: 1, gpu_memory: 4Gi, models: [A]",
                      "cpu: 1, tolerations: [{value: a}]", "count: 2, min: 3, cpu: 1",
                      "cpu: 1, tolerations: [{key: a, effect: avoid, for: 1h}]"):
            bad.append("nodes: [{name: n, cpu: 8, gpus: 4}]\nqueues: [{name: q}]\n"
                       f"jobs: [{{name: j, queue: q, tasks: {{{tasks}}}}}]\n")
        library = r"LSCHED_|\b[a-z]+_(us|milli|bytes|elem|size)\b|gpu_devices|any_value|spread_max|spread_level|milli-GPU"
        for text in bad:
            path = self.write("bad.yaml", text)
            _, err = self.lsched("run", "--all", path, expect=None)
            said = [line for line in err.splitlines() if line.startswith(path)]
            errors += len(said)
            for line in said:
                self.assertNotRegex(line, library, text)
        self.assertGreater(errors, 40)

    def test_json_stays_json_when_a_later_step_is_wrong(self):
        with open(TWO, encoding="utf-8") as text:
            path = self.write("wrong.yaml", text.read() + "events: [{at: 1h, finish: [nobody]}]\n")
        out, err = self.lsched("run", path, "--all", "--json", expect=3)
        got = json.loads(out)
        self.assertEqual((len(got["cycles"]), got["complete"]), (1, False))
        self.assertIn("nobody", err)

    def test_reservations_are_listed_by_name_with_their_next_windows(self):
        path = self.write("kept.yaml", "nodes: [{name: 'n[1-3]', cpu: 4}, {name: spare, cpu: 4}]\n"
                          "queues: [{name: a}, {name: b}]\n"
                          "reservations:\n"
                          "  r10: {nodes: ['n[1-2]', spare], queue: b, start: 1h, end: 2h, every: 24h}\n"
                          "  r2: {nodes: [n3], queue: a, start: 1s}\n")
        out, _ = self.lsched("run", path, "--now", "26h")
        self.assertIn("""
Nodes that are kept for a queue
  reservation  for queue  from                  until                 repeats    nodes
  r2           a          now                   never                 once       n3
  r10          b          1970-01-03T01:00:00Z  1970-01-03T02:00:00Z  every 24h  n[1-2], spare
""", out)
        got = self.lsched_json("run", path, "--now", "26h")["cycles"][0]["reservations"]
        hour = 3600 * 10**6
        self.assertEqual(got, [
            {"name": "r2", "queue": "a", "from_us": 10**6, "until_us": None, "every_us": 0,
             "nodes": ["n3"]},
            {"name": "r10", "queue": "b", "from_us": 49 * hour, "until_us": 50 * hour,
             "every_us": 24 * hour, "nodes": ["n1", "n2", "spare"]}])
        self.assertNotIn("kept for a queue", self.lsched("run", TWO)[0])

    def test_a_range_is_no_name_of_one_object(self):
        head = "nodes: [{name: n, cpu: 8}]\nqueues: [{name: q}]\n"
        for text in ("reservations: {'r[0-1]': {nodes: [n], queue: q, start: 1h}}\n",
                     "supplies: {'s[0-1]': 4}\n", "pools: {'p[0-1]': {kind: a}}\n",
                     "resource_parts: {'x[0-1]': {model: A100}}\n"):
            err = self.complaint(3, "run", self.write("s.yaml", head + text))
            self.assertRegex(err, r"s\.yaml:3:\d+: expected one name, got \"\w\[0-1\]\"")

    def test_a_step_that_the_cluster_refuses_is_a_wrong_file(self):
        with open(TWO, encoding="utf-8") as text:
            scenario = text.read()
        for step, says in (("remove_queues: [team]", "queue 'team' has"),
                           ("reservations: {r: {nodes: [gpu-1], queue: team, start: 1h}}, "
                            "remove_queues: [team]", "holds reservation")):
            path = self.write("refused.yaml", scenario + f"events: [{{at: 1h, {step}}}]\n")
            _, err = self.lsched("run", path, "--all", expect=3)
            self.assertRegex(err, r"refused\.yaml:\d+:\d+: .*" + says)

    def test_a_scenario_may_come_from_standard_input_and_name_a_policy_file_beside_it(self):
        with open(TWO, encoding="utf-8") as text:
            scenario = text.read()
        out, _ = self.lsched("run", "-", stdin=scenario)
        self.assertTrue(out.startswith("standard input: 1 node"), out)
        self.write("mine.lua", 'return { api = 1, name = "mine" }\n')
        path = self.write("with-policy.yaml", scenario + "policy: {file: mine.lua}\n")
        self.assertEqual(self.lsched_json("run", path)["cycles"][0]["policy"]["name"], "mine")


class Explain(ProgramTest):
    def test_text(self):
        out, _ = self.lsched("explain", DAY, "llm")
        self.assertTrue(out.startswith("llm waits (training, priority 50, 32 tasks x 8 GPUs"), out)
        out, _ = self.lsched("explain", DAY, "search")
        self.assertTrue(out.startswith("search runs (product, priority 80, 28 tasks x 8 GPUs, "
                                       "gang, not preemptible).\n"), out)

    def test_json(self):
        got = self.lsched_json("explain", TWO, "evaluate")
        self.assertEqual(list(got), ["file", "cycle", "now", "now_us", "job", "queue", "priority",
                                     "tasks_wanted", "tasks_min", "tasks_min_submitted",
                                     "tasks_placed", "tasks_running", "tasks_releasing", "tasks_leaving",
                                     "tasks_nominated", "running_since_us", "first_start_us", "time_limit_us",
                                     "due_us", "held", "hold_until_us", "hold_reason",
                                     "begin_us", "expires_us", "dependencies", "dependencies_never",
                                     "end", "waiting", "tasks", "terms", "text"])
        self.assertEqual([got[key] for key in ("time_limit_us", "due_us", "held", "end")], [None] * 4)
        self.assertEqual((got["queue"], got["tasks_wanted"], got["tasks"]), ("team", 2, []))
        self.assertEqual(got["waiting"]["code"], "gang")
        got = self.lsched_json("explain", TWO, "train")
        self.assertIsNone(got["waiting"])
        task, = got["tasks"]
        self.assertEqual((task["state"], task["node"], len(task["devices"])),
                         ("proposed", "gpu-1", 6))

    def test_how_running_work_ends(self):
        path = self.write("ends.yaml", """
start: 2026-01-05T08:00Z
nodes: [{name: n, gpus: 8, leaves: 6h, back: 8h}]
queues: [{name: team}]
allowances: {team: {price: {gpu: 1}, amount: 8, spent: end, grace: 1h}}
jobs: [{name: train, queue: team, running_on: n, duration: 10h, tasks: {gpu: 4}}]
""")
        got = self.lsched_json("explain", path, "train")
        hour, now = 3_600_000_000, got["now_us"]
        self.assertEqual(got["end"], {
            "expected_us": now + 10 * hour, "limit_us": None, "allowance_queue": "team", "spent": "end",
            "spent_us": now + 2 * hour, "spent_stop_us": now + 3 * hour, "leaving_node": "n",
            "leaves_us": now + 6 * hour, "back_us": now + 8 * hour, "soft_us": None})
        self.assertIn("the job is stopped at 11:00 (in 3 h), after a grace of 60 min", got["text"])

    def test_a_later_cycle(self):
        self.assertEqual(self.lsched_json("explain", DAY, "llm", "--cycle", "2")["tasks"], [])
        got = self.lsched_json("explain", DAY, "llm", "--cycle", "3")
        self.assertEqual((len(got["tasks"]), got["now"]), (32, "2026-01-05T14:00:00Z"))
        self.assertIn("the scenario has 4",
                      self.complaint(2, "explain", DAY, "llm", "--cycle", "4"))

    def test_a_hint_stands_once(self):
        head = 'nodes: [{name: n, cpu: 8}]\nqueues: [{name: research}]\n'
        for text, meant in (("jobs: [{name: j, queue: reserch, tasks: {cpu: 1}}]\n", "research"),
                            ("events: [{submit: [{name: j, queue: reserch, tasks: {cpu: 1}}]}]\n", "research"),
                            ("policy: guarantied-quota\n", "guaranteed-quota"),
                            ("events: [{remove_queues: [reserch]}]\n", "research"),
                            ("events: [{update_queues: [{name: reserch, jobs_max: 1}]}]\n", "research"),
                            ("queus: []\n", "queues")):
            with self.subTest(text):
                file = self.write("s.yaml", head + text)
                _, err = self.lsched("run", file, "--all", expect=3)
                self.assertEqual(err.count("did you mean"), 1, err)
                self.assertIn(meant, err)

    def test_an_unknown_job(self):
        self.assertIn("did you mean 'sweep'?", self.complaint(2, "explain", DAY, "sweeep"))
        self.assertIn("has no job 'nothing-like-it' (of 16); one that comes later is there with "
                      "--cycle N\n", self.complaint(2, "explain", DAY, "nothing-like-it"))
        self.assertIn("has no job 'nothing-like-it' (of 2)\n",
                      self.complaint(2, "explain", TWO, "nothing-like-it"))


class Policies(ProgramTest):
    def test_the_list_and_the_texts_agree(self):
        listed = {each["name"]: each for each in self.lsched_json("policies")}
        for name in ("best-fit", "fgd", "least-fragmentation", "binpack", "spread"):
            self.assertEqual(listed[name]["placement"], name)
        out, _ = self.lsched("policies")
        for name, policy in listed.items():
            self.assertIn(policy["purpose"], out)
            text, _ = self.lsched("policies", name)
            path = self.write(name + ".lua", text)
            checked = self.lsched_json("check", path)
            self.assertEqual((checked["ok"], checked["name"]), (True, name))
            for key in ("hooks", "placement", "fair_share", "order", "pipeline", "hash"):
                self.assertEqual(checked[key], policy[key])
        self.assertIn("did you mean 'spread'?", self.complaint(2, "policies", "sprad"))

    def test_check_says_what_a_policy_does(self):
        path = self.write("mine.lua", """return {
  api = 1, name = "mine", placement = "spread",
  priority = function(job) return job.priority + job.waiting end,
  score = function(job, node) return node.cpu_free end,
}
""")
        out, err = self.lsched("check", path)
        self.assertEqual(err, "")
        self.assertTrue(out.startswith(path + ": ok\n  name        mine\n"), out)
        self.assertIn("hooks       priority, score\n", out)
        got = self.lsched_json("check", path)
        self.assertEqual((got["ok"], got["hooks"], got["placement"]),
                         (True, ["priority", "score"], "spread"))

    def test_check_shows_how_work_is_evicted(self):
        path = self.write("mine.lua", """return {
  api = 1, name = "mine", fair_share = "quota", order = "deadline",
  pipeline = { "allocate", "reclaim" },
  eviction = { per_hour = 20, victims = "fewest", saturation = 1.25, release_seconds = 90 },
  usage = { half_life = 3600, weight = 0.5 },
  victim = function(job, candidate) return candidate.lost end,
}
""")
        out, _ = self.lsched("check", path)
        self.assertIn("""  hooks       victim
  placement   binpack
  fair share  quota
  order       deadline
  pipeline    allocate reclaim
  eviction    protection path, victims fewest, saturation 1.25
              release 1m30s, grace 2m, stale grace 1m, preemption delay 0s
              at most 20 an hour, at most 16 moves at once
  usage       half-life 1h, weight 0.5
""", out)
        got = self.lsched_json("check", path)
        self.assertEqual(got["pipeline"], ["allocate", "reclaim"])
        self.assertEqual(got["eviction"], {
            "protection": "path", "victims": "fewest", "release_us": 90_000_000,
            "grace_us": 120_000_000, "preemption_delay_us": 0, "stale_grace_us": 60_000_000,
            "per_hour": 20, "moves_max": 16, "saturation_milli": 1250})
        self.assertEqual(got["usage"], {"half_life_us": 3_600_000_000, "window_us": 0,
                                        "weight_milli": 500})
        out, _ = self.lsched("check", "fifo")
        self.assertNotIn("eviction", out)

    def test_check_points_at_the_first_error(self):
        for text, where in (("return {\n  api = 1, name = 'x',\n  priorty = 1 }\n", ":3:"),
                            ("return {\n  api = 1, name = 'x', +\n", ":2:"),
                            ("return { api = 1, name = 'x',\n"
                             "  priority = function(job) return job.prority end }\n", ":2:")):
            path = self.write("wrong.lua", text)
            err = self.complaint(3, "check", path)
            self.assertTrue(err.startswith(path + where), err)
            self.assertEqual(err.count(path), 1, err)
            out, _ = self.lsched("check", path, "--json", expect=3)
            got = json.loads(out)
            self.assertFalse(got["ok"])
            self.assertEqual(where, f":{got['error']['line']}:")
            self.assertGreater(got["error"]["column"], 0)

    def test_parameters_of_an_action_count_wherever_they_are_given(self):
        # whoever copies plan-ahead edits its numbers: the plan must be that of the same numbers from outside
        def plan(own, given):
            text = f'return {{ api = 1, order = "fifo", pipeline = {{ "ts-dpbp" }}, params = {{ ts_window = {own} }} }}'
            path = self.write("plan.yaml", "start: 2026-01-05T08:00Z\npolicy:\n  name: mine\n  text: |\n    " + text + "\n" +
                              (f"  params: {{ts_window: {given}}}\n" if given else "") +
                              "nodes:\n- {name: n, cpu: 64, gpus: 8}\nqueues:\n- {name: q}\njobs:\n"
                              "- {name: old, queue: q, duration: 2h, running_on: n, running_since: -1h, tasks: {gpu: 6}}\n"
                              "- {name: wide, queue: q, submitted: -30m, duration: 1h, tasks: {gpu: 8}}\n"
                              "- {name: long, queue: q, submitted: -20m, duration: 3h, tasks: {gpu: 2}}\n"
                              "- {name: short, queue: q, submitted: -10m, duration: 50m, tasks: {gpu: 2}}\n")
            return self.lsched_json("run", path)["cycles"][0]["plan_hash"]
        for window in (1, 2, 64):
            self.assertEqual(plan(window, None), plan(7, window), window)
        self.assertNotEqual(plan(1, None), plan(64, None))

    def test_a_policy_that_never_ends_is_stopped(self):
        path = self.write("loop.lua", "while true do end\n")
        self.assertIn(path, self.complaint(3, "check", path))


main()
