"""On a terminal of 80 columns: a progress bar that leaves no trace, and tables that fit."""
import os
import re
import signal
import subprocess

from lsched_program import NODES, PROGRAM, TASKS, ProgramTest, main, on_terminal


def what_stays(seen):
    """The text after carriage returns and erasures."""
    return re.sub(r"[^\n]*\r\x1b\[K", "", re.sub(r"\r[^\r\n]*(?=\r)", "", seen))


class Terminal(ProgramTest):
    def simulate(self, *more, columns=80):
        words = ["simulate", "openb", "--nodes", NODES, "--tasks", TASKS, "--policy", "best-fit",
                 "--policy", "fgd", "--policy", "least-fragmentation", *more]
        seen, code = on_terminal(words, columns)
        self.assertEqual(code, 0, seen)
        return seen

    def test_the_progress_bar_moves_and_goes(self):
        seen = self.simulate("--seeds", "4")
        bars = re.findall(r"\r(\[[#.]+\] +\d+ %[^\r]*)\x1b\[K", seen)
        self.assertGreater(len(bars), 1)
        percent = [int(re.search(r"(\d+) %", bar)[1]) for bar in bars]
        self.assertEqual(percent, sorted(percent))
        self.assertLessEqual(max(map(len, bars)), 79)
        self.assertNotIn("[#", what_stays(seen))

    def test_an_interrupt_takes_the_bar_away_and_says_so(self):
        for words in (["simulate", "openb", "--nodes", NODES, "--tasks", TASKS, "--policy",
                       "fgd", "--seeds", "1000"],
                      ["pack", "examples/mig80/mig80.csv", "--seeds", "10000"]):
            seen, code = on_terminal(words, interrupt_at=b" %")
            self.assertEqual(code, 130, seen)
            self.assertTrue(seen.endswith("\r\x1b[Klsched: interrupted\n"), seen[-200:])
            self.assertNotIn("[#", what_stays(seen))

    def test_an_interrupt_without_a_terminal(self):
        for words in (["run", "-"], ["explain", "-", "j"]):
            with subprocess.Popen([PROGRAM, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as child:
                child.stdin.write(b"#\n" * 100000)  # more than a pipe holds: it has begun to read
                child.send_signal(signal.SIGINT)
                out, err = child.communicate()
            self.assertEqual((child.returncode, out, err), (130, b"", b"lsched: interrupted\n"), words)

    def test_a_narrow_terminal_gets_a_short_bar(self):
        bars = re.findall(r"\r(\[[^\r]*)\x1b\[K", self.simulate("--seeds", "5", columns=30))
        self.assertGreater(len(bars), 0)
        self.assertLessEqual(max(map(len, bars)), 29)

    def test_no_progress_means_none(self):
        seen = self.simulate("--seeds", "2", "--no-progress")
        self.assertNotIn("\r", seen)
        self.assertNotIn("\x1b", seen)

    def test_tables_fit(self):
        for seen in (self.simulate("--seeds", "1", "--no-progress"), on_terminal(["policies"])[0]):
            self.assertLessEqual(max(map(len, seen.splitlines())), 80, seen)

    def test_colours_are_for_terminals_that_want_them(self):
        words = ["pack", "examples/mig80/mig80.csv", "--seeds", "1", "--work", "1000", "--no-progress"]
        seen, code = on_terminal(words)
        self.assertEqual(code, 0)
        self.assertIn("\x1b[38;5;", seen)
        plain = re.sub(r"\x1b\[[0-9;]*m", "", seen)
        self.assertLessEqual(max(map(len, plain.splitlines())), 80, plain)
        for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
            seen, _ = on_terminal(words, environment={**os.environ, name: value})
            self.assertNotIn("\x1b", seen)


main()
