"""lsched test: what a test of a policy can say, and what it shows when something does not hold."""
import re

from lsched_program import ProgramTest, main

HEAD = """local test = ...
local function cluster(gpus)
    return test.cluster {
        nodes = { { name = "n", gpus = gpus, cpu = 8 } }, queues = { { name = "q" } },
    }
end
"""


class PolicyTests(ProgramTest):
    def outcome(self, body, *words, expect=0):
        """The output of one test with this body, which begins at line 8."""
        path = self.write("x_test.lua", f'{HEAD}test("it", function()\n{body}\nend)\n')
        out, err = self.lsched("test", path, *words, expect=expect)
        return out.replace(path, "FILE"), err

    def fails(self, body, *says):
        out, _ = self.outcome(body, expect=1)
        for text in says:
            self.assertIn(text, out)
        self.assertTrue(out.endswith("1 test, 1 failed\n"), out)
        return out

    def test_plans_waiting_time_and_events(self):
        self.write("deadline.lua", """return { api = 1, name = "nearest",
            priority = function(job) return -job.deadline end }""")
        out, err = self.outcome("""
            test.policy("deadline.lua")
            local c = cluster(1)
            c:submit { name = "late", tasks = { gpu = 1 }, deadline = "2h", duration = "10m" }
            c:submit { { name = "soon", tasks = { gpu = 1 }, deadline = "1h" } }
            local plan = c:schedule()
            test.placed(plan, "soon", 1)
            test.on(plan, "soon", "n")
            test.not_placed(plan, "late")
            test.waits(plan, "late", "room", "needs 1 GPU")
            test.not_evicted(plan)
            test.equal(plan.decisions[1].devices, { 0 })
            test.equal(#plan.waiting, 1)
            c:advance("10m")
            c:finish "soon"
            test.equal(c:job("soon"), nil)
            test.placed(c:schedule(), "late", "n")
            test.near(c:now(), 1767571200 + 600)
            test.equal(c:node("n").gpu_free, 0)
            test.equal(c:queue("q").gpu.used, 1)
            c:expect { jobs = { late = { running = 1 } } }
            test.equal(#c:run("1h"), 0)
            test.equal(c:job("late"), nil, "ended by its duration")
            test.ok(c:policy().name == "nearest")
        """)
        self.assertEqual((out, err), ("1 test, 0 failed\n", ""))

    def test_evictions_nominations_and_what_the_policy_says(self):
        self.outcome("""
            test.policy [[
                return { api = 1, fair_share = "quota", pipeline = { "allocate", "reclaim" },
                    priority = function(job) log("seen") return 1 end }]]
            local c = test.cluster {
                nodes = { { name = "n", gpus = 4 } },
                queues = { { name = "owner", quota = { gpu = 4 } }, { name = "guest" } },
                jobs = { { name = "g-[0-1]", queue = "guest", tasks = { gpu = 2 } } },
                running = { { task = "g-[0-1]/0", node = "n", since = "-1h" } },
                start = "2026-01-05T08:00Z",
            }
            local plan = c:schedule { submit = { name = "big", queue = "owner", tasks = { gpu = 4 } } }
            test.evicted(plan, "g-0", "reclaim")
            test.evicted(plan, "g-1", { for_job = "big", on = "n", tasks = 1 })
            test.nominated(plan, "big", "n")
            test.logged(plan, "seen")
            test.equal(c:queue("owner").gpu.guarantee, 4)
            plan = c:schedule("1m")
            test.order(plan, { "big" })
            test.ok(c:explain("g-0"):find("g-0 waits", 1, true))
            test.fails(function() test.placed(plan, "g-0") end, "it waits")
        """)

    def test_hooks_may_be_asked_alone(self):
        self.outcome("""
            test.policy [[return { api = 1, params = { x = 3 },
                priority = function(job, queue, now) return job.gpu * params.x + now end,
                score = function(job, node) local s = 0 for i = 1, 2 do s = s - node.gpu_free end return s end }]]
            local c = cluster(4)
            c:submit { name = "a", tasks = { gpu = 2 } }
            c:advance("1m")
            local value, terms = c:ask("priority", "a")
            test.equal(value, 1767571260 + 6)
            test.equal(#terms, 2)
            test.equal(terms[1].value, 6)
            test.equal(c:ask("score", "a", "n"), -8)
            test.fails(function() c:ask("prority", "a") end, "did you mean 'priority'?")
            test.fails(function() c:ask("weight", "a") end, "no such hook")
            test.fails(function() c:ask("score", "a", "m") end, "no node 'm'")
            test.fails(function() c:ask("score", "b", "n") end, "no job 'b'")
            test.placed(c:schedule(), "a")
        """)

    def test_what_the_documentation_shows_passes(self):
        with open("docs/policy-tests.md", encoding="utf-8") as page:
            blocks = re.findall(r"^```lua\n(.*?)^```$", page.read(), re.M | re.S)
        self.assertGreater(len(blocks), 1)
        for block in blocks:
            self.lsched("test", self.write("page_test.lua", block))

    def test_a_failure_shows_the_line_what_was_expected_and_the_plan(self):
        out = self.fails("""local c = cluster(1)
            c:submit { { name = "a", tasks = { gpu = 1 } }, { name = "b", tasks = { gpu = 1 } } }
            test.placed(c:schedule(), "b")""",
                         "FILE:10: failed: it\n    expected job 'b' to be placed, but it waits (room): ",
                         "the plan of 2026-01-05T00:00:00Z: 1 decision\n", " place   a ", "1 job waits")
        self.assertIn("GPUs by queue", out)

    def test_every_assertion_can_fail(self):
        for body, says in (
                ("test.equal({ a = 1 }, { a = 2 }, 'sum')", "sum: expected { a = 2 }, got { a = 1 }"),
                ("test.near(1, 2, 0.5)", "expected 2 within 0.5, got 1"),
                ("test.near('x', 2)", 'expected a number near 2, got "x"'),
                ("test.ok(nil, 'given')", "given: expected true, got nil"),
                ("test.fails(function() end)", "expected an error, but there was none"),
                ("test.fails(function() error('x') end, 'moon')", "expected an error with 'moon'"),
                ("test.placed(p, 'c')", "to be placed, but there is no such job"),
                ("test.placed(p, 'aa')", "there is no such job; did you mean 'a'?"),
                ("test.placed(p, 'a', 2)", "to be placed with 2 tasks, but is placed on n (1 task)"),
                ("test.on(p, 'a', 'm', 'o')", "to be placed on m, o only"),
                ("test.not_placed(p, 'a')", "not to be placed, but is placed on n"),
                ("test.waits(p, 'a')", "to wait, but is placed on n"),
                ("test.waits(p, 'b', 'gang')", "to wait (gang), but it waits (room)"),
                ("test.waits(p, 'b', 'room', 'moon')", "the reason to say 'moon'"),
                ("test.evicted(p, 'a')", "to be evicted, but is placed on n"),
                ("test.nominated(p, 'b')", "to be nominated, but it waits"),
                ("test.order(p, { 'b', 'a' })", "expected job 'b' to be placed"),
                ("test.policy_error(p, 'x')", "expected the policy to fail, but it did not"),
                ("test.logged(p, 'x')", "expected the policy to log 'x', got {}"),
                ("c:expect { jobs = { a = { running = 2 } } }", "expected"),
                ("test.placed({}, 'a')", "test.placed: expected a plan, as c:schedule() returns it"),
        ):
            with self.subTest(body):
                self.fails("""local c = cluster(1)
                c:submit { { name = "a", tasks = { gpu = 1 } }, { name = "b", tasks = { gpu = 1 } } }
                local p = c:schedule()\n""" + body, "FILE:11: failed: it", says)

    def test_typical_mistakes_name_the_line_and_what_was_meant(self):
        for body, says in (
                ("tset.cluster {}", "no global 'tset'; did you mean 'test'?"),
                ("test.plced()", "test has no 'plced'; did you mean 'placed'?"),
                ("cluster(1):shedule()", "a cluster has no 'shedule'; did you mean 'schedule'?"),
                ("cluster(1).schedule()", "call it with a colon"),
                ("cluster(1):schedule('soon')", 'expected a span such as "10m"'),
                ("cluster(1):submit { name = 'a', tasks = { gpuu = 1 } }", 'did you mean "gpu"?'),
                ("cluster(1):submit { name = 'a', queue = 'qq', tasks = { gpu = 1 } }", "qq"),
                ("cluster(1):submit { name = 'a', tasks = { gpu = print } }", "no place for a function"),
                ("cluster(1):finish 'a'", "a"),
                ("test.cluster { policy = 'drff' }", "drff"),
                ("test.cluster { policy = 'none.lua' }", "none.lua"),
                ("test.cluster { events = {} }", "events are calls here"),
                ("local x; x.y = 1", "attempt to index local 'x' (a nil value)"),
                ("io.open('x')", "no global 'io'"),
                ("test.policy { text = 'return { api = 1, pirority = 1 }' } cluster(1)", "priority"),
        ):
            self.fails(body, "FILE:8: failed: it" if "policy =" not in body else "FILE:", says)

    def test_what_is_wrong_in_a_table_is_named_by_its_line(self):
        self.fails("cluster(1):submit {\n name = 'a',\n tasks = { gpuu = 1 } }", "FILE:10: failed: it")
        self.fails("test.cluster {\n nodes = {},\n qeues = {} }", "FILE:10: failed: it")
        self.fails("test.cluster {\n nodes = { { name = 'n', cpu = '8x' } }\n }", "FILE:9: failed: it")

    def test_errors_of_a_policy_in_the_file_stand_at_its_lines(self):
        self.fails("""test.policy [[
            return { api = 1,
                priority = function(job) return job.prority end }]]
            cluster(1)""", "FILE:11: failed", "FILE:10:", "did you mean 'priority'?")

    def test_a_policy_that_fails_in_a_cycle_fails_the_test_unless_that_is_meant(self):
        body = """test.policy [[return { api = 1, priority = function(job)
                if job.gpu == 3 then return 0/0 end return 1 end }]]
            local c = cluster(4)
            c:submit { name = "a", tasks = { gpu = 3 } }
            local plan = c:schedule()\n"""
        self.fails(body, "the policy failed: ", "priority of job 'a'", "if that is meant")
        self.outcome(body + "test.policy_error(plan, \"job 'a'\")")

    def test_what_runs_on_is_ended_and_caught_by_nothing(self):
        for body in ("while true do end", "while true do pcall(function() while true do end end) end",
                     "local function f() return f() end f()"):
            out, _ = self.outcome(body, "--instructions", "1000000", expect=1)
            self.assertIn("it was still running when the test's budget of instructions was spent", out)
        self.fails("local s = 'x' while true do s = s .. s end", "not enough memory")
        self.fails("local function f() return 1 + f() end f()", "stack overflow")
        self.fails("local function f() return ('a'):gsub('a', f) end f()", "more than 100 within each other")
        self.outcome("test.equal((string.gsub('abc', '%w', { b = 'x' })), 'axc')")

    def test_one_test_leaves_nothing_to_the_next(self):
        path = self.write("x_test.lua", HEAD + """
            local kept
            test("one", function() test.policy("spread") kept = cluster(1)
                test.equal(kept:policy().name, "spread") end)
            test("two", function() test.ok(cluster(1):policy().name ~= "spread") end)
            test("three", function() kept:schedule() end)""")
        out, _ = self.lsched("test", path, expect=1)
        self.assertIn("the cluster belongs to another test", out)
        self.assertIn("3 tests, 1 failed", out)

    def test_filter_list_and_json(self):
        path = self.write("x_test.lua", HEAD + 'test("one", function() end)\n'
                          'test("two", function() test.ok(false) end)\n')
        out, _ = self.lsched("test", path, "--list")
        self.assertEqual(out, f"{path}:7: one\n{path}:8: two\n")
        self.lsched("test", path, "--filter", "one")
        self.assertIn("no test has 'three'", self.complaint(1, "test", path, "--filter", "three"))
        got = self.lsched_json("test", path, path, expect=1)
        self.assertEqual([(t["line"], t["name"], t["ok"], t["fails_at"]) for t in got["tests"]],
                         [(7, "one", True, None), (8, "two", False, 8)] * 2)
        self.assertEqual((got["run"], got["failed"], got["complete"]), (4, 2, True))
        self.assertEqual(got["tests"][1]["message"], "expected true, got false")

    def test_files_that_are_wrong_are_input_errors_and_the_others_run(self):
        good = self.write("good_test.lua", HEAD + 'test("one", function() end)\n')
        for text, says in (("test(", "1: unexpected symbol"), ("", "there is no test in it"),
                           ("test('a')", "expected a name and a function"), ("\x1bLJ", "bytecode"),
                           ("error('no')", "1: no")):
            path = self.write("wrong_test.lua", text)
            out, err = self.lsched("test", path, good, expect=3)
            self.assertIn("1 test, 0 failed\n", out)
            self.assertIn(says, err)
            self.assertTrue(err.startswith(path + ":"), err)


main()
