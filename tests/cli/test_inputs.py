"""What a file may be: a pipe by name, a text with a byte order mark, standard input once. Every command that reads files."""
import json
import os
import re
import resource
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
    text = re.sub(r"\d+\.\d\d s\b", "N s", text)
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


class Beside(ProgramTest):
    """A scenario may come from a stranger: the policy that it names is a Lua file in its own directory."""

    WORLD = "nodes: [{name: n, gpus: 8}]\nqueues: [{name: q}]\n"
    POLICY = 'return { api = 1, name = "fair" }\n'

    def scenario(self, file):
        return self.write("s/s.yaml", f"policy: {{file: {json.dumps(file)}}}\n" + self.WORLD)

    def setUp(self):
        super().setUp()
        for name in ("s", "s/below", "other"):
            os.mkdir(os.path.join(self.directory, name))

    def test_files_that_are_read(self):
        self.write("s/fair.lua", self.POLICY)
        self.write("s/below/far.lua", self.POLICY)
        os.symlink("fair.lua", os.path.join(self.directory, "s/link.lua"))
        os.symlink("below/far.lua", os.path.join(self.directory, "s/deep.lua"))  # as volumes are mounted
        for name in ("fair.lua", "link.lua", "deep.lua"):
            for words in (("run",), ("run", "--all"), ("compare", "fifo", "drf")):
                self.lsched(*words, self.scenario(name))

    def test_files_that_are_not(self):
        secret = "hunter2 = my password\n"
        self.write("other/secret.lua", secret)
        self.write("secret.lua", secret)
        self.write("s/secret.txt", secret)
        self.write("s/secret", secret)
        self.write("s/.lua", secret)
        path = lambda name: os.path.join(self.directory, "s", name)
        os.symlink("../other/secret.lua", path("out.lua"))
        os.symlink("secret.txt", path("text.lua"))
        os.symlink("/dev/zero", path("zero.lua"))
        os.symlink("loop.lua", path("loop.lua"))
        os.mkfifo(path("pipe.lua"))
        os.mkdir(path("directory.lua"))
        for name in ("../secret.lua", "./secret.lua", "below/../../secret.lua", os.path.join(self.directory, "secret.lua"),
                     "/dev/zero", "/etc/passwd", "..", ".", "", ".lua", "secret", "secret.txt", "out.lua", "text.lua",
                     "zero.lua", "loop.lua", "pipe.lua", "directory.lua", "absent.lua", "../s/s.yaml", "-"):
            scenario = self.scenario(name)
            done = subprocess.run([PROGRAM, "run", scenario], capture_output=True, text=True, check=False, timeout=20)
            self.assertEqual((done.returncode, done.stdout), (3, ""), name)
            for word in ("hunter2", "password", "root"):
                self.assertNotIn(word, done.stderr, name)

    def test_a_scenario_from_standard_input(self):
        done = subprocess.run([os.path.abspath(PROGRAM), "run", "-"], capture_output=True, text=True, check=False,
                              cwd=os.path.join(self.directory, "s"), input="policy: {file: fair.lua}\n" + self.WORLD)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.write("s/fair.lua", self.POLICY)
        done = subprocess.run([os.path.abspath(PROGRAM), "run", "-"], capture_output=True, text=True, check=False,
                              cwd=os.path.join(self.directory, "s"), input="policy: {file: fair.lua}\n" + self.WORLD)
        self.assertEqual(done.returncode, 0, done.stderr)


class Bounds(ProgramTest):
    """What one small file, or a device, may cost: told early, in little memory."""

    def test_many_elements_from_one_line(self):
        begin = "nodes: [{name: n, cpu: 8}]\nqueues: [{name: q}]\n"
        for many in ('jobs: [{name: "j[0-3990000]", queue: q, tasks: {cpu: 1}}]\n',
                     "jobs: [{name: j, queue: q, count: 3999990, tasks: {cpu: 1}}]\n",
                     'events: [{at: 1s, submit: [{name: "j[0-3990000]", queue: q, tasks: {cpu: 1}}]}]\n'):
            for words in (("run",), ("run", "--all"), ("compare", "fifo", "drf")):
                self.complaint(3, *words, self.write("many.yaml", begin + many))
        err = self.complaint(3, "run", self.write("many.yaml", 'nodes: [{name: "n[0-3999998]", cpu: 8}]\n'))
        self.assertIn("many.yaml:1:", err)
        self.assertIn("3499999 more than the bound", err)

    def test_a_device_that_never_ends(self):
        with open("/dev/zero", "rb") as zero:
            for words in (("check", "-"), ("run", "-"), ("compare", "-", "fifo", SCENARIO), ("run", "--policy", "-", SCENARIO)):
                done = subprocess.run([PROGRAM, *words], stdin=zero, capture_output=True, text=True, check=False, timeout=60)
                self.assertEqual(done.returncode, 3, words)
                self.assertIn("standard input: is larger than ", done.stderr)
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.assertLess(most, 400 << 10, "KiB that a run takes at most")


class Unused(ProgramTest):
    """Settings of a scenario that do nothing say so, in text and in JSON."""

    def warnings(self, text, *words):
        path = self.write("x.yaml", text)
        out, err = self.lsched("run", path, *words)
        told = self.lsched_json("run", path, *words).get("warnings", [])
        err += out
        self.assertEqual(len([line for line in err.splitlines() if line.startswith(("note: ", "warning: "))]), len(told), err)
        for line in told:
            self.assertIn(line, err)
        return "\n".join(told)

    def world(self, node="cpu: 8", queue="", task="cpu: 1"):
        return f"nodes: [{{name: n, {node}}}]\nqueues: [{{name: q{queue}}}]\njobs: [{{name: j, queue: q, tasks: {{{task}}}}}]\n"

    def test_memory_without_a_unit(self):
        for node, task in (("cpu: 8, memory: 512", "cpu: 1"), ("cpu: 8, memory: 64Gi", "cpu: 1, memory: 64")):
            self.assertIn("is in bytes; write a unit, such as ", self.warnings(self.world(node=node, task=task)))
        for task in ("memory: 1048576", "memory: 64Ki", "memory: 0", "memory: 1.5Gi"):
            self.assertEqual(self.warnings(self.world(node="cpu: 8, memory: 64Gi", task="cpu: 1, " + task)), "")
        many = "".join(f"- {{name: n{i}, memory: 64}}\n" for i in range(100))
        self.assertLess(len(self.warnings(f"nodes:\n{many}queues: [{{name: q}}]\n").splitlines()), 40)

    def test_limits_of_users_that_nobody_has(self):
        for limit, flag in (("user_limit: {cpu: 1}", "per_user"), ("user_jobs_max: 1", "per_user"),
                            ("user_submitted_max: 1", "per_user"), ("group_limit: {cpu: 1}", "per_group"),
                            ("group_jobs_max: 1", "per_group")):
            self.assertIn(f"have no effect on a queue without {flag}: true", self.warnings(self.world(queue=", " + limit)))
            self.assertEqual(self.warnings(self.world(queue=f", {flag}: true, {limit}")), "")

    def test_quotas_that_guarantee_nothing(self):
        text = self.world(queue=", quota: {cpu: 4}")
        for policy, share in ((), "drf"), (("--policy", "fifo"), "fifo"), (("--policy", "fair-tree"), "fair-tree"):
            self.assertIn(f"1 queue has a quota that guarantees nothing: the policy's fair_share is '{share}'",
                          self.warnings(text, *policy))
        for policy in ("guaranteed-quota", "cohort"):
            self.assertEqual(self.warnings(text, "--policy", policy), "")
        self.assertEqual(self.warnings(self.world()), "")

    def test_a_file_where_a_name_is_expected(self):
        err = self.complaint(3, "run", self.write("x.yaml", "policy: fair.lua\n" + self.world()))
        self.assertIn("policy: {file: fair.lua}", err)


class Recipes(ProgramTest):
    """Recipes of docs/policy-language.md do what their heading says, also to a job that was let in earlier."""

    def recipe(self, heading):
        with open("docs/policy-language.md", encoding="utf-8") as page:
            text = page.read()
        at = text.index(heading)
        begin = text.index("```lua\n", at) + 7
        return text[begin:text.index("```", begin)]

    def starts(self, heading, start, queue, gpus):
        """Hours of 2026-01-05 UTC at which a job of 3 h and the one behind it start."""
        path = self.write("r_test.lua", f"""local test = ...
test("recipe", function()
    test.policy [==[{self.recipe(heading)}]==]
    local k = test.cluster {{ start = "2026-01-05T{start}Z", nodes = {{ {{ name = "n", gpus = 16, cpu = 64 }} }},
        queues = {{ {{ name = "{queue}" }} }} }}
    k:submit {{ name = "a", duration = "3h", tasks = {{ gpu = {gpus} }} }}
    k:schedule()
    k:submit {{ name = "b", duration = "1h", tasks = {{ gpu = {gpus} }} }}
    for _, p in ipairs(k:run("24h")) do
        if p.decisions[1] then print(string.format("%s %.1f", p.decisions[1].job, (p.now - 1767571200) / 3600)) end
    end
end)
""")
        out, err = self.lsched("test", path)
        return re.findall(r"\b([ab]) (\d+\.\d)", out + err)

    def test_electricity(self):  # dear from 16 to 20 h UTC; a ends at 17 h
        self.assertIn(("b", "20.0"), self.starts("when electricity is cheap", "14:00", "q", 16))

    def test_students(self):  # by day from 7 to 17 h UTC; a ends at 8 h
        self.assertIn(("b", "17.0"), self.starts("At most eight GPUs", "05:00", "students", 16))
        self.assertIn(("b", "8.0"), self.starts("At most eight GPUs", "05:00", "others", 16))


class Words(ProgramTest):
    def test_a_failed_expectation_says_why(self):
        path = self.write("x.yaml", "nodes: [{name: n, gpus: 8}]\nqueues: [{name: q}]\n"
                          "jobs: [{name: j, queue: q, tasks: {gpu: 9}}]\nexpect: {placed: {j: n}}\n")
        out, err = self.lsched("run", path, "--all", expect=1)
        why, _ = self.lsched("explain", path, "j")
        reason = re.search(r"^  waits +(.*)$", why, re.MULTILINE)[1]
        self.assertEqual(err, f"{path}:4:22: expected job j on n, got none (j waits: {reason})\n")
        self.assertIn("\n1 cycle, 0 decisions, 1 expectation checked, 1 failed\n", out)

    def test_a_state_that_cannot_be_built_has_no_heading(self):
        path = self.write("x.yaml", "nodes: [{name: n, gpus: 8}]\nqueues: [{name: q}]\njobs: [{name: j, queue: r, tasks: {gpu: 1}}]\n")
        self.complaint(3, "run", path)

    def test_a_policy_that_fails_is_told_first(self):
        path = self.write("x.yaml", "policy: {text: \"return {api = 1, priority = function(job) "
                          "return job.name == 'j' and 0/0 or 1 end}\"}\n"
                          "nodes: [{name: n, gpus: 8}]\nqueues: [{name: q}]\njobs: [{name: j, queue: q, tasks: {gpu: 1}}]\n")
        out, _ = self.lsched("run", path)
        self.assertTrue(out.split("\n")[2].startswith("the policy failed: "), out)
        self.assertIn("priority", self.lsched_json("run", path)["cycles"][0]["policy_error"])


main()
