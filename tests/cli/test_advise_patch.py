"""lsched advise --patch: forms of YAML, bad input, and random scenarios that are patched and read again."""
import os
import random
import shutil
import subprocess
import sys
import unittest

import lsched_program

HEAD = """# the cluster of the third floor
start: 2026-01-05T08:00Z
policy:
  name: easy
  text: |
    return { api = 1, name = "easy", order = "fifo", pipeline = { "backfill" } }
"""
JOBS = """queues: [{name: q}]
jobs:
  - {name: "j[0-3]", queue: q, duration: 1h, tasks: {cpu: 8}}   # an hour each
"""
TYPES = 'nodes: [{name: "extra-[0-7]", cpu: 8, price: 1}]\n'
ADDED = '  - {name: "extra-[0-2]", cpu: 8, price: 1}\n'


def apply(old, diff):
    """The text after a unified diff, which must fit exactly; both are bytes."""
    lines, out, at = old.splitlines(keepends=True), [], 0
    rows = diff.split(b"\n")[:-1]
    assert rows[0].startswith(b"--- ") and rows[1].startswith(b"+++ "), diff
    rows, i = rows[2:], 0
    while i < len(rows):
        words = rows[i].split()
        assert words[0] == b"@@" and words[3] == b"@@", rows[i]
        first, old_left = map(int, words[1][1:].split(b","))
        new_first, new_left = map(int, words[2][1:].split(b","))
        begin = first - 1 if old_left else first
        out += lines[at:begin]
        assert len(out) == (new_first - 1 if new_left else new_first), rows[i]
        at, i = begin, i + 1
        while old_left or new_left:
            sign, line = rows[i][:1], rows[i][1:] + b"\n"
            if i + 1 < len(rows) and rows[i + 1].startswith(b"\\"):
                line, i = line[:-1], i + 1
            if sign in b" -":
                assert lines[at] == line, (lines[at], line)
                at, old_left = at + 1, old_left - 1
            if sign in b" +":
                out.append(line)
                new_left -= 1
            i += 1
    return b"".join(out + lines[at:])


class AdvisePatch(lsched_program.ProgramTest):
    def patched(self, scenario, catalogue=None, *words, name="cluster.yaml"):
        """Writes the scenario, and returns it with its patch applied, in three ways that must be equal."""
        old = scenario if isinstance(scenario, bytes) else scenario.encode()
        path = self.write(name, "")
        with open(path, "wb") as out:
            out.write(old)
        diff = path + ".diff"
        args = ["--patch", diff, *words]
        if catalogue is not None:
            args += ["--catalogue", self.write("nodes.yaml", catalogue)]
        self.report = self.lsched_json("advise", path, *args)
        with open(diff, "rb") as file:
            self.diff = file.read()
        new = apply(old, self.diff) if self.diff else old
        folder, base = os.path.split(path)
        short = self.diff.replace(path.encode(), base.encode())
        for program in (["patch", "-p0", "-s", "--binary"], ["git", "apply", "-p0", "--whitespace=nowarn"]):
            if not self.diff or shutil.which(program[0]) is None:
                continue
            subprocess.run(program, cwd=folder, input=short, check=True,
                           env=dict(os.environ, GIT_CEILING_DIRECTORIES=os.path.dirname(folder)))
            with open(path, "rb") as file:
                self.assertEqual(file.read(), new, program[0])
            with open(path, "wb") as out:
                out.write(old)
        with open(path, "wb") as out:
            out.write(new)
        self.lsched("run", path)
        return new.decode()

    def again(self, *words, name="cluster.yaml"):
        """The advice for the patched scenario, which must not name what the patch did."""
        before = self.report["nodes"]
        after = self.lsched_json("advise", os.path.join(self.directory, name), *words)["nodes"]
        names = {row for add in before["add"] for row in add["names"]}
        self.assertFalse(names & {row for add in after["add"] for row in add["names"]})
        drained = {row["name"] for row in before["drain"]}
        self.assertFalse(drained & {row["name"] for row in after["drain"]})
        self.assertAlmostEqual(after["before"]["waiting"], before["with_all"]["waiting"], delta=0.01)
        return after

    def refused(self, scenario, message, catalogue=TYPES, expect=3, words=("--value", "10")):
        said = self.complaint(expect, "advise", self.write("cluster.yaml", scenario), "--catalogue",
                              self.write("nodes.yaml", catalogue), "--patch", "-", *words)
        self.assertIn(message, said)

    def test_adds_and_keeps_the_other_lines(self):
        nodes = "nodes:\n  - {name: n, cpu: 8, price: 2}  # old\n\n"
        new = self.patched(HEAD + nodes + JOBS, TYPES, "--value", "10")
        self.assertEqual(new, HEAD + nodes[:-1] + ADDED + "\n" + JOBS)
        self.assertEqual(self.again("--catalogue", os.path.join(self.directory, "nodes.yaml"), "--value", "10")["add"], [])

    def test_on_standard_output(self):
        nodes = "nodes:\n  - {name: n, cpu: 8, price: 2}\n"
        path, types = self.write("cluster.yaml", HEAD + nodes + JOBS), self.write("nodes.yaml", TYPES)
        said, _ = self.lsched("advise", path, "--catalogue", types, "--value", "10", "--patch", "-")
        self.assertEqual(said.splitlines()[:2], ["--- " + path, "+++ " + path])
        self.assertIn("+" + ADDED, said)
        said, _ = self.lsched("advise", path, "--patch", "-")
        self.assertEqual(said, "")

    def test_forms_of_lists(self):
        for nodes, want in (
                ("nodes: [{name: n, cpu: 8, price: 2}]\n",
                 'nodes: [{name: n, cpu: 8, price: 2}, {name: "extra-[0-2]", cpu: 8, price: 1}]\n'),
                ("nodes: [\n  {name: n, cpu: 8, price: 2},  # one\n]\n",
                 'nodes: [\n  {name: n, cpu: 8, price: 2}, {name: "extra-[0-2]", cpu: 8, price: 1},  # one\n]\n'),
                ("nodes:\n- name: n\n  cpu: 8\n  price: 2\n# behind\n",
                 "nodes:\n- name: n\n  cpu: 8\n  price: 2\n- " + ADDED[4:] + "# behind\n"),
                ("nodes:\n    - name: n\n      cpu: 8 # eight\n      labels:\n        a: b\n      price: 2\n",
                 "nodes:\n    - name: n\n      cpu: 8 # eight\n      labels:\n        a: b\n      price: 2\n  " + ADDED)):
            with self.subTest(nodes=nodes):
                self.assertEqual(self.patched(HEAD + nodes + JOBS, TYPES, "--value", "10"), HEAD + want + JOBS)
        # at the end of the file, with and without a break there
        for end in ("\n", ""):
            text = HEAD + JOBS + "nodes:\n  - {name: n, cpu: 8, price: 2}" + end
            self.assertEqual(self.patched(text, TYPES, "--value", "10"),
                             text + ("\n" if not end else "") + ADDED[:len(ADDED) - (not end)])
        windows = (HEAD + "nodes:\n  - {name: n, cpu: 8, price: 2}\n" + JOBS).replace("\n", "\r\n").encode()
        new = self.patched(windows, TYPES, "--value", "10")
        self.assertEqual(new.count("\r\n"), new.count("\n"))
        self.assertIn(ADDED[:-1] + "\r\n", new)

    def test_braces_around_all(self):
        text = ('{"start": "2026-01-05T08:00Z", "nodes": [{"name": "n", "cpu": 8, "price": 2}],\n "queues": [{"name": "q"}],'
                '\n "jobs": [{"name": "j[0-3]", "queue": "q", "duration": "1h", "tasks": {"cpu": 8}}]}\n')
        new = self.patched(text, TYPES, "--value", "10")
        self.assertEqual(new, text.replace('2}]', '2}, {name: "extra-[0-2]", cpu: 8, price: 1}]'))

    def test_several_entries_in_a_list_that_is_missing(self):
        jobs = JOBS + '  - {name: "g[0-1]", queue: q, duration: 1h, tasks: {cpu: 1, gpu: 1}}'
        types = 'nodes:\n  - {name: "x-[0-3]", cpu: 8, price: 0.1}\n  - {name: "y-[0-3]", cpu: 1, gpus: 1, price: 0.1}\n'
        added = 'nodes:\n  - {name: "x-[0-3]", cpu: 8, price: 0.1}\n  - {name: "y-[0-1]", cpu: 1, gpus: 1, price: 0.1}'
        for end in ("\n", ""):
            new = self.patched(HEAD + jobs + end, types, "--value", "10")
            self.assertEqual(new, HEAD + jobs + "\n" + added + end)
        flow = ('{"start": "2026-01-05T08:00Z", "queues": [{"name": "q"}], "jobs": [{"name": "j[0-3]", "queue": "q", "duration": "1h",'
                ' "tasks": {"cpu": 8}}, {"name": "g[0-1]", "queue": "q", "duration": "1h", "tasks": {"cpu": 1, "gpu": 1}}]}\n')
        added = ', nodes: [{name: "x-[0-3]", cpu: 8, price: 0.1}, {name: "y-[0-1]", cpu: 1, gpus: 1, price: 0.1}]}\n'
        self.assertEqual(self.patched(flow, types, "--value", "10"), flow[:-2] + added)
        empty = self.patched(HEAD + "nodes: []\n" + jobs, types, "--value", "10")
        self.assertIn('nodes: [{name: "x-[0-3]", cpu: 8, price: 0.1}, {name: "y-[0-1]"', empty)

    def test_entries_of_the_catalogue_are_copied(self):
        block = "nodes:\n  - {name: n, cpu: 8, price: 2}\n"
        catalogue = ('nodes:\n      - name: "extra-[0-7]"\n        # of the second hall\n        labels: {hall: "h[0-3]"}\n'
                     "        cpu: 8\n        price: 1\n        leaves: 0\n        back: 1m\n")
        new = self.patched(HEAD + block + JOBS, catalogue, "--value", "10")
        self.assertEqual(new, HEAD + block +
                         '  - name: "extra-[0-1]"\n    # of the second hall\n    labels: {hall: "h0"}\n    cpu: 8\n'
                         '    price: 1\n    leaves: 0\n    back: 1m\n'
                         '  - name: "extra-2"\n    # of the second hall\n    labels: {hall: "h1"}\n    cpu: 8\n'
                         '    price: 1\n    leaves: 0\n    back: 1m\n' + JOBS)
        self.again("--catalogue", os.path.join(self.directory, "nodes.yaml"), "--value", "10")
        self.refused(HEAD + "nodes: [{name: n, cpu: 8, price: 2}]\n" + JOBS, "between braces in the catalogue", catalogue)
        counted = "nodes: [{name: extra, count: 8, cpu: 8, price: 1}]\n"
        self.assertEqual(self.patched(HEAD + block + JOBS, counted, "--value", "10"), HEAD + block + ADDED + JOBS)

    def test_drains_a_part_of_a_range(self):
        keeps = HEAD + JOBS.replace("j[0-3]", "j0").replace("tasks:", "running_on: n-1, running_since: -5m, tasks:")
        for nodes, want in (
                ('nodes:\n  - {name: "n-[0-3]", cpu: 8, price: 2}  # four\n',
                 'nodes:\n  - {name: "n-0", cpu: 8, price: 2, draining: true}\n  - {name: "n-1", cpu: 8, price: 2}\n'
                 '  - {name: "n-[2-3]", cpu: 8, price: 2, draining: true}  # four\n'),
                ('nodes: [{name: n, count: 4, cpu: 8, price: 2}]\n',
                 'nodes: [{name: "n-0", cpu: 8, price: 2, draining: true}, {name: "n-1", cpu: 8, price: 2},'
                 ' {name: "n-[2-3]", cpu: 8, price: 2, draining: true}]\n'),
                ('nodes:\n  - name: "n-[0-3]"\n    draining: false\n    cpu: 8\n    price: 2\n',
                 'nodes:\n  - name: "n-0"\n    draining: true\n    cpu: 8\n    price: 2\n  - name: "n-1"\n'
                 '    draining: false\n    cpu: 8\n    price: 2\n  - name: "n-[2-3]"\n    draining: true\n    cpu: 8\n    price: 2\n'),
                ('nodes:\n  - {name: "n-[0-3]", labels: {rack: "r[0-1]", room: a}, cpu: 8, price: 2}\n',
                 'nodes:\n  - {name: "n-0", labels: {rack: "r0", room: a}, cpu: 8, price: 2, draining: true}\n'
                 '  - {name: "n-1", labels: {rack: "r0", room: a}, cpu: 8, price: 2}\n'
                 '  - {name: "n-[2-3]", labels: {rack: "r1", room: a}, cpu: 8, price: 2, draining: true}\n'),
                ('nodes:\n  - {name: "n-1", cpu: 8}\n  - {name: "m-[0-1]", cpu: 8, price: 2}\n',
                 'nodes:\n  - {name: "n-1", cpu: 8}\n  - {name: "m-[0-1]", cpu: 8, price: 2, draining: true}\n')):
            with self.subTest(nodes=nodes):
                self.assertEqual(self.patched(keeps + nodes), keeps + want)
                self.assertEqual(self.again()["drain"], [])

    def test_comments_beside_a_key_that_goes(self):
        keeps = HEAD + JOBS.replace("j[0-3]", "j0").replace("tasks:", "running_on: n-1, running_since: -5m, tasks:")

        def entry(at, drains, rest):
            return rest[0] % ('"n-%s"' % at) + rest[1] + (rest[2] if drains else "") + rest[3]

        for old, rest in (
                # the comment of the line before, a line of its own, and the comment of the key itself
                ("  - name: n   # A\n    # B\n    count: 4 # C\n    cpu: 8  # D\n    price: 2\n",
                 ("  - name: %s   # A\n    # B\n", "    # C\n    cpu: 8  # D\n    price: 2", "\n    draining: true", "\n")),
                ("  - name: n   # A\n    count: 4\n    cpu: 8  # D\n    price: 2\n",
                 ("  - name: %s   # A\n", "    cpu: 8  # D\n    price: 2", "\n    draining: true", "\n")),
                ("  - name: n\n    cpu: 8\n    draining: false\n    price: 2 # D\n    # B\n    count: 4\n", None),
                ("  - {name: n, # A\n     count: 4, # C\n     cpu: 8, price: 2}\n",
                 ("  - {name: %s, # A\n", "     # C\n     cpu: 8, price: 2", ", draining: true", "}\n")),
                ("  - {count: 4, # C\n     name: n, cpu: 8, price: 2}\n",
                 ("  - {# C\n     name: %s, cpu: 8, price: 2", "", ", draining: true", "}\n"))):
            for ends in ("\n", "\r\n"):
                with self.subTest(old=old, ends=ends):
                    text = (keeps + "nodes:\n" + old).replace("\n", ends)
                    new = self.patched(text)
                    for word in ("# A", "# B", "# C", "# D"):
                        self.assertEqual(new.count(word), 3 * old.count(word), new)
                    self.assertEqual(self.again()["drain"], [])
                    want = "".join(entry(at, drains, rest) for at, drains in
                                   (("0", True), ("1", False), ("[2-3]", True))) if rest else None
                    if want:
                        self.assertEqual(new, (keeps + "nodes:\n" + want).replace("\n", ends))

    def test_anchors(self):
        nodes = ('nodes:\n  - {name: "n-[0-3]", cpu: 8, gpus: &big {count: 8, model: H100}, price: 2}\n'
                 "  - {name: m, cpu: 8, gpus: *big, price: 2}\n")
        keeps = HEAD + JOBS.replace("j[0-3]", "j0").replace("tasks:", "running_on: %s, running_since: -5m, tasks:")
        # a whole entry can have an anchor, but a copy of an anchor would be a second one
        new = self.patched(keeps % "m" + nodes)
        self.assertIn("model: H100}, price: 2, draining: true}", new)
        self.refused(keeps % "n-1" + nodes, "11:5: --patch: expected no anchor and no alias", words=())
        plain = "nodes:\n  - {name: n, cpu: 8, price: 2}\n"
        self.refused(HEAD + plain + JOBS, "expected no anchor and no alias",
                     'nodes: [{name: "extra-[0-7]", cpu: 8, labels: &l {a: b}, price: 1}]\n')
        alias = "nodes:\n  - &n {name: n, cpu: 8, price: 2}\n"
        self.assertEqual(self.patched(HEAD + alias + JOBS, TYPES, "--value", "10"), HEAD + alias + ADDED + JOBS)

    def test_bad_input(self):
        nodes = "nodes:\n  - {name: n, cpu: 8, price: 2}\n"
        _, said = self.lsched("advise", "-", "--patch", "-", expect=2, stdin=HEAD + nodes + JOBS)
        self.assertIn("expected a scenario in a file", said)
        self.refused(HEAD + nodes + JOBS, "expected the name of a file with --json", expect=2, words=("--json",))
        said = self.complaint(4, "advise", self.write("cluster.yaml", HEAD + nodes + JOBS), "--patch",
                              os.path.join(self.directory, "no", "file"))
        self.assertIn("cannot write", said)
        path, types = self.write("cluster.yaml", HEAD + nodes + JOBS), self.write("nodes.yaml", TYPES)
        link = os.path.join(self.directory, "link")
        os.symlink(path, link)
        for file in (path, types, link):
            said = self.complaint(2, "advise", path, "--catalogue", types, "--value", "10", "--patch", file)
            self.assertIn("expected another file than those that are read", said)
        with open(path, encoding="utf-8") as text:
            self.assertEqual(text.read(), HEAD + nodes + JOBS)
        # words of several lines are a form that is not read
        self.refused(HEAD + nodes + "title: one\n  two\n" + JOBS, "--patch: expected a scenario whose keys")

    def test_sizes_of_jobs(self):
        nodes = ("nodes:\n  - {name: mig, cpu: 64, gpus: {count: 8, model: H100, memory: 80Gi, sm_count: 132, sharing: mig}}\n"
                 "  - {name: mps, cpu: 64, gpus: {count: 4, model: L40, memory: 48Gi, sm_count: 142, sharing: mps}}\n"
                 "  - {name: whole, cpu: 64, gpus: {count: 4, model: H100, memory: 80Gi, sm_count: 132}}\n")
        jobs = ("queues: [{name: q}]\njobs:\n"
                '  - {name: "s-[0-3]", queue: q, labels: {app: "a-[0-1]"}, tasks: {mig: 3g.40gb, cpu: 1}}  # four\n'
                "  - {name: runs, queue: q, running_on: mps, running_since: -1h, tasks: {count: 2, gpu: 0.5, gpu_memory: 20Gi, cpu: 1, models: L40}}\n"
                "  - name: memory\n    queue: q\n    tasks:\n      gpu_memory: 30Gi   # of one\n      models: L40\n      cpu: 1\n"
                "  - {name: alone, queue: q, tasks: {gpu: 1, cpu: 1, models: H100}}\n"
                '  - {name: "a-[0-1]", queue: q, tasks: &t {mig: 3g.40gb, cpu: 1}}\n')
        rows = ["time,job,fb_used,sm_active"]
        for job, memory, sm in (("s-1", 9000, 0.3), ("s-2", 9000, 0.3), ("runs", 8000, 0.17), ("memory", 4000, 0.08),
                                ("alone", 9000, 0.1), ("a-1", 9000, 0.3)):
            rows += ["%d,%s,%d,%.2f" % (1767600000 + 600 * i, job, memory - i % 9, sm) for i in range(200)]
        samples = self.write("usage.csv", "\n".join(rows) + "\n")
        _, said = self.lsched("advise", self.write("old.yaml", HEAD + nodes + jobs), "--samples", samples, "--patch", "-")
        self.assertIn("1 job with a whole GPU keeps it, such as 'alone'", said)
        self.assertIn("1 entry of `jobs` keeps the size", said)
        self.assertNotIn("are left out", said)
        new = self.patched(HEAD + nodes + jobs, None, "--samples", samples)
        want = jobs.replace('  - {name: "s-[0-3]", queue: q, labels: {app: "a-[0-1]"}, tasks: {mig: 3g.40gb, cpu: 1}}',
                            '  - {name: "s-0", queue: q, labels: {app: "a-[0-1]"}, tasks: {mig: 3g.40gb, cpu: 1}}\n'
                            '  - {name: "s-[1-2]", queue: q, labels: {app: "a-[0-1]"}, tasks: {mig: 1g.10gb, cpu: 1}}\n'
                            '  - {name: "s-3", queue: q, labels: {app: "a-[0-1]"}, tasks: {mig: 3g.40gb, cpu: 1}}')
        want = want.replace("gpu: 0.5, gpu_memory: 20Gi,", "gpu: 0.200,").replace("30Gi ", "4915Mi ")
        self.assertEqual(new, HEAD + nodes + want)
        again = self.lsched_json("advise", os.path.join(self.directory, "cluster.yaml"), "--samples", samples)
        self.assertEqual({row["job"] for row in again["resize"]}, {"alone", "a-1"})

    SIZED = ("nodes:\n  - {name: mig, cpu: 64, gpus: {count: 8, model: H100, memory: 80Gi, sm_count: 132, sharing: mig}}\n"
             "  - {name: mps, cpu: 64, gpus: {count: 8, model: L40, memory: 48Gi, sm_count: 142, sharing: mps}}\n"
             "queues: [{name: q}]\njobs:\n")

    def test_random_sizes(self):
        """Profiles, shares, memory, and shares with memory: the patched file is the one that was written with the
        advised sizes, and the program plays it."""
        advised = {"profile": 0, "share": 0, "memory": 0}
        for number in range(20):
            with self.subTest(number):
                self.random_sizes(random.Random(number), advised)
        self.assertGreater(min(advised.values()), 5, advised)

    def random_sizes(self, chance, advised):
        jobs, rows = [], ["time,job,fb_used,sm_active"]
        for name in "abcdef"[:chance.randint(1, 6)]:
            size, node = chance.choice((
                ("mig: " + chance.choice(("7g.80gb", "3g.40gb", "2g.20gb", "1g.20gb", "1g.10gb")), "mig"),
                (f"gpu: {chance.choice((0.2, 0.25, 0.5, 0.8))}", "mps"),
                (f"gpu_memory: {chance.choice((5, 10, 20, 40))}Gi", "mps"),
                (f"gpu: {chance.choice((0.2, 0.5))}, gpu_memory: {chance.choice((5, 10, 20))}Gi", "mps")))
            runs = f"running_on: {node}, running_since: -1h, " if chance.random() < 0.4 and len(jobs) < 3 else ""
            jobs.append((name, runs, size, "" if node == "mig" else ", models: L40"))
            memory, sm = chance.randint(500, 30000), chance.uniform(0.01, 0.6)
            rows += [f"{1767600000 + 600 * i},{name},{memory - i % 9},{sm:.3f}" for i in range(200)]
        samples = self.write("usage.csv", "\n".join(rows) + "\n")

        def text(sizes):
            return HEAD + self.SIZED + "".join(
                f"  - {{name: {name}, queue: q, {runs}tasks: {{{sizes.get(name, size)}, cpu: 1{models}}}}}\n"
                for name, runs, size, models in jobs)

        new = self.patched(text({}), None, "--samples", samples)
        keys = {"profile": "mig", "share": "gpu", "memory": "gpu_memory"}
        sizes = {row["job"]: f"{keys[row['kind']]}: {row['to']}" for row in self.report["resize"]}
        for row in self.report["resize"]:
            advised[row["kind"]] += 1
        self.assertEqual(new, text(sizes))

    def sizes(self, jobs, names="a", before=""):
        """The scenario with a patch of the sizes of its jobs, which all need little; self.said has what was left out."""
        nodes = "nodes:\n  - {name: mps, cpu: 64, gpus: {count: 8, model: L40, memory: 48Gi, sm_count: 142, sharing: mps}}\n"
        rows = ["time,job,fb_used,sm_active"]
        rows += ["%d,%s,%d,0.08" % (1767600000 + 600 * i, job, 4000 - i % 9) for job in names for i in range(200)]
        samples = self.write("usage.csv", "\n".join(rows) + "\n")
        text = before + jobs + HEAD + nodes + "queues: [{name: q}]\n"
        _, self.said = self.lsched("advise", self.write("old.yaml", text), "--samples", samples, "--patch", "-")
        new = self.patched(text, None, "--samples", samples)
        self.assertTrue(new.startswith(before) and new.endswith(text[len(before + jobs):]))
        return new[len(before):len(new) - len(text) + len(before + jobs)]

    def test_sizes_with_anchors(self):
        first = "jobs:\n  - {name: z, queue: q, tasks: {cpu: 1, memory: &n 8Gi}}\n"
        last = "  - {name: y, queue: q, tasks: {memory: *n, cpu: 1}}\n"
        for request in ("gpu_memory: &n 12Gi", "gpu: 0.5, gpu_memory: &n 20Gi", "gpu: &n 0.5, gpu_memory: 20Gi"):
            jobs = first + "  - {name: a, queue: q, tasks: {%s, cpu: 1, models: L40}}\n" % request
            jobs += last if "&n 0.5" not in request else ""
            with self.subTest(request=request):  # the alias would mean the 8Gi above, without an error
                self.assertEqual(self.sizes(jobs), jobs)
                self.assertIn("1 entry of `jobs` keeps the size, in line 3: expected the request in the short form `tasks`, "
                              "without an anchor before `tasks` or before the size", self.said)
        # an alias can go, and its anchor stays
        jobs = first + "  - {name: a, queue: q, tasks: {gpu_memory: *n, cpu: 1, models: L40}}\n" + last
        self.assertEqual(self.sizes(jobs), jobs.replace("gpu_memory: *n", "gpu_memory: 4915Mi"))
        self.assertNotIn("keeps the size", self.said)

    def test_one_entry_that_cannot_change(self):
        # the tasks of b are those of a, but the samples of b ask for no other size
        shared = "  - {name: a, queue: q, tasks: &t {gpu_memory: 12Gi, cpu: 1, models: L40}}\n"
        alias = "  - {name: b, queue: q, tasks: *t}\n"
        for good in (0, 1, 2, 9):
            rest = "".join("  - {name: a%d, queue: q, tasks: {gpu_memory: 12Gi, cpu: 1, models: L40}}\n" % i
                           for i in range(good))
            for jobs in ("jobs:\n" + shared + rest + alias, "jobs:\n" + rest + shared + alias):
                with self.subTest(jobs=jobs):
                    want = jobs.replace(rest, rest.replace("12Gi", "4915Mi")) if rest else jobs
                    names = ["a"] + ["a%d" % i for i in range(good)]
                    self.assertEqual(self.sizes(jobs, names=names), want)
                    line = 1 + jobs[:jobs.index("  - {name: a,")].count("\n")
                    self.assertIn("--patch: 1 entry of `jobs` keeps the size, in line %d: expected" % line, self.said)
        two = "jobs:\n" + shared + shared.replace("name: a", "name: c").replace("&t", "&u") + alias
        self.assertEqual(self.sizes(two, names=("a", "c")), two)
        self.assertIn("--patch: 2 entries of `jobs` keep the size, the first one in line 2: expected", self.said)

    def test_byte_order_mark(self):
        mark = b"\xef\xbb\xbf"
        for first in ("nodes:\n- {name: k, cpu: 8}\n- {name: n-0, cpu: 8, price: 2}\n",
                      "---\nnodes:\n- {name: k, cpu: 8}\n- {name: n-0, cpu: 8, price: 2}\n",
                      "nodes: [{name: k, cpu: 8}, {name: n-0, cpu: 8, price: 2}]\n",
                      "# a comment\nnodes:\n- {name: k, cpu: 8}\n- {name: n-0, cpu: 8, price: 2}\n"):
            text = first + HEAD + JOBS.replace("j[0-3]", "j").replace("tasks:", "running_on: k, running_since: -5m, tasks:")
            with self.subTest(first=first):
                new = self.patched(mark + text.encode())
                self.assertEqual(new.encode(), mark + text.replace("price: 2", "price: 2, draining: true").encode())
        jobs = "jobs:\n  - {name: a, queue: q, tasks: {gpu: 0.5, cpu: 1, models: L40}}\n"
        self.assertEqual(self.sizes(jobs, before="\ufeff"), jobs.replace("0.5", "0.100"))

    def test_comments_behind_the_last_value(self):
        runs = JOBS.replace("j[0-3]", "j").replace("tasks:", "running_on: %s, running_since: -5m, tasks:")
        for old, on, new in (
                ("  - name: n-0\n    cpu: 8\n    price: 2   # euros\n", "k",
                 "  - name: n-0\n    cpu: 8\n    price: 2   # euros\n    draining: true\n"),
                ("  - name: n-0\n    cpu: 8\n    price: 2   # euros  \n", "k",
                 "  - name: n-0\n    cpu: 8\n    price: 2   # euros\n    draining: true  \n"),
                ("  - name: n-0\n    price: 2\n    cpu: 8  \n    # of the list\n", "k",
                 "  - name: n-0\n    price: 2\n    cpu: 8\n    draining: true  \n    # of the list\n"),
                ("  - name: n-0\n    price: 2\n    cpu: 8\n    draining: false  # not yet\n", "k",
                 "  - name: n-0\n    price: 2\n    cpu: 8\n    draining: true  # not yet\n"),
                ("  - name: n\n    cpu: 8\n    price: 2\n    count: 2   # two\n", "n-1",
                 "  - name: \"n-0\"\n    cpu: 8\n    price: 2   # two\n    draining: true\n"
                 "  - name: \"n-1\"\n    cpu: 8\n    price: 2   # two\n"),
                ('  - name: "n-[0-1]"\n    cpu: 8\n    price: 2   # euros\n', "n-1",
                 '  - name: "n-0"\n    cpu: 8\n    price: 2   # euros\n    draining: true\n'
                 '  - name: "n-1"\n    cpu: 8\n    price: 2   # euros\n')):
            keeps = HEAD + "nodes:\n  - {name: k, cpu: 8}\n%s" + runs % on
            with self.subTest(old=old):
                self.assertEqual(self.patched(keeps % old), keeps % new)
                windows = (keeps % old).replace("\n", "\r\n").encode()
                self.assertEqual(self.patched(windows), (keeps % new).replace("\n", "\r\n"))
        added = "  - name: \"extra-[0-2]\"\n    cpu: 8\n    price: 1  # cheap\n"
        nodes = "nodes:\n  - {name: n, cpu: 8, price: 2}\n"
        self.assertEqual(self.patched(HEAD + nodes + JOBS, "nodes:\n" + added.replace("2]", "7]"), "--value", "10"),
                         HEAD + nodes + added + JOBS)
        jobs = ("jobs:\n  - name: a\n    queue: q\n    tasks:\n      cpu: 1\n      models: L40\n"
                "      gpu: 0.5\n      gpu_memory: 20Gi  # half a card\n")
        self.assertEqual(self.sizes(jobs), jobs.replace("0.5\n      gpu_memory: 20Gi", "0.100"))

    def test_random_round_trips(self):
        seed = int(os.environ.get("LSCHED_TEST_SEED", "1"))
        rounds = int(os.environ.get("LSCHED_TEST_ROUNDS", "40"))
        patched = 0
        for number in range(seed, seed + rounds):
            try:
                patched += self.round_trip(random.Random(number))
            except Exception:
                print("LSCHED_TEST_SEED=%d LSCHED_TEST_ROUNDS=1" % number, file=sys.stderr)
                raise
        print("seeds %d to %d: %d scenarios had a patch" % (seed, seed + rounds - 1, patched), file=sys.stderr)
        self.assertGreater(patched, rounds // 2)

    def entry(self, chance, pairs, column, flow):
        """An entry of a list, in a block at this column or between braces, with a comment now and then."""
        if flow:
            gap = chance.choice([", ", ", ", ",\n" + " " * (column + 1)])
            return "{" + gap.join("%s: %s" % pair for pair in pairs) + "}"
        lines = ["%s: %s%s" % (key, value, chance.choice(["", "", "  # note"])) for key, value in pairs]
        return ("\n" + " " * column).join(lines)

    def listed(self, chance, key, entries, flow=None):
        flow = chance.random() < 0.3 if flow is None else flow
        column = chance.choice([0, 2, 4])
        if flow:
            return "%s: [%s]\n" % (key, ", ".join(self.entry(chance, pairs, 2, True) for pairs in entries))
        text = key + ":\n"
        for pairs in entries:
            text += chance.choice(["", "", "\n", "  # of the list\n"])
            text += " " * column + "- " + self.entry(chance, pairs, column + 2, chance.random() < 0.6) + "\n"
        return text

    def round_trip(self, chance):
        nodes, at = [], 0
        for i in range(chance.randint(1, 4)):
            n = chance.randint(1, 5)
            pairs = [("name", '"%s-[%d-%d]"' % (chance.choice("nm"), at, at + n - 1)), ("cpu", "8"),
                     ("price", str(chance.randint(1, 9)))]
            at += n
            if chance.random() < 0.4:
                pairs.insert(chance.randint(1, 3), ("labels", '{rack: "r[0-%d]", room: a}' % chance.randint(0, n - 1)))
            nodes.append(pairs)
        jobs = [[("name", "j%d" % i), ("queue", "q"), ("duration", "%dm" % chance.randint(10, 300)),
                 ("tasks", "{cpu: %d}" % chance.choice([2, 8]))] for i in range(chance.randint(0, 2 * at))]
        parts = [self.listed(chance, "nodes", nodes), "queues: [{name: q}]\n", self.listed(chance, "jobs", jobs, not jobs)]
        chance.shuffle(parts)
        text = HEAD + "".join(parts)
        if chance.random() < 0.3:
            text = text[:-1]
        if chance.random() < 0.3:
            text = text.replace("\n", "\r\n")
        words = ["--value", str(chance.randint(1, 20))] if chance.random() < 0.7 else []
        catalogue = self.listed(chance, "nodes", [[("name", '"%s-[0-%d]"' % (name, chance.randint(0, 9))), ("cpu", "8"),
                                                   ("price", str(chance.randint(1, 5)))] for name in ("x", "y")], True)
        old = text.encode()
        new = self.patched(old, catalogue, *words)
        # lines that the patch does not name stay, in their order
        kept = [line for line in self.diff.split(b"\n") if line[:1] == b"-" and line[:3] != b"---"]
        self.assertLessEqual(len(kept), sum(len(pairs) for pairs in nodes) + 2)
        if self.diff:
            self.again("--catalogue", os.path.join(self.directory, "nodes.yaml"), *words)
        return bool(self.diff) and new.encode() != old


if __name__ == "__main__":
    unittest.main()
