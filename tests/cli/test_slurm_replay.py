"""lsched slurm replay: an accounting dump gives what the same jobs give as a log of lsched simulate swf."""
import csv
import datetime
import json
import os

from lsched_program import ProgramTest, main

DUMP = "examples/slurm/sacct.txt"
POLICIES = ("fcfs", "easy", "easy-sjbf", "conservative", "sjf")
HEAD = "JobID|JobIDRaw|User|Account|Partition|Submit|Eligible|Start|End|Elapsed|Timelimit|State|AllocTRES|AllocCPUS|NNodes\n"
START = datetime.datetime(2026, 3, 2)


def at(seconds):
    return (START + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S")


def clock(seconds):
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def row(number, submit, run, procs, limit, state="COMPLETED", nodes=1, eligible=None, tres=None, name=None):
    eligible = submit if eligible is None else eligible
    tres = f"billing={procs},cpu={procs},mem=1.50G,node={nodes}" if tres is None else tres
    return (f"{name or number}|{number}|u{number % 3}|a{number % 2}|p|{at(submit)}|{at(eligible)}|{at(eligible)}|{at(eligible + run)}|"
            f"{clock(run)}|{clock(limit)}|{state}|{tres}|{procs}|{nodes}\n")


class Replay(ProgramTest):
    JOBS = ((1, 0, 100, 8, 100), (2, 1, 50, 10, 60), (3, 2, 90, 2, 90), (4, 3, 20, 2, 200), (5, 4, 10, 2, 10))

    def replay(self, text, *more, size=("--procs", "10")):
        return self.lsched_json("slurm", "replay", "--sacct", self.write("sacct.txt", text), *size, "--verify", *more)

    def test_the_figures_are_those_of_the_same_log_in_swf(self):
        log = "; MaxProcs: 10\n" + "".join(f"{n} {s} -1 {r} -1 -1 -1 {p} {limit} -1 1 1 1 -1 1 -1 -1 -1\n"
                                            for n, s, r, p, limit in self.JOBS)
        dump = HEAD + "".join(row(*job) for job in self.JOBS)
        words = [word for policy in POLICIES for word in ("--policy", policy)]
        ours = self.replay(dump, *words)
        theirs = self.lsched_json("simulate", "swf", self.write("log.swf", log), *words)
        self.assertEqual(ours, theirs)
        self.assertEqual([figures["policy"] for figures in ours["policies"]], list(POLICIES))

    def test_json_gives_the_same(self):
        jobs = []
        for number, submit, run, procs, _ in self.JOBS:
            begin = int(START.replace(tzinfo=datetime.timezone.utc).timestamp()) + submit
            jobs.append({"job_id": number, "account": "a", "user": "u", "partition": "p",
                         "state": {"current": ["COMPLETED"] if number % 2 else "COMPLETED", "reason": "None"},
                         "time": {"submission": begin, "eligible": begin, "start": begin, "end": begin + run, "elapsed": run,
                                  "limit": None},
                         "tres": {"allocated": [{"type": "cpu", "name": "", "id": 1, "count": procs},
                                                {"type": "gres", "name": "gpu", "id": 1001, "count": 2}]},
                         "steps": [{"time": {"elapsed": 5}}]})
        got = self.replay(json.dumps({"meta": {}, "jobs": jobs}), "--policy", "fcfs")
        dump = HEAD + "".join(row(n, s, r, p, r) for n, s, r, p, _ in self.JOBS)
        self.assertEqual(got, self.replay(dump, "--policy", "fcfs"))
        gpus = self.replay(json.dumps({"jobs": jobs}), "--policy", "fcfs", size=("--gpus", "4"))
        self.assertEqual((gpus["gpus"], gpus["jobs"]), (4, 5))

    def test_limits_in_minutes_of_json(self):
        job = {"job_id": 1, "state": {"current": "COMPLETED"}, "time": {"submission": 10, "start": 20, "elapsed": 600,
               "limit": {"set": True, "infinite": False, "number": 5}}, "required": {"CPUs": 3}}
        got = self.replay(json.dumps({"jobs": [job]}), "--policy", "fcfs")
        self.assertEqual(got["mean_jct_s"], 300)  # cut at the limit

    def test_steps_and_jobs_that_never_ran_are_left_out(self):
        dump = HEAD + row(1, 0, 10, 2, 60) + row(1, 0, 10, 2, 60, name="1.batch") + row(1, 0, 10, 2, 60, name="1.0")
        dump += row(2, 5, 10, 2, 60, "PENDING") + row(3, 5, 10, 2, 60, "RUNNING")
        dump += row(4, 5, 10, 0, 60, "CANCELLED by 0", tres="").replace(f"|{at(5)}|{at(15)}", f"|Unknown|{at(15)}")
        path = self.write("sacct.txt", dump)
        out, err = self.lsched("slurm", "replay", "--sacct", path, "--procs", "4", "--policy", "easy")
        self.assertIn("1 job on 4 processors; 0 dropped, 2 never ran", out)
        self.assertIn("1 job still ran and is left out", err)

    def test_wrong_numbers_of_units(self):
        """A number that cannot be read is an error and never 1, in each column and for each unit."""
        for unit, name in (("--procs", "cpu"), ("--nodes", "node"), ("--gpus", "gres/gpu"), ("--gpus", "gres/gpu:a100")):
            for number in ("-16", "16x", "x", "99999999999999999999", ""):
                dump = HEAD + row(1, 0, 10, 2, 60, tres=f"billing=2,{name}={number}")
                path = self.write("sacct.txt", dump)
                said = self.complaint(3, "slurm", "replay", "--sacct", path, unit, "4", "--policy", "fcfs")
                self.assertIn("sacct.txt:2:1: job 1: AllocTRES: expected a whole number of each resource, got 'billing=2,", said)
        dump = HEAD + row(1, 0, 10, 2, 60, tres="billing=2").replace("|2|1\n", "|2x|1\n")
        self.assertIn("AllocCPUS: expected a whole number, got '2x'", self.complaint(
            3, "slurm", "replay", "--sacct", self.write("sacct.txt", dump), "--procs", "4", "--policy", "fcfs"))
        dump = HEAD + row(1, 0, 10, 2, 60, tres="cpu=2,energy=18446744073709551614,node=1")
        self.assertEqual(self.replay(dump, "--policy", "fcfs")["jobs"], 1)

    def test_a_dump_that_is_cut_off(self):
        head = HEAD.replace("|AllocCPUS|NNodes", "")
        dump = head + row(1, 0, 10, 2, 60, tres="cpu=16").rsplit("|", 2)[0]
        for text in (dump, dump[:-1]):
            self.assertIn("the file is cut off", self.complaint(
                3, "slurm", "replay", "--sacct", self.write("sacct.txt", text), "--procs", "16", "--policy", "fcfs"))

    def test_nodes_and_gpus_as_units(self):
        tres = "billing=8,cpu=8,gres/gpu=4,gres/gpu:a100=4,mem=64000M,node=2"
        dump = HEAD + row(1, 0, 100, 8, 100, tres=tres) + row(2, 0, 100, 8, 100, tres="cpu=8,node=3")
        self.assertEqual(self.replay(dump, "--policy", "fcfs", size=("--nodes", "4"))["max_wait_s"], 100)
        self.assertEqual(self.replay(dump, "--policy", "fcfs", size=("--nodes", "5"))["max_wait_s"], 0)
        self.assertEqual(self.replay(dump, "--policy", "fcfs", size=("--gpus", "4"))["jobs"], 1)

    def test_a_job_arrives_when_it_is_eligible(self):
        dump = HEAD + row(1, 0, 10, 1, 60, eligible=1000) + row(2, 0, 10, 1, 60)
        self.assertEqual(self.replay(dump, "--policy", "fcfs")["max_wait_s"], 0)
        path = os.path.join(self.directory, "jobs.csv")
        self.replay(dump, "--policy", "fcfs", "--per-job", path)
        with open(path, encoding="ascii") as rows:
            self.assertEqual([float(r["start_s"]) for r in csv.DictReader(rows)], [0, 1000])

    def test_queues_by_account(self):
        dump = HEAD + "".join(row(*job) for job in self.JOBS)
        for by in ("account", "user", "partition", "one"):
            self.assertEqual(self.replay(dump, "--by", by, "--policy", "easy")["jobs"], 5)

    def test_columns_in_any_order_and_parsable(self):
        plain = "Start|JobID|Submit|NCPUS|ElapsedRaw|TimelimitRaw\n" + f"{at(0)}|7_3|{at(0)}|2|60|1\n"
        parsable = "".join(line + "|\n" for line in plain.splitlines())
        self.assertEqual(self.replay(plain, "--policy", "fcfs"), self.replay(parsable, "--policy", "fcfs"))
        self.assertEqual(self.replay(plain, "--policy", "fcfs")["mean_jct_s"], 60)

    def test_the_example(self):
        out, err = self.lsched("slurm", "replay", "--sacct", DUMP, "--gpus", "24", "--policy", "fcfs", "--policy", "easy")
        self.assertIn("120 jobs on 24 GPUs; 0 dropped, 2 never ran", out)
        self.assertIn("1 job still ran", err)


class Wrong(ProgramTest):
    def refused(self, text, *more):
        return self.complaint(3, "slurm", "replay", "--sacct", self.write("s", text), "--procs", "4", "--policy", "easy", *more)

    def test_dumps(self):
        self.assertIn("s:1:1: expected a first line with the column Submit; make the file with sacct -X -P",
                      self.refused("JobID|Start\n1|x\n"))
        self.assertIn("s:2:1: expected 15 columns as in the first line, got 17; a name with '|'",
                      self.refused(HEAD + row(1, 0, 10, 1, 60).replace("a1", "a|b|c")))
        self.assertIn("s:2:1: job 1: Submit: expected a time such as 2026-01-05T08:30:00, got 'yesterday'",
                      self.refused(HEAD + row(1, 0, 10, 1, 60).replace(at(0), "yesterday", 1)))
        self.assertIn("expected at least one job that ran and had CPUs", self.refused(HEAD))
        self.assertRegex(self.refused('{"jobs": [{"job_id": 1,'), r"s:\d+:\d+: expected JSON")

    def test_the_command_line(self):
        self.assertIn("one of --procs M, --nodes M and --gpus M",
                      self.complaint(2, "slurm", "replay", "--sacct", DUMP, "--policy", "easy"))
        self.assertIn("replay needs --sacct", self.complaint(2, "slurm", "replay", "--procs", "3"))
        self.assertIn("--policy is missing", self.complaint(2, "slurm", "replay", "--sacct", DUMP, "--procs", "3"))
        self.assertIn("--conf is not for replay", self.complaint(2, "slurm", "replay", "--conf", "x"))


if __name__ == "__main__":
    main()
