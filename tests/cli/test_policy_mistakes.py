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
    "infinite-loop.lua": ("6", "still running after 1000000 instructions",
                          "all that a call may spend"),
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
        "pipeline lacks 'evict-idle', without which idle stops nobody: add it to the list",
    "return {api = 1, score = function(job, node) return node.name end}":
        "score of job 'trial' on node 'trial': must return a number, got the string 'trial'",
    "return {api = 1, time_limit = function() return 3600 * 1000000 end}":
        "time_limit of job 'trial': must return nil or seconds above 0, got more than ten years",
    "return {api = 1, quota = function(queue, now) return {}, now * 1000 end}":
        "must return a time since 1970 in seconds as the second value, got one more than ten years",
}


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
