"""lsched check: what it finds out about a policy, and how it says what is wrong."""
import json

from lsched_program import ProgramTest, main

MINE = """return {
    api = 1,
    params = { boost = 2 },
    priority = function(job)
        local sum = 0
        for i = 1, 3 do sum = sum + job.priority * params.boost end
        return sum
    end,
    score = function(job, node)
        if job.name == "x" then return 1 end
        return -node.gpu_free
    end,
    fair_share = "quota", quota = function(queue, now)
        return hour(now) < 8 and { gpu = 2 * queue.gpu_quota } or nil
    end,
}
"""


class Check(ProgramTest):
    def checked(self, text, *words, expect=0):
        """stdout with FILE for the file's name."""
        path = self.write("mine.lua", text)
        out, err = self.lsched("check", path, *words, expect=expect)
        self.assertEqual(err, "")
        return out.replace(path, "FILE")

    def details(self, text, *words):
        return self.lsched_json("check", self.write("mine.lua", text), *words)

    def test_what_hooks_read_how_they_run_and_what_they_cost(self):
        out = self.checked(MINE)
        self.assertRegex(out, r"\n  priority +4  in Lua +\d+  10000 jobs +[\d,]+ +[\d.]+ %  job.priority\n")
        self.assertRegex(out, r"\n  score +9  lifted +\d+  10000 jobs x 1000 nodes +[\d,]+ +[\d.]+ %  "
                              r"job.name, node.gpu_free\n")
        self.assertRegex(out, r"\n  quota +13  in Lua +\d+  100 queues .* queue.gpu_quota, now\n")
        self.assertRegex(out, r"all of it once: [\d,]+ of 500,000,000 instructions, [\d.]+ %\n")
        self.assertRegex(out, r"\nFILE:6:\d+: note: priority runs in Lua: a loop\n")
        self.assertRegex(out, r"\nFILE:9:\d+: note: score is called for every job, because it "
                              r"reads job.name; otherwise one call would serve all equal jobs. "
                              r"Each job that is tried costs up to 1,000 calls, one for each node, "
                              r"and [\d,]+ instructions\n")
        self.assertNotIn("warning", out)

    def test_what_a_score_costs_that_equal_jobs_cannot_share(self):
        def notes(score):
            text = "return { api = 1, name = 'x', score = function(job, node, now) return %s end }"
            made = self.details(text % score, "--nodes", "300")
            each = made["hook_details"][0]["instructions_each"]
            return [(n["message"], each) for n in made["notes"] if "every job" in n["message"]]

        for score, why in (("job.waiting - node.gpu_free", "job.waiting"),
                           ("now % 60 - node.gpu_free", "now"),
                           ("job.tasks_placed + now % 60", "job.tasks_placed, now")):
            (message, each), = notes(score)
            self.assertIn("because it reads %s; otherwise" % why, message)
            self.assertIn("costs up to 300 calls, one for each node, and %s instructions"
                          % format(300 * each, ","), message)
        for shared in ("job.gpu - node.gpu_free", "job.duration - node.gpu_free"):
            self.assertEqual(notes(shared), [])

    def test_the_size_is_given(self):
        out = self.checked(MINE, "--nodes", "20", "--jobs", "30", "--queues", "4")
        for asked in ("30 jobs ", "30 jobs x 20 nodes", "4 queues"):
            self.assertIn(asked, out)
        got = self.details(MINE, "--nodes", "20", "--jobs", "30", "--queues", "4")
        self.assertEqual([h["elements"] for h in got["hook_details"]], [30, 4, 600])
        self.assertEqual(got["cost"]["instructions"],
                         sum(h["instructions"] for h in got["hook_details"]))
        for hook in got["hook_details"]:
            self.assertEqual(hook["instructions"], hook["elements"] * hook["instructions_each"])

    def test_a_cycle_beyond_the_budget_is_a_warning(self):
        big = ["--nodes", "100000", "--jobs", "1000000"]
        out = self.checked(MINE, *big)
        self.assertRegex(out, r"^FILE: ok, with 1 warning\n")
        self.assertRegex(out, r"\nFILE: warning: a cycle of this size may need \d+ % of its budget")
        self.checked(MINE, "--strict")
        self.checked(MINE, "--strict", *big, expect=1)

    def test_json_has_the_documented_keys_in_order(self):
        got = self.details(MINE)
        self.assertEqual(list(got), ["file", "ok", "name", "hooks", "placement", "fair_share", "order",
                                     "pipeline", "hash", "eviction", "usage", "hook_details", "cost",
                                     "warnings", "notes"])
        self.assertEqual(got["hooks"], ["priority", "quota", "score"])
        first = got["hook_details"][0]
        self.assertEqual(list(first), ["hook", "line", "column", "compiled", "not_compiled",
                                       "lifted", "not_lifted",
                                       "instructions_each", "elements", "instructions", "reads",
                                       "reads_now"])
        self.assertEqual((first["hook"], first["line"], first["lifted"]), ("priority", 4, False))
        self.assertEqual(list(first["not_compiled"]), ["line", "column", "message"])
        self.assertEqual(first["not_lifted"], first["not_compiled"])
        self.assertEqual(got["hook_details"][2]["not_compiled"], None)
        self.assertEqual(got["hook_details"][2]["reads"], ["job.name", "node.gpu_free"])
        self.assertTrue(got["hook_details"][1]["reads_now"])
        self.assertEqual([note["line"] for note in got["notes"]], [6, 9, 13])

    def test_a_pipeline_that_places_nothing_is_a_warning(self):
        out = self.checked('return { api = 1, fair_share = "quota", pipeline = { "reclaim" } }')
        self.assertIn("warning: the pipeline has none of 'allocate', 'ts-dpbp' and 'backfill': only jobs", out)
        self.assertNotIn("warning", self.checked("return { api = 1 }"))

    def test_a_victim_that_nobody_asks_for_is_a_warning(self):
        hook = "victim = function(job, candidate) return candidate.gpu end"
        out = self.checked("return { api = 1, %s }" % hook)
        self.assertIn("warning: victim is never called: the pipeline names no action", out)
        for pipeline in ('{ "allocate", "preempt" }', "function() return nil end"):
            out = self.checked("return { api = 1, %s, pipeline = %s }" % (hook, pipeline))
            self.assertNotIn("never called", out)

    def test_what_fails_with_unusual_objects_is_a_warning_at_its_place(self):
        out = self.checked("return { api = 1,\n  score = function(job, node)\n"
                           "    return job.gpu / node.gpu end }")
        self.assertRegex(out, r"\nFILE:[23]:\d+: warning: score of .*must return a number")
        warning, = self.details("return { api = 1,\n  score = function(job, node)\n"
                                "    return job.gpu / node.gpu end }")["warnings"]
        self.assertIn(warning["line"], (2, 3))

    def test_what_the_text_says_twice_or_for_nobody_is_a_warning(self):
        out = self.checked("return { api = 1,\n  params = { x = 1, y = 2 },\n"
                           "  priority = function(job) return params.y end }")
        self.assertIn("\nFILE:2:14: warning: the parameter 'x' is not used\n", out)
        self.assertNotIn("'y'", out)
        out = self.checked("return { api = 1,\n  name = 'a',\n  name = 'b' }")
        self.assertIn("FILE:2:3: warning: 'name' is given twice in this table; only the last value is used", out)
        out = self.checked("return { api = 1, speeds = { speed = { a = {\n  ['A100-80GB'] = 1,\n  ['A100-80GB'] = 2 } } } }")
        self.assertIn("FILE:2:4: warning: 'A100-80GB' is given twice in this table; only the last value is used", out)
        self.checked("local x = 'y' return { api = 1, params = { x = 1, [x] = 2 },\n"
                     "  priority = function() return params.x + params.y end }", "--strict")
        self.checked("return { api = 1, params = { x = 1 } }", "--strict", expect=1)

    def test_what_a_table_names_and_the_cluster_lacks_is_a_warning(self):
        policy = self.write("mine.lua", "return { api = 1, speeds = { speed = { train = { ['A100-80G'] = 2 } } } }")
        cluster = self.write("cluster.yaml", "nodes: [{name: a, cpu: 8, gpus: {count: 1, model: A100-80GB}}]\nqueues: [{name: q}]\n"
                             "jobs: [{name: j, queue: q, tasks: {gpu: 1, work_kind: train}}]\n")
        out, _ = self.lsched("check", policy, cluster)
        self.assertIn(f"{policy}: warning: speeds.speed names the model 'A100-80G', which no node has (there is 'A100-80GB')", out)
        self.lsched("check", policy, cluster, "--strict", expect=1)

    def test_all_misspelt_words_are_told_at_once_at_their_places(self):
        path = self.write("mine.lua", """return {
    api = 1, placment = "binpak", pipeline = { "alocate", "reclaim" },
    params = { boost = 1 },
    priority = function(job, queue)
        return job.prority + params.bost * queue.gpu_usd + mth.floor(job.waitng)
    end,
    score = function(job, node) return node.gpu_fre - math.flor(job.gpu) + job.gpuu end,
}
""")
        wanted = [(2, 14, "placement"), (2, 26, "binpack"), (2, 48, "allocate"), (5, 20, "priority"), (5, 37, "boost"),
                  (5, 50, "gpu_used"), (5, 60, "math"), (5, 74, "waiting"), (7, 45, "gpu_free"),
                  (7, 60, "floor"), (7, 80, "gpu")]
        err = self.complaint(3, "check", path)
        self.assertEqual(len(err.splitlines()), len(wanted), err)
        out, _ = self.lsched("check", path, "--json", expect=3)
        got = json.loads(out)
        self.assertEqual(got["error"]["line"], 2)
        for error, line, (row, column, word) in zip(got["errors"], err.splitlines(), wanted):
            self.assertEqual((error["line"], error["message"]), (row, line))
            self.assertIn(f"did you mean '{word}'", line)
            self.assertTrue(line.startswith(f"{path}:{row}:{error['column']}: "))
            self.assertLess(abs(error["column"] - column), 4, line)

    def test_what_cannot_be_guessed_ends_the_list(self):
        path = self.write("mine.lua", "return { api = 1,\n  priority = function(job) return job.frobnicate "
                          "+ job.gpuu end }")
        self.assertEqual(len(self.complaint(3, "check", path).splitlines()), 1)
        path = self.write("mine.lua", "return { api = 1,\n priority = function(job) return job.gpuu end")
        self.assertEqual(len(self.complaint(3, "check", path).splitlines()), 1)

    def test_every_ready_made_policy_is_without_warnings(self):
        for each in self.lsched_json("policies"):
            out, _ = self.lsched("check", each["name"], "--strict")
            self.assertIn(f"{each['name']}: ok\n", out)


main()
