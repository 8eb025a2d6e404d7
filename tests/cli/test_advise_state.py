"""lsched advise --state, --modes and --timed: advice that does not flap between runs, and how devices should be shared."""
import fcntl
import os
import resource
import signal
import subprocess
import unittest

import lsched_program

CLUSTER = """start: 2026-01-05T08:00Z
nodes:
  - {name: "mig-[0-1]", cpu: 64, gpus: {count: 4, model: H100, memory: 80Gi, sm_count: 132, sharing: mig}}
  - {name: "shared-[0-1]", cpu: 64, gpus: {count: 2, model: L40, memory: 48Gi, sm_count: 142, sharing: mps}}
queues: [{name: q}]
jobs:
  - {name: cut, queue: q, duration: 6h, tasks: {mig: 3g.40gb, cpu: 1}}
  - {name: held, queue: q, labels: {kind: api}, tasks: {gpu_memory: %s, models: L40, cpu: 1}}
"""
START = 1767600000  # 2026-01-05T08:00Z
SLOT = 600
DAY = 86400


def table(rows):
    return "time,job,fb_used,sm_active\n" + "".join("%d,%s,%.1f,%.4f\n" % row for row in rows)


def use(job, memory, sm, slots=120, first=0):
    return [(START + SLOT * (first + i), job, memory, sm) for i in range(slots)]


class AdviseState(lsched_program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.state = self.write("advice.state", "")
        os.remove(self.state)

    def advise(self, rows, *words, has="12Gi", kept=True):
        words += ("--state", self.state) if kept else ()
        got = self.lsched_json("advise", self.write("cluster.yaml", CLUSTER % has), "--samples",
                               self.write("usage.csv", table(rows)), *words)
        return {row["job"]: row for row in got["resize"] + got["keep"]}

    def changes_within_a_day(self, times):
        return max([sum(1 for other in times if 0 <= at - other < DAY) for at in times], default=0)

    def sizes(self, kept, applied):
        """The times at which the advice changes while a job holds 11.9 GiB for three days, whatever it has."""
        has, before, times, grown = "12Gi", "12Gi", [], []
        for slots in range(12, 3 * 144, 12):
            row = self.advise(use("held", 11.9 * 1024, 0.1, slots), "--risk", "0.1", has=has, kept=kept)["held"]
            to = row.get("to", has)
            if to != before:
                times.append(slots * SLOT)
                grown.append(row["reason"] == "grown")
            before = to
            has = to if applied else has
        return times, grown

    def test_sizes_do_not_flap(self):
        times, grown = self.sizes(kept=False, applied=True)
        self.assertGreater(self.changes_within_a_day(times), 2)  # what the state is there for
        times, grown = self.sizes(kept=True, applied=True)
        self.assertEqual(grown, [True])

    def test_sizes_wait_for_the_orchestrator(self):
        # the size is never applied, so the samples say nothing of it
        times, grown = self.sizes(kept=True, applied=False)
        self.assertEqual(grown, [True])

    def test_advice_that_comes_back_is_no_change(self):
        row = self.advise(use("held", 4000, 0.1))["held"]
        self.assertEqual((row["from"], row["to"], row["reason"]), ("12Gi", "4915Mi", "shrunk"))
        # the smaller size was not given yet, and now it is not enough any more
        rows = use("held", 4000, 0.1) + use("held", 11800, 0.1, 20, 120)
        row = self.advise(rows)["held"]
        self.assertEqual((row["from"], row["reason"], row["since"]), ("12Gi", "lately", "2026-01-06T07:10:00Z"))
        self.assertNotIn("to", row)
        self.assertNotIn("saved", row)
        self.assertEqual(self.advise(rows)["held"]["from"], "12Gi")

    def modes(self, kept):
        """The times at which the mode changes while the mean of the compute goes around a quarter."""
        rows, before, times, total = [], None, [], 0
        for step in range(20):
            slots, mean = len(rows) + 6, 0.255 if step % 2 else 0.245
            value = (mean * slots - total) / 6
            rows += use("held", 4000, value, 6, len(rows))
            total += 6 * value
            mode = self.advise(rows, "--modes", "mps,time-slice", kept=kept)["held"]["mode"]
            if before not in (None, mode):
                times.append(len(rows) * SLOT)
            before = mode
        return times

    def test_modes_do_not_flap(self):
        self.assertEqual(len(self.modes(kept=False)), 19)
        times = self.modes(kept=True)
        self.assertEqual(self.changes_within_a_day(times), 2)
        self.assertEqual(len(times), 2)

    def test_mode_follows_a_demand_at_once(self):
        self.modes(kept=True)
        rows = use("held", 4000, 0.9, 150)
        row = self.advise(rows, "--modes", "mps,time-slice")["held"]
        self.assertEqual((row["mode"], row["rule"], row["rule_text"]),
                         ("time-slice", 0, "the mode was changed twice within the last 24 hours, so it stays"))
        row = self.advise(rows, "--modes", "mps,time-slice", "--timed", "kind=api")["held"]
        self.assertEqual((row["mode"], row["rule"]), ("mps", 5))
        # a mode that is not possible any more does not stay
        row = self.advise(rows, "--modes", "mig", "--timed", "kind=api")["held"]
        self.assertEqual((row["mode"], row["rule"]), ("whole", 6))

    def test_a_mode_does_not_stay_that_has_no_room(self):
        self.modes(kept=True)
        # it needs all memory of its device, so no mode that shares it can stay
        rows = use("held", 48 * 1024 - 10, 0.9, 150)
        row = self.advise(rows, "--modes", "mps,time-slice")["held"]
        self.assertEqual((row["to"], row["mode"], row["rule"]), ("48Gi", "whole", 1))

    def test_an_instance_does_not_stay_that_is_too_small(self):
        def advise(memory, slots, modes="mps,mig"):
            return self.advise(use("cut", memory, 0.3, slots), "--modes", modes, "--timed", "none")["cut"]

        # the mode goes from instances to turns and back within a day
        self.assertEqual([advise(9000, 30, modes)["mode"] for modes in ("mig", "mps", "mig")], ["mig", "mps", "mig"])
        self.assertEqual((advise(9000, 36)["mode"], advise(9000, 36)["rule"]), ("mig", 0))
        row = advise(75 * 1024, 42)  # more than the largest instance but one
        self.assertNotEqual(row["mode"], "mig")

    def test_rules(self):
        def rule(job, *words):
            rows = self.advise(use("cut", 9000, 0.3) + use("held", 4000, 0.1), *words, kept=False)
            return rows[job]["mode"], rows[job]["rule"]

        # what the devices of a model have: mig of H100, mps of L40
        self.assertEqual(rule("cut"), ("mig", 3))
        self.assertEqual(rule("held"), ("mps", 8))
        self.assertEqual(rule("held", "--modes", "time-slice"), ("time-slice", 7))
        self.assertEqual(rule("held", "--timed", "kind"), ("mps", 5))
        self.assertEqual(rule("held", "--timed", "kind=batch"), ("mps", 8))
        self.assertEqual(rule("held", "--timed", "kind=batch", "--timed", "kind=api"), ("mps", 5))
        self.assertEqual(rule("held", "--timed", "kind=api", "--modes", "time-slice"), ("whole", 6))
        # four starts of each of seven instances in a day: an instance is cut on demand
        self.assertEqual(rule("cut", "--modes", "mig,counters"), ("counters", 2))
        self.assertEqual(rule("cut", "--modes", "mps,time-slice"), ("time-slice", 7))

    def test_text(self):
        said = self.lsched("advise", self.write("cluster.yaml", CLUSTER % "12Gi"), "--samples",
                           self.write("usage.csv", table(use("held", 4000, 0.1, 200))), "--timed", "kind")[0]
        self.assertRegex(said, r"(?m)^  job +kind +from +to +saved +share by +because of$")
        self.assertRegex(said, r"(?m)^  held +memory +12Gi +4915Mi +0\.\d+ +mps, rule 5 ")
        self.assertIn("\n  rule 5: only its memory or its latency must be protected, which MPS does\n", said)

    def test_same_samples_change_nothing(self):
        rows = use("cut", 9000, 0.3) + use("held", 4000, 0.1)
        first = self.advise(rows)
        with open(self.state, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(self.advise(rows), first)
        with open(self.state, encoding="utf-8") as file:
            self.assertEqual(file.read(), text)
        self.assertEqual(self.advise(rows, kept=False), first)

    def test_other_size_begins_anew(self):
        rows = use("held", 4000, 0.1)
        self.assertEqual(self.advise(rows)["held"]["to"], "4915Mi")
        row = self.advise(rows, has="20Gi")["held"]  # neither what it had nor what was advised
        self.assertEqual((row["from"], row["reason"]), ("20Gi", "lately"))

    def bad(self, text, message):
        with open(self.state, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        said = self.complaint(3, "advise", self.write("cluster.yaml", CLUSTER % "12Gi"), "--samples",
                              self.write("usage.csv", table(use("held", 4000, 0.1))), "--state", self.state)
        self.assertIn(message, said)
        with open(self.state, encoding="utf-8", newline="") as file:
            self.assertEqual(file.read(), text)

    def test_bad_states(self):
        self.advise(use("held", 4000, 0.1))
        with open(self.state, encoding="utf-8") as file:
            good = file.read()
        self.bad(good.replace("lsched-advice,2", "lsched-advice,3"), ":1:1: expected 'lsched-advice,2' or")
        self.bad(good.replace("cluster.yaml", "other.yaml"),
                 ":2:1: this is the advice for the scenario 'other.yaml', not for 'cluster.yaml'")
        self.bad(good.replace("4915Mi", "4914Mi"), ":6:23: expected the checksum of the lines before")
        self.bad(good[:good.index("end,")], ":6:1: expected a line that ends with a newline, and 'end' in the last line")
        self.bad(good[:-30], "expected a line that ends with a newline")
        self.bad(good.replace("end,1", "end,2"), ":6:7: expected as many jobs as the last line says")
        self.bad(good + "more\n", "expected nothing behind this line")
        self.bad(good.replace("job,held", "job,"), ":5:5: expected a text")
        self.bad(good.replace(",memory,", ",weight,"), "expected profile, share or memory")
        self.bad(good.replace(",mps,", ",cards,"), "expected a mode")
        self.bad("\n", ":1:1: expected 'lsched-advice,2' or")
        at = good.split("\n")[2]
        self.bad(good.replace(at, "at,%d" % ((START + 10 * DAY) * 1000000)),
                 "expected the checksum")  # a later time is as little meant as any other change

    def test_samples_before_the_state(self):
        self.advise(use("held", 4000, 0.1, 120))
        said = self.complaint(3, "advise", self.write("cluster.yaml", CLUSTER % "12Gi"), "--samples",
                              self.write("usage.csv", table(use("held", 4000, 0.1, 60))), "--state", self.state)
        self.assertIn("advice.state: the advice is of 2026-01-06T03:50:00Z, and the latest sample is of "
                      "2026-01-05T17:50:00Z: expected samples that reach at least as far as those of the run before; "
                      "to begin anew, remove the file", said)
        said = self.complaint(3, *self.words_of_a_run([]))
        self.assertIn("usage.csv: there are no samples, and the advice in " + self.state + " is of 2026-01-06T03:50:00Z", said)

    def test_words(self):
        def usage(message, *words):
            said = self.complaint(2, "advise", self.write("cluster.yaml", CLUSTER % "12Gi"), *words)
            self.assertIn(message, said)

        samples = ("--samples", self.write("usage.csv", table(use("held", 4000, 0.1))))
        for option, value in (("--modes", "mps"), ("--timed", "a")):
            usage("%s is for --samples" % option, option, value)
        usage("--modes: expected some of mig, counters, mps and time-slice", "--modes", "mps,whole", *samples)
        usage("--timed: expected KEY or KEY=VALUE, got '=x'", "--timed", "=x", *samples)
        usage("--state: expected another file than those that are read", "--state", samples[1], *samples)
        usage("--patch: expected another file than that of --state", "--state", "p", "--patch", "p", *samples)
        other = os.path.join(self.directory, ".", "advice.state")  # one new file, by two names
        usage("--state: expected another file than that of --patch", "--state", self.state, "--patch", other, *samples)
        self.assertFalse(os.path.exists(self.state))

    def state_text(self):
        with open(self.state, encoding="utf-8") as file:
            return file.read()

    def words_of_a_run(self, rows):
        return ("advise", self.write("cluster.yaml", CLUSTER % "12Gi"), "--samples", self.write("usage.csv", table(rows)),
                "--state", self.state)

    def test_an_empty_file_has_no_state(self):
        rows = use("held", 4000, 0.1)
        first = self.advise(rows)
        text = self.state_text()
        self.write("advice.state", "")
        self.assertEqual(self.advise(rows), first)
        self.assertEqual(self.state_text(), text)

    def test_a_state_of_the_version_before_is_read(self):
        rows = use("held", 4000, 0.1)
        first = self.advise(rows)
        text = self.state_text()
        lines = text.replace("lsched-advice,2", "lsched-advice,1").split("\n")
        body = "\n".join(lines[:3] + lines[4:-2]) + "\n"  # without nodes-at, and without the last line
        value = 14695981039346656037
        for byte in body.encode():
            value = (value ^ byte) * 1099511628211 % (1 << 64)
        self.write("advice.state", "%send,1,%016x\n" % (body, value))
        self.assertEqual(self.advise(rows), first)
        self.assertEqual(self.state_text(), text)

    def test_one_run_at_a_time(self):
        rows = use("held", 4000, 0.1)
        self.advise(rows)
        text = self.state_text()
        words = self.words_of_a_run(use("held", 9000, 0.1, 150))
        with open(self.state, "rb") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            self.assertIn("advice.state: another run uses this file: expected one run at a time", self.complaint(3, *words))
        self.assertEqual(self.state_text(), text)
        self.lsched(*words)
        # several runs begin together: each of them writes the whole state, or changes nothing
        runs = [subprocess.Popen([lsched_program.PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                for _ in range(6)]
        said = [run.communicate()[1].decode() for run in runs]
        self.assertIn(0, [run.returncode for run in runs])
        for run, text in zip(runs, said):
            self.assertTrue(run.returncode == 0 or (run.returncode == 3 and "another run uses" in text), text)
        self.lsched(*words)
        self.assertEqual(sorted(os.listdir(self.directory)), ["advice.state", "cluster.yaml", "usage.csv"])

    def test_a_run_that_is_cut_off_leaves_the_old_state(self):
        self.advise(use("held", 4000, 0.1))
        text = self.state_text()
        words = self.words_of_a_run(use("held", 9000, 0.1, 150))

        def no_room():  # a full disk, as far as one can have it here: each write of a file fails
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (8, 8))

        done = subprocess.run([lsched_program.PROGRAM, *words], capture_output=True, preexec_fn=no_room, check=False)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(b"advice.state: cannot write: ", done.stderr)
        self.assertEqual(self.state_text(), text)
        self.assertEqual(sorted(os.listdir(self.directory)), ["advice.state", "cluster.yaml", "usage.csv"])
        for wait in (0, 0.01, 0.03):
            with subprocess.Popen([lsched_program.PROGRAM, *words], stdout=subprocess.DEVNULL) as run:
                try:
                    run.wait(wait)
                except subprocess.TimeoutExpired:
                    run.kill()
            self.assertTrue(self.state_text().startswith("lsched-advice,2\n"))
        self.lsched(*words)

    def test_links_and_permissions_stay(self):
        path = self.write("real", "")
        os.chmod(path, 0o640)
        os.symlink("real", self.state)
        self.advise(use("held", 4000, 0.1))
        self.assertTrue(os.path.islink(self.state))
        self.assertIn("job,held,", self.state_text())
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o640)
        os.remove(path)  # the link leads to no file
        self.advise(use("held", 4000, 0.1))
        self.assertIn("job,held,", self.state_text())
        os.remove(self.state)
        os.mkfifo(self.state)
        self.assertIn("expected a file that can be replaced", self.complaint(3, *self.words_of_a_run(use("held", 4000, 0.1))))

    def test_a_new_file_goes_when_the_run_fails(self):
        self.complaint(3, "advise", self.write("cluster.yaml", CLUSTER % "12Gi"), "--samples",
                       self.write("usage.csv", table(use("held", -1, 0.1))), "--state", self.state)
        self.assertFalse(os.path.exists(self.state))


if __name__ == "__main__":
    unittest.main()
