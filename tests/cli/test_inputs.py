"""What a file may be: a pipe by name, a text with a byte order mark, standard input once. Every command that reads files."""
import os
import subprocess
import threading

from lsched_program import PROGRAM, ProgramTest, main

MARK = b"\xef\xbb\xbf"
SCENARIO = "examples/scenarios/two-jobs.yaml"
# Each command, with files in place of the numbers: what of it must not depend on how the bytes come in.
COMMANDS = [
    (["run", 0], [SCENARIO]),
    (["run", 0, "--all", "--json"], [SCENARIO]),
    (["explain", 0, "evaluate"], [SCENARIO]),
    (["check", 0], ["examples/policies/research-first.lua"]),
    (["compare", "fifo", "drf", 0, "--jobs", "300", "--json"], ["examples/swf/log.swf"]),
    (["compare", "fifo", "drf", 0, "--jobs", "300", "--queues", "one", "--json"], ["examples/philly/jobs.csv"]),
    (["compare", "fifo", "drf", 0, "--json"], [SCENARIO]),
    (["compare", "best-fit", "fgd", 0, "--nodes", 1, "--jobs", "100", "--json"],
     ["examples/openb/tasks.csv", "examples/openb/nodes.csv"]),
    (["simulate", "openb", "--nodes", 0, "--tasks", 1, "--policy", "best-fit", "--seeds", "1", "--json"],
     ["examples/openb/nodes.csv", "examples/openb/tasks.csv"]),
    (["pack", 0, "--method", "seed"], ["examples/mig80/mig80.csv"]),
    (["node", "--from", 0], ["examples/machines/dgx-h100.txt"]),
    (["node", "--from", 0], ["examples/machines/l40s-switches.xml"]),
]


def clean(text, *names):
    """Without the names of files and what differs from run to run."""
    for name in names:
        text = text.replace(name, "FILE")
    return "\n".join(line for line in text.split("\n") if "decisions_per_s" not in line)


class Pipes(ProgramTest):
    def fill(self, path, data):
        with open(path, "wb") as out:
            try:
                out.write(data)
            except BrokenPipeError:
                pass  # its reader went away: the output shows it

    def piped(self, words, files, name):
        """The same command with a FIFO for each file; each gives its bytes once."""
        paths = []
        for i, file in enumerate(files):
            path = os.path.join(self.directory, f"{name}-{i}.pipe")
            os.mkfifo(path)
            with open(file, "rb") as data:
                writer = threading.Thread(target=self.fill, args=(path, data.read()), daemon=True)
            writer.start()
            paths.append(path)
        words = [paths[w] if isinstance(w, int) else w for w in words]
        try:
            done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, timeout=60)
        except subprocess.TimeoutExpired:
            self.fail(f"lsched {' '.join(words)}: waits for a pipe that has given what it had")
        return clean(done.stdout, *paths), clean(done.stderr, *paths), done.returncode

    def test_a_pipe_by_name_is_read_once(self):
        for i, (words, files) in enumerate(COMMANDS):
            plain = [files[w] if isinstance(w, int) else w for w in words]
            out, err = self.lsched(*plain)
            self.assertEqual(self.piped(words, files, str(i)), (clean(out, *files), clean(err, *files), 0), plain)

    def test_standard_input_stands_for_one_file(self):
        with open(SCENARIO, encoding="utf-8") as text:
            out, err = self.lsched("run", "--policy", "-", "-", expect=3, stdin=text.read())
        self.assertIn("lsched: ", err)
        self.assertEqual(out, "")
        _, err = self.lsched("compare", "-", "-", SCENARIO, expect=3, stdin="return { api = 1 }")
        self.assertIn("standard input was read already", err)


class Marks(ProgramTest):
    def test_a_byte_order_mark_changes_nothing(self):
        for words, files in COMMANDS:
            marked = []
            for file in files:
                with open(file, "rb") as data:
                    marked.append(self.write(os.path.basename(file), MARK + data.read()))
            plain, _ = self.lsched(*[files[w] if isinstance(w, int) else w for w in words])
            got, _ = self.lsched(*[marked[w] if isinstance(w, int) else w for w in words])
            if words[0] == "check":  # its hash is that of the bytes
                plain, got = ["\n".join(line for line in text.split("\n") if "hash" not in line) for text in (plain, got)]
            self.assertEqual(clean(got, *marked), clean(plain, *files), words)

    def test_columns_of_the_first_line_do_not_count_it(self):
        text = b"nodes: [{name: n, cpu: 8, gpuss: 1}]\n"
        plain, marked = self.write("a.yaml", text), self.write("b.yaml", MARK + text)
        self.assertEqual(self.complaint(3, "run", marked).replace(marked, plain), self.complaint(3, "run", plain))

    def test_a_byte_that_is_no_utf8_is_told_where_it_stands(self):
        for bad in (b"caf\xe9", b"caf\xe9\x41", b"caf\xff", b"caf\xe9\xc3"):
            for before in (b"", MARK, "# \u00e9\u00e9\r\n".encode()):
                path = self.write("latin.yaml", before + b"nodes: []\n#\xc3\xa9 " + bad + b"\nqueues: []\n")
                line = 3 if before not in (b"", MARK) else 2
                self.assertIn(f"{path}:{line}:7: expected UTF-8 text", self.complaint(3, "run", path), (before, bad))


main()
