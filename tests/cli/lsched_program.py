"""Runs the program lsched for the tests beside this file."""
import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import tempfile
import termios
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
        """Runs it; fails unless it ends with the exit code (None: any). Returns stdout and stderr."""
        done = subprocess.run([PROGRAM, *words], input=stdin, capture_output=True, text=True,
                              check=False)
        if expect is not None:
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


def on_terminal(words, columns=80, environment=None, interrupt_at=None):
    """Everything that a terminal gets to see, and the exit code. SIGINT once these bytes are seen."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen([PROGRAM, *words], stdin=its, stdout=its, stderr=its,
                          env=environment or {**os.environ, "TERM": "xterm", "NO_COLOR": ""}) as child:
        os.close(its)
        seen = b""
        while True:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # how Linux says that the other end is closed
                break
            if not chunk:
                break
            seen += chunk
            if interrupt_at and interrupt_at in seen:
                child.send_signal(signal.SIGINT)
                interrupt_at = None
        code = child.wait()
    os.close(ours)
    return seen.decode().replace("\r\n", "\n"), code


def main():
    unittest.main()
