"""Files of results: none of them takes the place of a file that is read, for any command; and an
option with one value is given once."""
import os
import re
import shutil
import unittest

from lsched_program import ProgramTest

SCENARIO = "examples/scenarios/research-and-product.yaml"
COMMANDS = ("advise", "check", "compare", "editor", "explain", "forecast", "metrics", "node", "pack", "policies",
            "run", "simulate", "slurm", "speeds", "test")
# options whose value is a file of results; every other FILE of the help is read
OUTPUTS = {("advise", "state"), ("advise", "patch"), ("pack", "out"), ("pack", "moves"), ("pack", "svg"),
           ("simulate", "per-job"), ("slurm", "per-job"), ("slurm", "scenario")}
PRINTED = {("advise", "patch"), ("slurm", "scenario")}
# options that can be given several times; every other option with a value is given once
LISTS = {("advise", "samples"), ("advise", "timed"), ("compare", "param-a"), ("compare", "param-b"), ("node", "from"),
         ("pack", "resource"), ("simulate", "param"), ("simulate", "policy"), ("slurm", "dump"), ("slurm", "param"),
         ("slurm", "policy")}
POLICY = "return { api = 1, placement = 'best-fit' }\n"
LOG = "; MaxProcs: 4\n1 0 0 10 2 -1 -1 2 10 -1 1 1 1 -1 1 -1 -1 -1\n"
PHILLY = "timestamp,duration,num_gpus,cluster\n2017-10-09 07:01:55,100,1,a\n"
MODEL = "1\n0 0\n2\n0 0 20 10\n0 0 20 1\n1\n1 0\n2\n0 1 0\n0 1 0\n0\n1 1 1\n"
SACCT = ("JobID|Submit|Start|Elapsed|Timelimit|State|AllocTRES\n"
         "1|2026-01-05T08:00:00|2026-01-05T08:00:00|00:10:00|01:00:00|COMPLETED|cpu=2\n")


class Outputs(ProgramTest):
    def options(self, command):
        """The options of a command and their placeholders, from its help."""
        help_text, _ = self.lsched(command, "--help")
        return re.findall(r"^  --([a-z-]+) (\S+)", help_text, re.M)

    def copy(self, source):
        return shutil.copy(source, self.directory)

    def refuse(self, words, option, path):
        """The command refuses PATH, a link and a hard link to it, and changes nothing."""
        with open(path, "rb") as file:
            before = file.read()
        link, hard = os.path.join(self.directory, "link"), os.path.join(self.directory, "hard")
        os.symlink(path, link)
        os.link(path, hard)
        for name in (path, link, hard):
            said = self.complaint(2, *words, option, name)
            self.assertIn(f"{option}: expected another file than those that are read, got '{name}'", said)
        os.remove(link)
        os.remove(hard)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), before)

    def test_the_list_of_outputs_is_that_of_the_help(self):
        found = set()
        for command in COMMANDS:
            for option, value in self.options(command):
                if value.startswith("FILE") and re.search(r"\b(write|draw)\b", self.help_of(command, option)):
                    found.add((command, option))
        self.assertEqual(found, OUTPUTS)

    def help_of(self, command, option):
        text, _ = self.lsched(command, "--help")
        return re.search(rf"^  --{option} [\s\S]*?(?=\n  --|\n\n)", text, re.M).group()

    def test_slurm(self):
        files = {name: self.copy(f"examples/slurm/{name}") for name in ("slurm.conf", "gres.conf", "nodes.txt")}
        queues = self.copy("examples/slurm/libsched.yaml")
        policy = self.write("own.lua", POLICY)
        words = ("slurm", "check", "--conf", files["slurm.conf"], "--gres", files["gres.conf"], "--dump",
                 files["nodes.txt"], "--queues", queues, "--policy", policy)
        for path in (*files.values(), queues, policy):
            self.refuse(words, "--scenario", path)
        dump = self.write("dump", SACCT)
        words = ("slurm", "replay", "--sacct", dump, "--procs", "4", "--policy", policy)
        for path in (dump, policy):
            self.refuse(words, "--per-job", path)

    def test_pack(self):
        series = self.write("s.csv", "a,1,2\nb,3,4\n")
        self.refuse(("pack", series), "--svg", series)
        self.refuse(("pack", "--resource", f"x={series}:9"), "--svg", series)
        model, first = self.write("model", MODEL), self.write("first", "0 1\n")
        for option in ("--out", "--moves"):
            for path in (model, first):
                self.refuse(("pack", "--kind", "reassign", model, first), option, path)

    def test_simulate(self):
        policy, log = self.write("own.lua", POLICY), self.write("log.swf", LOG)
        for path in (policy, log):
            self.refuse(("simulate", "swf", log, "--policy", policy), "--per-job", path)
        jobs, beside = self.write("jobs.csv", PHILLY), self.write("philly_vc.csv", "vc,node num\na,2\n")
        named = self.write("other.csv", "vc,node num\na,2\n")
        self.refuse(("simulate", "philly", jobs, "--policy", "first-fit"), "--per-job", beside)
        self.refuse(("simulate", "philly", jobs, "--policy", "first-fit", "--vc", named), "--per-job", named)

    def test_advise(self):
        scenario, policy = self.copy(SCENARIO), self.write("own.lua", POLICY)
        for path in (scenario, policy):
            self.refuse(("advise", scenario, "--policy", policy), "--patch", path)

    def test_a_policy_that_the_scenario_names(self):
        with open(SCENARIO, encoding="utf-8") as file:
            text = re.sub(r"(?m)^policy:.*\n", "", file.read())
        self.write("own.lua", POLICY)
        scenario = self.write("own.yaml", text + "\npolicy: {file: own.lua}\n")
        self.lsched("advise", scenario)
        self.refuse(("advise", scenario), "--patch", os.path.join(self.directory, "own.lua"))

    def test_no_output_is_a_file_with_the_name_of_a_dash(self):
        for command, option in sorted(OUTPUTS - PRINTED):
            said = self.complaint(2, command, *self.words_of(command), f"--{option}", "-")
            self.assertIn(f"--{option}: expected the name of a file, got '-'", said)

    @staticmethod
    def words_of(command):
        return {"simulate": ("swf", "x"), "slurm": ("replay",)}.get(command, ("x",))

    def test_an_option_with_one_value_is_given_once(self):
        lists = set()
        for command in COMMANDS:
            for option, _ in self.options(command):
                said = self.lsched(command, f"--{option}", "1", f"--{option}", "1", expect=None)[1]
                if f"lsched: --{option} is given twice" not in said:
                    lists.add((command, option))
        self.assertEqual(lists, LISTS)
        for words in (("slurm", "replay", "--sacct", "a", "--sacct", "b"), ("run", "x", "--policy", "a", "--policy=b"),
                      ("simulate", "swf", "x", "--procs", "2", "--procs", "3"), ("run", "x", "--now", "1", "--now", "2")):
            self.assertIn("is given twice", self.complaint(2, *words))


if __name__ == "__main__":
    unittest.main()
