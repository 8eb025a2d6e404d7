"""Runs the program lsched for the tests beside this file."""
import json
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("LSCHED_PROGRAM", "build/lsched")
NODES = "examples/openb/nodes.csv"
TASKS = "examples/openb/tasks.csv"


class ProgramTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def write(self, name, text):
        """A file that goes away with the test; text or bytes. Returns its path."""
        path = os.path.join(self.directory, name)
        with open(path, "wb") as out:
            out.write(text if isinstance(text, bytes) else text.encode())
        return path

    def lsched(self, *words, expect=0, stdin=""):
        """Runs it; fails unless it ends with the exit code. Returns stdout and stderr."""
        done = subprocess.run([PROGRAM, *words], input=stdin, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, expect,
                         f"lsched {' '.join(words)}\n{done.stdout}{done.stderr}")
        return done.stdout, done.stderr

    def lsched_json(self, *words, expect=0):
        out, _ = self.lsched(*words, "--json", expect=expect)
        return json.loads(out)

    def complaint(self, expect, *words):
        """What it says on stderr; it must say nothing on stdout."""
        out, err = self.lsched(*words, expect=expect)
        self.assertEqual(out, "")
        return err


def main():
    unittest.main()
