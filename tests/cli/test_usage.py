"""The command line: help, unknown words, exit codes, output that cannot be written."""
import subprocess

from lsched_program import PROGRAM, ProgramTest, main

COMMANDS = ("run", "explain", "simulate", "policies", "check", "test", "editor", "metrics")


class Usage(ProgramTest):
    def test_help_names_every_command_and_fits_eighty_columns(self):
        out, err = self.lsched("--help")
        self.assertEqual(err, "")
        for command in COMMANDS:
            self.assertIn(f"  {command} ", out)
        for command in COMMANDS:
            text, _ = self.lsched(command, "--help")
            self.assertEqual(text, self.lsched("help", command)[0])
            self.assertIn("examples:", text)
            self.assertLessEqual(max(map(len, (out + text).splitlines())), 80)

    def test_help_wins_over_a_wrong_command_line(self):
        self.lsched("run", "--nonsense", "--help")

    def test_without_a_command_it_teaches_and_fails(self):
        out, _ = self.lsched(expect=2)
        self.assertIn("usage: lsched COMMAND", out)

    def test_the_counts_that_the_readme_names(self):
        with open("README.md", encoding="utf-8") as text:
            readme = text.read()
        words = {6: "six", 7: "seven", 8: "eight", 9: "nine"}
        policies = len(self.lsched_json("policies"))
        self.assertIn(f"`lsched policies` lists {policies} ready-made ones", readme)
        _, err = self.lsched("check", "-", stdin="return { api = 1, placement = 'x' }", expect=3)
        strategies = len(err.split("there are: ")[1].split(", "))
        self.assertIn(f"| Placement | {words[strategies]} strategies,", readme)

    def test_version(self):
        out, _ = self.lsched("version")
        self.assertRegex(out, r"^lsched \d+\.\d+\.\d+ \(libsched \d+\.\d+\.\d+, semantics \d+\)\n$")
        self.assertEqual(out, self.lsched("--version")[0])

    def test_unknown_words_find_what_was_meant(self):
        for words, meant in ((["simulat"], "'simulate'"), (["chekc", "x"], "'check'"),
                             (["help", "polices"], "'policies'"), (["run", "--jsno"], "'--json'"),
                             (["simulate", "openb", "--shufle-nodes"], "'--shuffle-nodes'"),
                             (["simulate", "opneb"], "'openb'"),
                             (["check", "best-fitt"], "'best-fit'")):
            self.assertIn(f"did you mean {meant}?", self.complaint(2, *words))

    def test_unknown_words_without_a_likeness_find_nothing(self):
        for words in (["frobnicate"], ["run", "--frobnicate"], ["check", "frobnicate"]):
            self.assertNotIn("did you mean", self.complaint(2, *words))

    def test_wrong_command_lines(self):
        for words, says in ((["run"], "run needs FILE"), (["explain", "x.yaml"], "FILE JOB"),
                            (["run", "a", "b"], "unexpected argument 'b'"),
                            (["run", "a", "-x"], "unknown option '-x'"),
                            (["run", "a", "--now"], "--now needs TIME"),
                            (["run", "a", "--now="], "the value is empty"),
                            (["run", "a", "--json=1"], "--json takes no value"),
                            (["run", "a", "--all", "--now", "1h"], "--now is for one cycle"),
                            (["simulate", "openb"], "--nodes FILE is missing"),
                            (["simulate", "openb", "--seeds", "x"], "expected a whole number"),
                            (["simulate", "openb", "--seeds", "-1"], "expected a whole number"),
                            (["simulate", "openb", "--nodes", "n", "--tasks", "t"],
                             "--policy is missing"),
                            (["simulate", "openb", "--nodes", "n", "--tasks", "t", "--policy",
                              "fgd", "--seeds", "0"], "expected 1 to")):
            err = self.complaint(2, *words)
            self.assertIn(says, err)
            self.assertIn("--help", err)

    def test_a_file_that_is_not_there(self):
        for words in (["run", "no/such.yaml"], ["explain", "no/such.yaml", "job"],
                      ["check", "no/such.lua"], ["simulate", "openb", "--nodes", "no/such.csv",
                                                 "--tasks", "t", "--policy", "fgd"]):
            self.assertRegex(self.complaint(3, *words), r"no/such\.\w+: cannot open: No such file")

    def test_a_directory_is_not_a_file(self):
        self.assertIn("cannot read: Is a directory", self.complaint(3, "run", self.directory))

    def test_words_after_two_dashes_are_no_options(self):
        self.assertIn("--json: cannot open", self.complaint(3, "run", "--", "--json"))

    def test_output_that_cannot_be_written_is_an_error(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([PROGRAM, "--help"], stdout=full, stderr=subprocess.PIPE,
                                  text=True, check=False)
        self.assertEqual(done.returncode, 4)
        self.assertIn("cannot write the output: No space left", done.stderr)


main()
