"""The ten typical mistakes of docs/policy-mistakes.md: each message names file, line (and column where it can be
told), what was found and what was expected."""
import os
import re

from lsched_program import ProgramTest, main

DIRECTORY = "tests/mistakes/"
PAGE = "docs/policy-mistakes.md"

# File: position, found, expected.
CHECKED = {
    "misspelt-field.lua": ("4:35", "no field 'wating'", "did you mean 'waiting'?"),
    "missing-return.lua": ("3:13", "got nothing (is there a return?)", "must return a number"),
    "wrong-unit.lua": ("4:13", "got 68719476736 (bytes?)", "memory in GiB, at most 1073741824"),
    "string-for-number.lua": ("6:9", "got the string '30s'", "must be a number of seconds"),
    "nil-arithmetic.lua": ("6", "got a nil value", "arithmetic needs numbers"),
    "unknown-hook.lua": ("3:5", "a policy has no 'prority'", "did you mean 'priority'?"),
    "global-assignment.lua": ("4:9", "assignment to global 'days'", "write local days"),
    "infinite-loop.lua": ("6", "it was still running after 1000000 instructions",
                          "a call may spend no more"),
}

# A policy of one line: what is said; up to "..." on the page.
OTHERS = {
    "local x = print return {api = 1, priority = function() return 1 end}":
        "no global 'print' in a policy; use log(text)",
    "return {api = 1, priority = function() local t = {} table.insert(t, 1) return 1 end}":
        "table has no 'insert' in a policy; use table.append",
    "return {api = 1, priority = function(job) job.priority = 1 return 1 end}":
        "a job is read-only: 'priority' cannot be set",
    "local x = params.x return {api = 1, params = {x = 1}}":
        "params.x is read before the policy has returned its table; read it inside a function",
    "return {api = 1, pipeline = {'reclam'}}":
        "pipeline 'reclam' is not known; did you mean 'reclaim'; there are: allocate, reclaim, ",
    "return {api = 1, pipeline = {'allocate'}, idle = function() return false end}":
        "the pipeline lacks 'evict-idle', and without it idle stops no work: add it to the list",
    "return {api = 1, score = function(job, node) return node.name end}":
        "score of job 'trial' on node 'trial': must return a number, got the string 'trial'",
    "return {api = 1, time_limit = function() return 3600 * 1000000 end}":
        "time_limit of job 'trial': must return nil or seconds above 0, got more than ten years (is it in microseconds?)",
    "return {api = 1, quota = function(queue, now) return {}, now * 1000 end}":
        "must return a time since 1970 in seconds as the second value, got a time more than ten years ahead (is it in microseconds?)",
}


# What has one value whatever happens, as the body of a hook; "": it may have either, and nothing is said.
DOUBTS = {
    "if calendar.weekday(now) == 0 then return 1 end return 2":
        "calendar.weekday gives 1 (Monday) to 7 (Sunday), which is never equal to 0",
    "if 'Fri' ~= calendar.weekday(now, 2) then return 1 end return 2": "which is always unlike 'Fri'",
    "local d = calendar.weekday(now) if d == 8 then return 1 end return 2": "never equal to 8",
    "if calendar.hour(now) == 24 then return 1 end return 2": "gives 0 to 23, which is never equal to 24",
    "if calendar.month(now) == 0 then return 1 end return 2": "gives 1 to 12",
    "if calendar.weekday(now) == 7 then return 1 end return 2": "",
    "local d = calendar.weekday(now) d = d - 1 if d == 0 then return 1 end return 2": "",
    "if job.duration == nil then return 1 end return 2": "job.duration is never nil",
    "if nil ~= queue.parent then return 1 end return 2": "queue.parent is never nil",
    "local d = job.deadline if d ~= nil then return 1 end return 2": "job.deadline is never nil",
    "local t = {a = 1} if t.b == nil then return 1 end return 2": "",
    "return #job": "#job is not a count: a job has fields, but no elements",
    "return #queue + 1": "#queue is not a count: a queue has fields, but no elements",
    "return #job.name": "",
}

# What people bring from other languages, as the body of a hook: what the message offers instead.
BODIES = {
    "if job.gpu != 4 then return 1 end return 2": "Lua writes ~= for !=",
    "if job.gpu > 1 && job.cpu > 1 then return 1 end return 2": "Lua writes and for &&",
    "if job.gpu > 1 || job.cpu > 1 then return 1 end return 2": "Lua writes or for ||",
    "if !job.preemptible then return 1 end return 2": "Lua writes not for !",
    "if job.gpu = 4 then return 1 end return 2": "to compare two values write ==; a single = assigns a value",
    "local p = 1 p += 2 return p": "there is no +=; write p = p + ...",
    "local p = 1 p -= 2 return p": "there is no -=; write p = p - ...",
    "local p = 1 p++ return p": "there is no ++; write p = p + 1",
    "return job.gpu > 1 ? 1 : 2": "Lua has no a ? b : c; write if ... then ... else ... end, or a and b or c",
    "return job.gpu // 2": "for division without a remainder write math.floor(a / b); a comment begins with --",
    "if job.gpu > 1 then return 1 elif job.cpu > 1 then return 2 end return 3": "Lua writes elseif",
    "if job.gpu > 1 then return 1\nelse if job.cpu > 1 then return 2\nend return 3":
        "'else if' in line 2 begins another if, which needs its own end: write elseif",
    "let p = 1 return p": "in Lua, a variable is declared with local name = value",
    "# a comment\n return 1": "a comment begins with --",
    "/* a comment */ return 1": "a comment begins with --",
    "return os.time() - job.submitted": "use the argument now",
    "return os.date('*t').hour": "and the library calendar for hours and days",
    "return calendar.is_night(now) and 1 or 0": "use calendar.night",
    "return job.deadline == null and 1 or 0": "use nil; a field is never nil",
    "return job.preemptible == True and 1 or 0": "use true",
    "return require('x').y": "a policy is one text",
    "return job.prio": "did you mean 'priority'?",
    "return job.submitTime": "did you mean 'submitted'?",
    "return job.submit_time": "did you mean 'submitted'?",
    "return job.gpus": "did you mean 'gpu'?",
    "return job.numGPUs": "did you mean 'gpu'?",
    "return job.waitTime": "did you mean 'waiting'?",
    "return job.gpuTotal": "did you mean 'gpu_total'?",
    "return queue.gpuUsed": "did you mean 'gpu_used'?",
    "return queue.usage": "did you mean 'gpu_used'?",
    "return cluster.jobs": "use the argument of the hook pipeline",
    "return job.queue.priority": "job.queue and queue.parent are names of queues; the queue itself is an argument of the hook",
}
# Whole texts.
TEXTS = {
    "policy = { api = 1 }":
        "assignment to global 'policy'; a policy text returns its table: write return { ... } instead of policy = { ... }",
    '{"api": 1}': "a policy is Lua text: return { api = 1, ... }",
    "api: 1\nname: x\n": "a policy is Lua text, with = between a key and its value",
    "def priority(job): return 1": "Lua writes function name(arguments) ... end",
    "# a policy\nreturn { api = 1 }": "a comment begins with --",
    "return {\n api = 1\n name = 'x' }": "entries are separated by commas: is a comma missing before this one?",
    "return { api = 1,\u00a0name = 'x' }": "Lua reads a no-break space (U+00A0) as a letter: write a plain space",
    "return { api = 1, eviction = { release = 30 } }": "did you mean 'release_seconds'?",
    "return { api = 1, priority = job.priority }": "use the argument of a hook: function(job) return ... end",
    "return { api = 1, priority = function(job) return now end }": "use the argument now: write it behind the others",
    "return { api = 1, score = function(job, node) return node.zone == 'a' and 1 or 0 end }": "a label is node.labels.zone",
    "return { api = 1, score = function(job, node) return node.freeGpus end }": "did you mean 'gpu_free'?",
    "return { api = 1, pipeline = {'allocate', 'preempt'}, victim = function(job, candidate) return candidate.waiting end }":
        "it has queue, priority, runtime, lost, restart, tasks, gpu and more",
}
# Entries of a policy that load and do nothing, or nothing good: the warning, and the same policy without the fault.
SILENT = {
    "quota = function() return { gpu = 8 } end":
        ("quota guarantees nothing: fair_share 'drf' does not use quotas; 'quota' and 'cohort' do",
         "fair_share = 'quota', quota = function() return { gpu = 8 } end"),
    "fair_share = 'fifo', weight = function() return 2 end":
        ("weight has no effect: fair_share 'fifo' does not use weights", "fair_share = 'drf', weight = function() return 2 end"),
    "fair_share = 'fifo', usage = { half_life = 3600 }":
        ("usage has no effect: fair_share 'fifo' does not use past usage", "usage = { half_life = 3600 }"),
    "order = 'fifo', priority = function() return 1 end":
        ("order has no effect: the hook priority decides which job comes first", "order = 'fifo'"),
    "eviction = { release_seconds = 60 }":
        ("eviction has no effect: the pipeline names no action that stops or moves work",
         "eviction = { release_seconds = 60 }, pipeline = { 'allocate', 'preempt' }"),
    "pipeline = { 'allocate', 'preempt', 'allocate' }":
        ("the pipeline names 'allocate' twice", "pipeline = { 'allocate', 'preempt' }"),
    "admit = function() return false end":
        ("admit says no to every job that it was tried with", "admit = function(job) return job.gpu > 0 end"),
    "filter = function(job, node) return node.memory_free > 64 * 1073741824 end":
        ("filter says no to every job on every node that it was tried with",
         "filter = function(job, node) return node.labels.zone == 'a' end"),
    "time_limit = function() return 8 end, pipeline = { 'allocate', 'evict-overdue' }":
        ("time_limit returns at most 8 seconds", "time_limit = function() return 8 * 3600 end, pipeline = { 'allocate', 'evict-overdue' }"),
    "fair_share = 'quota', quota = function() return { gpu = 64000 } end":
        ("quota returns 64000 GPUs; amounts are in GPUs, not in thousandths of a GPU",
         "fair_share = 'quota', quota = function() return { gpu = 64 } end"),
    "limit = function() return { gpus = 4 } end":
        ("limit returns an amount of 'gpus', which is not a known resource kind; did you mean 'gpu'?",
         "limit = function() return { gpu = 4, licence = 2 } end"),
    "fair_share = 'quota', quota = function() return { quota = 4 } end":
        ("quota returns an amount of 'quota', which is a word of policies and no resource kind; name kinds",
         "fair_share = 'quota', quota = function() return { licence = 4 } end"),
    "limit = function(queue) return { gpu_limit = 4 } end":
        ("limit returns an amount of 'gpu_limit', which is a word of policies and no resource kind",
         "limit = function(queue) return { ['gpu:H100'] = 4 } end"),
    "fair_share = 'quota', quota = function() return { ['gpu:H100'] = 4 } end":
        ("quota returns an amount of 'gpu:H100', which is a part of a resource kind; only the hook limit",
         "fair_share = 'quota', quota = function() return {} end"),
}


class Cures(ProgramTest):
    def test_what_other_languages_write(self):
        texts = {"return { api = 1, priority = function(job, queue, now) " + body + " end }": cure for body, cure in BODIES.items()}
        for text, cure in (texts | TEXTS).items():
            with self.subTest(text):
                _, err = self.lsched("check", "-", stdin=text, expect=3)
                self.assertRegex(err, r"^standard input:\d+:\d+: ")
                self.assertIn(cure, err)

    def test_settings_that_do_nothing(self):
        for entries, (warning, right) in SILENT.items():
            with self.subTest(entries):
                out, _ = self.lsched("check", "-", stdin=f"return {{ api = 1, {entries} }}")
                self.assertRegex(out, r"standard input:1:\d+: warning: " + re.escape(warning))
                self.lsched("check", "-", "--strict", stdin=f"return {{ api = 1, {entries} }}", expect=1)
                out, _ = self.lsched("check", "-", stdin=f"return {{ api = 1, {right} }}")
                self.assertNotIn("warning", out)

    def test_expressions_with_one_value(self):
        for body, said in DOUBTS.items():
            with self.subTest(body):
                text = "return { api = 1, priority = function(job, queue, now) " + body + " end }"
                out, _ = self.lsched("check", "-", stdin=text)
                self.assertEqual(out.count("warning: "), 1 if said else 0, out)
                self.assertIn(said, out)

    def test_hooks_that_are_asked_once(self):
        for hook, said in (("admit = function(job, queue, now) return calendar.hour(now) < 8 end", "what it once let in stays in"),
                           ("gang_minimum = function(job, queue, now) return calendar.hour(now) < 8 and 1 or nil end",
                            "is asked once, when the job comes")):
            out, _ = self.lsched("check", "-", stdin=f"return {{ api = 1, {hook} }}")
            self.assertIn("note: " + hook.split()[0] + " reads the time", out)
            self.assertIn(said, out)

    def test_a_long_path(self):
        name = "a-directory-with-a-name/" * 4 + "mine.lua"
        os.makedirs(os.path.dirname(os.path.join(self.directory, name)))
        out, _ = self.lsched("check", self.write(name, "return { api = 1 }\n"))
        self.assertIn("mine.lua: ok", out)
        err = self.complaint(3, "check", self.write(name, "return { api = 1, priority = function(job) return job.prio end }\n"))
        self.assertRegex(err, r"^[a-z/-]*mine.lua:1:\d+: job has no field 'prio'; did you mean 'priority'\?\n$")


class Mistakes(ProgramTest):
    def said(self, text, file, position, found, expected):
        self.assertRegex(text, rf"(^|\W){re.escape(file)}:{position}: ")
        self.assertIn(found, text)
        self.assertIn(expected, text)
        self.assertIn(text.strip().splitlines()[-1], self.page(), f"not in {PAGE}")

    def page(self):
        with open(PAGE, encoding="utf-8") as file:
            return file.read()

    def test_what_check_tells(self):
        for file, (position, found, expected) in CHECKED.items():
            with self.subTest(file):
                err = self.complaint(3, "check", DIRECTORY + file)
                self.said(err, DIRECTORY + file, position, found, expected)
                self.assertEqual(len(err.strip().splitlines()), 1, err)

    def test_the_same_from_a_scenario(self):
        for file, (position, found, expected) in CHECKED.items():
            with self.subTest(file):
                with open(DIRECTORY + file, encoding="utf-8") as text:
                    self.write(file, text.read())
                scenario = self.write("s.yaml", f"policy: {{file: {file}}}\nnodes: [{{name: n}}]\n")
                _, err = self.lsched("run", scenario, expect=3)
                self.assertRegex(err, rf":1:9: {re.escape(file)}:{position}: ")
                self.assertIn(found, err)
                self.assertIn(expected, err)

    def test_a_division_by_zero_is_told_with_job_and_node(self):
        out, _ = self.lsched("run", DIRECTORY + "division-by-zero.yaml")
        line = next(line for line in out.splitlines() if line.startswith("the policy failed"))
        self.said(line, "division-by-zero.lua", "3:13", "got NaN (0/0?)", "must return a number")
        self.assertIn("score of job 'j' on node 'plain'", line)
        self.assertRegex(out, r"\n  place +j ")  # by the built-in strategy

    def test_check_warns_of_a_division_by_zero(self):
        file = DIRECTORY + "division-by-zero.lua"
        out, _ = self.lsched("check", file)
        line = out.strip().splitlines()[-1]
        self.said(line, file, "3:13", "got infinity (a division by 0?)", "must return a number")
        self.assertIn("warning: score of job 'trial' on node 'trial-empty'", line)

    def test_a_parameter_of_another_type_is_told_at_both_places(self):
        _, err = self.lsched("run", DIRECTORY + "parameter-type.yaml", expect=3)
        self.said(err, DIRECTORY + "parameter-type.yaml", "3:12", "got the string 'ten'",
                  "priority-ageing:12:16: the parameter 'points_per_day' must be a finite number")

    def test_others(self):
        for text, message in OTHERS.items():
            with self.subTest(message):
                _, err = self.lsched("check", "-", stdin=text, expect=3)
                self.assertRegex(err, r"^standard input:1:\d+: ")
                self.assertIn(message, err)
                self.assertIn(message, self.page())

    def test_every_file_is_on_the_page(self):
        for file in os.listdir(DIRECTORY):
            self.assertIn(DIRECTORY + file, self.page())


if __name__ == "__main__":
    main()
