# SPDX-License-Identifier: GPL-2.0-or-later
"""The load of the check: what users and administrators do, what breaks, and what is judged after.

Three teams share all GPUs: teama lends out nothing and fills the cluster with work that can be
stopped; teamb (gangs) and teamc (with a limit) come later and take back what is theirs.
"""
import re
import signal
import subprocess
import time

import slurm_bed
import slurm_judge

GPUS = slurm_bed.GPUS
TOOLS = 3  # licences "tool" of the bed

SITE = """\
policy: {policy}
queues:
  - {{name: teama, quota: {{gpu: {a}}}}}
  - {{name: teamb, quota: {{gpu: {b}}}}}
  - {{name: teamc, quota: {{gpu: {c}}}, limit: {{gpu: {limit}}}}}
  - {{name: default, quota: {{gpu: {c}}}}}
"""
GONE = ("COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL")
# in this order; a part needs none of the parts before it, but for "finish"
PARTS = ("reclaim", "grace", "options", "licences", "refused_options", "people", "node_loss", "hetjob",
         "crash", "busy_crash", "bad_file", "bad_start", "finish")


def make_bed(top, nodes, plugin, port):
    half = nodes // 2
    features = {f"n{i}": "fast,ib" if i < half else "slow" for i in range(nodes)}
    return slurm_bed.Bed(
        top, nodes=nodes, plugin=plugin, port=port, features=features,
        switches=[f"SwitchName=left Nodes=n[0-{half - 1}]",
                  f"SwitchName=right Nodes=n[{half}-{nodes - 1}]",
                  "SwitchName=top Switches=left,right"],
        licences=f"tool:{TOOLS},rare:1",
        parameters=f"libsched_config={top}/site.yaml,libsched_verify=1,libsched_debug=1",
        partitions=["PartitionName=main Nodes=ALL Default=YES MaxTime=60",
                    "PartitionName=polite Nodes=ALL MaxTime=60 GraceTime=4",
                    f"PartitionName=few Nodes=n[0-{max(half - 1, 1)}] MaxTime=60"])


def counts_of(lines):
    """The plug-in's counters, of all lives of slurmctld: each life counts from 0, and kill -9 loses
    what it counted in its last seconds."""
    total, life = {}, {}
    for line in [*lines, "libsched: sched/libsched is loaded"]:
        if "sched/libsched is loaded" in line:
            for name, value in life.items():
                greatest = name.endswith("_max")
                total[name] = max(total.get(name, 0), value) if greatest else \
                    total.get(name, 0) + value
            life = {}
        elif "libsched: counts:" in line:
            life = {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", line)}
    return total


def stops(lines):
    """When each job was told to stop, by the log: key -> whole seconds."""
    out = {}
    for line in lines:
        found = re.match(r"\[([^\]]+)\] libsched: evict job (\d+)(?:_0*(\d+))? task", line)
        if found:
            key = found[2] + (f"_{found[3]}" if found[3] else "")
            out.setdefault(key, []).append(slurm_judge.seconds(found[1].split(".")[0]))
    return out


def refusals(lines):
    return [line for line in lines if "libsched: job" in line and "was not started" in line]


class Load:
    def __init__(self, bed):
        self.bed = bed
        self.total = bed.n_nodes * GPUS
        self.quota = {"teama": self.total // 4, "teamb": self.total // 2, "teamc": self.total // 8}
        self.limit_c = self.total // 4
        self.wanted, self.sizes, self.gpus = {}, {}, {}
        self.results, self.facts, self.comments = [], {}, 0
        self.excused = set()
        self.sruns, self.near, self.places = [], [], []  # places: (job, the nodes that it may run on)

    # ---- small words ----
    def judge(self, name, complaints):
        self.results.append((name, list(complaints)))

    def note(self, key, nodes=None, gpus=0, states=("COMPLETED",)):
        self.wanted[str(key)] = states
        if nodes:
            self.sizes[str(key)] = nodes if isinstance(nodes, tuple) else (nodes, nodes)
        self.gpus[str(key)] = gpus  # on each node; None: not known
        return key

    def submit(self, *options, nodes=1, gpus=0, account="default", script="sleep 1", array=None,
               states=("COMPLETED",), n_option=True):
        words = ["-A", account, *options]
        if n_option:
            words += ["-N", str(nodes) if isinstance(nodes, int) else f"{nodes[0]}-{nodes[1]}"]
        if gpus:
            words.append(f"--gpus-per-node={gpus}")
        if array:
            words += ["-a", array]
        job = self.bed.sbatch(*words, script=script)
        if array:
            first, _, last = array.partition("%")[0].partition("-")
            for i in range(int(first), int(last) + 1):
                self.note(f"{job}_{i}", nodes, gpus, states)
        else:
            self.note(job, nodes if n_option else None, gpus if n_option else None, states)
        return job

    def write_site(self, extra="", policy="guaranteed-quota"):
        text = SITE.format(policy=policy, a=self.quota["teama"], b=self.quota["teamb"], c=self.quota["teamc"],
                           limit=self.limit_c)
        (self.bed.top / "site.yaml").write_text(text + extra)

    def states(self):
        return {line[0]: line[1] for line in self.bed.queue()}

    def held(self):
        """GPUs that each account holds now."""
        out = self.bed.run("squeue", "-h", "-r", "-t", "R", "-o", "%i %a %D").stdout
        used = {}
        for line in out.splitlines():
            key, account, nodes = line.split()
            used[account] = used.get(account, 0) + int(nodes) * (self.gpus.get(key) or 0)
        return used

    def until(self, condition, limit, what, pause=0.3):
        end = time.monotonic() + limit
        while not condition():
            if time.monotonic() > end:
                self.judge(what, [f"not after {limit} s"])
                return False
            time.sleep(pause)
        return True

    def until_saved(self, job):
        """Waits until slurmctld has saved all changes so far; it does so some seconds after a change,
        and on a busy machine later. What is not saved at a crash did not happen for the next
        slurmctld: it starts running work again, and drains the nodes where that work still runs. A
        comment of the job is the newest change, so that a file that has it has all older ones."""
        self.comments += 1
        token = f"saved-before-{self.comments}"
        self.bed.run("scontrol", "update", f"JobId={job}", f"Comment={token}")
        self.until(lambda: self.bed.is_saved(token), 60, "slurmctld saves its jobs before the crash")

    def reason(self, job):
        out = self.bed.run("scontrol", "show", "job", job, check=False).stdout
        shown = self.bed.run("squeue", "-h", "-j", job, "-o", "%r", check=False).stdout
        return shown + out

    # ---- the parts of the load ----
    def play(self, parts=PARTS):
        self.write_site()
        began = time.monotonic()
        self.bed.start()
        self.facts["start_seconds"] = round(time.monotonic() - began, 1)
        for part in parts:
            began = time.monotonic()
            getattr(self, part)()
            self.facts[f"seconds_{part}"] = round(time.monotonic() - began, 1)

    def reclaim(self):
        """teama fills everything; the quotas of the others come back, and no more than that."""
        bed, n = self.bed, self.bed.n_nodes
        fill = self.submit(account="teama", gpus=GPUS, array=f"0-{n - 1}", script="sleep 25")
        self.until(lambda: self.held().get("teama", 0) == self.total, 120, "teama fills the cluster")
        gangs = self.quota["teamb"] // (4 * GPUS)
        for _ in range(gangs):
            self.submit("--no-requeue", account="teamb", nodes=4, gpus=GPUS, script="sleep 25")
        singles = self.quota["teamc"] // GPUS
        self.submit("--no-requeue", account="teamc", gpus=GPUS, array=f"0-{singles - 1}",
                    script="sleep 25")
        came = time.monotonic()
        wants = {"teamb": gangs * 4 * GPUS, "teamc": singles * GPUS}
        back = self.until(lambda: all(self.held().get(team, 0) >= want
                                      for team, want in wants.items()), 120,
                          "the quotas of teamb and teamc come back")
        self.facts["quotas_back_seconds"] = round(time.monotonic() - came, 1)
        if back:
            self.judge("the quotas of teamb and teamc come back", [])
        held = self.held()
        least = self.quota["teama"] - GPUS
        self.judge("teama keeps its quota within one job",
                   [] if held.get("teama", 0) >= least else [f"{held} of {self.quota}"])
        stopped = len([r for r in slurm_judge.runs_of(bed.records())
                       if r.account == "teama" and r.state in ("REQUEUED", "PREEMPTED")])
        bound = sum(wants.values()) // GPUS
        self.facts.update(evictions=stopped, evictions_bound=bound)
        self.judge("evictions are at most 1.1 times the lower bound",
                   [] if stopped <= 1.1 * bound else [f"{stopped} evictions, bound {bound}"])
        self.fill = fill

    def grace(self):
        """Work in a partition with a GraceTime is warned, and stopped when that time is over."""
        bed = self.bed
        self.until(lambda: not self.unfinished(), 120, "all work ends before the warnings")
        mark = bed.top / "out" / "warned"
        script = (f"srun -Q sh -c 'trap \"date +%s >{mark}\" TERM; "
                  "for i in $(seq 30); do sleep 0.5; done'")
        fill = self.submit("-p", "polite", account="teama", gpus=GPUS,
                           array=f"0-{bed.n_nodes - 1}", script=script)
        running = lambda: sum(line[1] == "RUNNING" for line in bed.queue("-j", str(fill)))
        self.until(lambda: running() == bed.n_nodes, 60, "polite work fills the cluster")
        time.sleep(4)
        came = time.time()
        winner = self.submit("--no-requeue", account="teamb", gpus=GPUS, script="sleep 1")
        ran = lambda: self.states().get(str(winner)) in ("RUNNING", "COMPLETING", "COMPLETED")
        self.until(ran, 40, "a quota comes back from polite work")
        stopped = [r for r in slurm_judge.runs_of(bed.records())
                   if r.account == "teama" and r.state in ("REQUEUED", "PREEMPTED")
                   and r.end >= came - 1]
        bad = [] if mark.exists() else ["no step was warned"]
        bad += [f"job {r.key} was stopped after {r.end - came:.1f} s" for r in stopped
                if r.end - came < 3]
        self.judge("GraceTime passes between the warning and the stop",
                   bad + ([] if len(stopped) == 1 else [f"{len(stopped)} jobs were stopped"]))

    def options(self):
        """Each option once or more: arrays, node lists, features, sizes, dependencies, srun."""
        bed, half = self.bed, self.bed.n_nodes // 2
        self.submit(gpus=1, array="0-59")
        self.submit(gpus=2, array="0-9%3")
        self.submit(account="teamc", gpus=GPUS, array=f"0-{self.limit_c // GPUS + 5}",
                    script="sleep 2")
        names = bed.node_names()
        fast, slow = set(names[:half]), set(names[half:])
        self.places.append((self.submit("-w", "n3", gpus=1), {"n3"}))
        self.places.append((self.submit("-x", f"n[0-{half}]", gpus=1), slow - {f"n{half}"}))
        for _ in range(5):
            self.places.append((self.submit("-C", "fast&ib", gpus=2), fast))
            self.places.append((self.submit("-C", "slow", gpus=2), slow))
        self.submit("-C", "fast|slow", nodes=2, gpus=1)
        self.near = [self.submit("--switches=1@60:00", nodes=3, gpus=1) for _ in range(4)]
        self.places.append((self.submit("-p", "few", nodes=2, gpus=1), fast))
        self.submit(nodes=(2, 4), gpus=4)
        self.submit("-n", "24", "--gpus=24", n_option=False)
        self.submit("-n", "16", "-c", "2", nodes=4)
        self.submit("--exclusive", nodes=2)
        for _ in range(6):
            self.submit("--gres=mps:50")
        first = self.submit(gpus=1, script="sleep 2")
        self.submit("-d", f"afterok:{first}", gpus=1)
        self.submit("--begin=now+3", gpus=1)
        for _ in range(20):
            self.submit(nodes=2, gpus=4, account="teamb", script="sleep 2")
        self.sruns = [subprocess.Popen(["srun", "-Q", "-A", "default", "-N2", "--gpus-per-node=1",
                                        "true"], env=bed.env, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, start_new_session=True)
                      for _ in range(8)]

    def licences(self):
        """Licences belong to whole jobs: never more are in use than there are, all of them are used,
        and Slurm refuses no start for want of them."""
        bed = self.bed
        single = self.submit("-L", "tool:1", gpus=1, array="0-6", script="sleep 4")
        gangs = [self.submit("-L", "tool:2", nodes=3, gpus=1, script="sleep 4") for _ in range(2)]
        both = self.submit("-L", "tool:1,rare", nodes=(1, 2), gpus=1, script="sleep 2")
        later = self.submit("-L", "rare:1", gpus=1, script="sleep 2")
        jobs = {str(job): count for job, count in [*((gang, 2) for gang in gangs), (both, 1)]}
        jobs.update({f"{single}_{i}": 1 for i in range(7)})
        words = "of the licence tool; 0 are left"
        name = "squeue gives the licence that a job waits for"
        if self.until(lambda: any(words in self.reason(job) for job in (f"{single}_6", *gangs, both)),
                      20, name):
            self.judge(name, [])
        ended = lambda: not any(line[1] in ("PENDING", "RUNNING") for line in bed.queue()
                                if line[0] in {*jobs, str(later)})
        most = 0
        if self.until(ended, 90, "jobs with licences end"):
            runs = [run for run in slurm_judge.runs_of(bed.records()) if run.key in jobs and run.ran]
            most = slurm_judge.most_at_once(runs, lambda run: jobs[run.key])
            self.judge("licences are all used, and never more than there are",
                       [] if most == TOOLS else [f"{most} of {TOOLS} were in use"])
        self.facts["licences_most"] = most

    def switch_scheduler(self, scheduler):
        self.bed.kill("slurmctld", signal.SIGTERM)  # it saves its jobs
        self.bed.scheduler = scheduler
        self.bed.write_conf()
        self.bed.start_controller()

    def hetjob(self):
        """slurmctld takes heterogeneous jobs only under sched/backfill. One that was queued then waits
        when sched/libsched takes over: none of its components starts alone."""
        bed = self.bed
        self.until(lambda: not self.unfinished(), 120, "all work ends before the heterogeneous job")
        script = bed.top / "hetjob.sh"
        script.write_text("#!/bin/sh\n#SBATCH -A default -N1 --begin=now+600\n#SBATCH hetjob\n"
                          "#SBATCH -A default -N2 --begin=now+600\ntrue\n")
        command = ("sbatch", "--parsable", "-o", "/dev/null", script)
        refused = bed.run(*command, check=False)
        self.judge("slurmctld itself refuses a new heterogeneous job",
                   [] if "not supported" in refused.stderr else [refused.stdout + refused.stderr])
        self.switch_scheduler("sched/backfill")
        job = int(bed.run(*command).stdout.split(";")[0])
        self.switch_scheduler("sched/libsched")
        parts = [job, job + 1]
        for part in parts:
            bed.run("scontrol", "update", f"JobId={part}", "StartTime=now", check=False)
        words = 'the option hetjob (components after ":") has no image'
        name = "a heterogeneous job waits whole, with the reason"
        shown = lambda: [line[1] for line in bed.queue("-j", str(job)) if words in line[4]]
        if self.until(lambda: len(shown()) == 2, 40, name):
            time.sleep(2)
            self.judge(name, [] if shown() == ["PENDING"] * 2 else [f"the components are {shown()}"])
        else:
            self.facts["reason_hetjob"] = bed.run("scontrol", "show", "job", job, check=False).stdout[:600]
        bed.run("scancel", job)

    def refused_options(self):
        """What has no image waits, with words that name it; the words reach squeue."""
        cases = {"--contiguous": self.submit("--contiguous", nodes=2, states=("CANCELLED",)),
                 "brackets of --constraint": self.submit("-C", "[fast|slow]", nodes=2,
                                                         states=("CANCELLED",)),
                 "an unknown account": self.submit(account="nobody", states=("CANCELLED",)),
                 "a job above its limit": self.submit(account="teamc", gpus=GPUS,
                                                      nodes=self.limit_c // GPUS + 1,
                                                      states=("CANCELLED",))}
        cases["more MPS than a GPU has"] = self.submit("--gres=mps:150", states=("CANCELLED",))
        words = {"more MPS than a GPU has": "above that of one GPU",
                 "--contiguous": "--contiguous has no image", "an unknown account": "nobody",
                 "brackets of --constraint": "has no image", "a job above its limit": "may use"}
        for name, job in cases.items():
            shown = lambda job=job, name=name: words[name] in self.reason(job)
            if self.until(shown, 40, f"squeue gives the reason of {name}"):
                self.judge(f"squeue gives the reason of {name}", [])
            if not shown():
                self.facts[f"reason_{name}"] = self.reason(job)[:300]
        self.bed.run("scancel", *cases.values())

    def people(self):
        """Users and administrators change, hold, requeue and cancel jobs meanwhile."""
        bed = self.bed
        held = self.submit("--hold", gpus=1)
        waiting = self.submit("--begin=now+600", nodes=4, gpus=2, script="sleep 1")
        running = self.submit(gpus=1, script="sleep 8")
        never = self.submit(gpus=1, script="sleep 600", states=("CANCELLED",))
        self.until(lambda: self.states().get(str(never)) == "RUNNING", 30, "a job runs")
        bed.run("scontrol", "suspend", never)
        bed.run("scontrol", "update", f"JobId={running}", "TimeLimit=30")
        other = self.submit("--begin=now+600", "-p", "main", gpus=1)
        bed.run("scontrol", "update", f"JobId={other}", "Partition=few", "Account=teamb",
                "StartTime=now")
        self.places.append((other, set(bed.node_names()[:bed.n_nodes // 2])))
        bed.run("scontrol", "resume", never)
        bed.run("scontrol", "requeue", running, check=False)
        bed.run("scancel", never)
        bed.run("scontrol", "update", f"JobId={waiting}", "StartTime=now", "NumNodes=2-2")
        self.sizes[str(waiting)] = (2, 2)
        bed.run("scontrol", "release", held)
        # a requeued job has a begin time of two minutes, which an administrator can lift
        self.until(lambda: self.states().get(str(running)) == "PENDING", 40, "a requeued job waits")
        bed.run("scontrol", "update", f"JobId={running}", "StartTime=now", check=False)

    def node_loss(self):
        """A node dies under a gang, which runs again elsewhere. (When a job loses all its nodes at
        once, Slurm 22.05 forgets to free its GPUs later, also with sched/backfill.)"""
        bed = self.bed
        jobs = [self.submit(nodes=2, gpus=GPUS, account="teamb", script="sleep 6")
                for _ in range(2)]
        self.until(lambda: any(self.states().get(str(job)) == "RUNNING" for job in jobs), 60,
                   "a gang runs")
        line = next((line for line in bed.queue() if line[1] == "RUNNING" and
                     line[0] in map(str, jobs)), None)
        if not line:
            return
        lost = slurm_judge.expand(line[3])[:1]
        for node in lost:
            bed.lose_node(node)
        bed.run("scontrol", "update", f"NodeName={','.join(lost)}", "State=DOWN", "Reason=lost")
        def again():
            if self.states().get(line[0]) == "PENDING":
                bed.run("scontrol", "update", f"JobId={line[0]}", "StartTime=now", check=False)
            places = next((q[3] for q in bed.queue()
                           if q[0] == line[0] and q[1] != "COMPLETING"), "")
            return places and not set(slurm_judge.expand(places)) & set(lost)

        if self.until(again, 90, "a gang that lost its node runs elsewhere"):
            places = next((q[3] for q in bed.queue() if q[0] == line[0]), "")
            bad = set(slurm_judge.expand(places)) & set(lost)
            self.judge("a gang that lost its node runs elsewhere", [f"on {bad}"] if bad else [])
        for node in lost:
            bed.start_node(node)
        bed.run("scontrol", "update", f"NodeName={','.join(lost)}", "State=RESUME", check=False)

    def crash(self):
        """kill -9 of slurmctld with work that runs and work that waits: nothing runs twice."""
        bed = self.bed
        self.until(lambda: not self.unfinished(), 120, "all work ends before the crash")
        fill = bed.n_nodes // 2 - 2
        job = self.submit(nodes=2, gpus=GPUS, account="teamb", array=f"0-{fill + 2}",
                          script="sleep 15")
        running = lambda: sum(line[1] == "RUNNING" for line in bed.queue("-j", str(job)))
        self.until(lambda: running() >= fill, 60, "work runs before the crash")
        self.until_saved(f"{job}_{fill + 2}")
        bed.kill("slurmctld", signal.SIGKILL)
        bed.start_controller()
        self.until(lambda: not self.unfinished(), 180, "all work ends after a crash")
        runs = [r for r in slurm_judge.runs_of(bed.records()) if r.key.startswith(f"{job}_")]
        self.judge("after a crash, work goes on where it ran",
                   [] if len(runs) == fill + 3 else [f"{len(runs)} runs of {fill + 3} elements"])

    def busy_crash(self):
        """kill -9 while jobs are stopped, leave their nodes, and start: the quota comes back all the
        same. A requeue that slurmctld had not saved is lost: to Slurm, that job failed, or runs on
        without a process until its node registers the next time. And the GPUs of a job that lost all
        its nodes stay taken in Slurm until its next start (see README.md). Both are Slurm's own, so
        such jobs are cancelled here, and starts that Slurm refuses because of them are excused."""
        bed = self.bed
        full = self.submit(account="teama", gpus=GPUS, array=f"0-{bed.n_nodes - 1}", script="sleep 20",
                           states=("COMPLETED", "FAILED", "NODE_FAIL", "CANCELLED", "PREEMPTED"))
        self.until(lambda: self.held().get("teama", 0) == self.total, 60, "teama fills the cluster")
        self.until_saved(f"{full}_0")
        want, before = bed.n_nodes // 4, len(bed.log())
        # launched and not saved: Slurm kills the old run when the node tells of it
        job = self.submit(account="teamb", gpus=GPUS, array=f"0-{want - 1}", script="sleep 3",
                          states=("COMPLETED", "NODE_FAIL"))
        self.until(lambda: "Requeuing" in bed.log()[before:], 40, "work is being stopped",
                   pause=0.02)
        bed.kill("slurmctld", signal.SIGKILL)
        bed.start_controller()
        if not self.states().get(f"{job}_0"):  # the submission itself had not been saved
            for i in range(want):
                self.wanted.pop(f"{job}_{i}")
            job = self.submit(account="teamb", gpus=GPUS, array=f"0-{want - 1}", script="sleep 3")
        done = lambda: not any(line[1] in ("PENDING", "RUNNING")
                               for line in bed.queue("-j", str(job)))
        if self.until(done, 120, "the quota comes back after a crash among stops"):
            self.judge("the quota comes back after a crash among stops", [])
        bed.run("scancel", "-A", "teama", check=False)
        self.until(lambda: not self.unfinished(), 120, "all work ends after a crash among stops")
        bed.kill("slurmctld", signal.SIGTERM)  # it counts the GPUs that are taken anew
        self.excused = set(refusals(bed.log()[before:].splitlines()))
        bed.start_controller()

    def bad_file(self):
        """A reload of a file with an error: the last good one stays, and work goes on."""
        bed = self.bed
        for what, extra, names in (
                ("a bad file", "  - {name: broken, quoat: {gpu: 1}}\n", ("site.yaml:", "quoat")),
                ("a broken policy in Lua", "", ("bad.lua:2",))):
            before = len(bed.log())
            (bed.top / "bad.lua").write_text("-- a policy\nthis is nonsense\n")
            self.write_site(extra, policy="guaranteed-quota" if extra else "{file: bad.lua}")
            bed.run("scontrol", "reconfigure")
            name = f"{what} at reconfigure is refused, and the log says so"
            if self.until(lambda: "the last good policy" in bed.log()[before:], 40, name):
                line = [text for text in bed.log().splitlines() if "last good policy" in text][-1]
                self.judge(name, [] if all(word in line for word in names) else [line])
        job = self.submit(gpus=1)
        ran = lambda: self.states().get(str(job)) in ("RUNNING", "COMPLETING", "COMPLETED")
        if self.until(ran, 40, "jobs start after a refused reload"):
            self.judge("jobs start after a refused reload", [])
        self.write_site()
        bed.run("scontrol", "reconfigure")

    def bad_start(self):
        """A bad file at the start: Slurm's own order, until the file is mended."""
        bed = self.bed
        self.until(lambda: not self.unfinished(), 120, "all work ends before the bad start")
        time.sleep(5.5)
        bed.kill("slurmctld", signal.SIGKILL)
        before = len(bed.log())
        self.write_site("nonsense: true\n")
        bed.start_controller()
        job = self.submit(gpus=1)
        ran = lambda: self.states().get(str(job)) in ("RUNNING", "COMPLETING", "COMPLETED")
        ok = self.until(ran, 40, "Slurm's own order takes over at a bad start, and the log says so")
        said = "Slurm's own order schedules" in bed.log()[before:]
        if ok:
            self.judge("Slurm's own order takes over at a bad start, and the log says so",
                       [] if said else ["the log does not say so"])
        self.write_site()
        bed.run("scontrol", "reconfigure")
        back = lambda: "libsched schedules again" in bed.log()[before:]
        if self.until(back, 60, "libsched takes over when the file is mended"):
            self.judge("libsched takes over when the file is mended", [])
        self.submit(gpus=1, array="0-9")

    def unfinished(self):
        live = ("PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED")
        return [line for line in self.bed.queue() if line[1] in live]

    def finish(self):
        if not self.until(lambda: not self.unfinished(), 120, "the queue is empty at the end"):
            self.facts["unfinished"] = self.unfinished()[:20]
        srun_errors = []
        for srun in self.sruns:
            _, errors = srun.communicate(timeout=60)
            if srun.returncode:
                srun_errors.append(errors.decode()[:200])
        self.judge("srun commands run", srun_errors)
        time.sleep(1)
        self.judge_records()
        self.judge_log()

    # ---- the judgement ----
    def gpus_of(self, run):
        return self.gpus.get(run.key) or 0

    def judge_records(self):
        runs = slurm_judge.runs_of(self.bed.records())
        where = {run.key: run.nodes for run in runs if run.ran}
        self.facts.update(jobs=len(self.wanted), runs=len([run for run in runs if run.ran]))
        self.judge("no job is lost, and each ends as it should",
                   slurm_judge.lost(runs, self.wanted))
        self.judge("no node is booked twice", slurm_judge.double_booked(runs, self.gpus_of, GPUS))
        self.judge("gangs run whole, with the size that was asked for",
                   slurm_judge.broken_gangs(runs, self.sizes))
        self.judge("teamc never holds more than its limit",
                   slurm_judge.above_limit(runs, self.gpus_of, "teamc", self.limit_c,
                                           stops(self.bed.log().splitlines())))
        wrong = [f"job {job} on {where.get(str(job))}" for job, allowed in self.places
                 if not where.get(str(job)) or not set(where[str(job)]) <= allowed]
        self.judge("node lists, features and partitions hold", wrong)
        names = self.bed.node_names()
        halves = [set(names[:len(names) // 2]), set(names[len(names) // 2:])]
        self.judge("--switches=1 keeps a job below one leaf switch",
                   [f"job {job} on {where.get(str(job))}" for job in self.near
                    if not any(set(where.get(str(job), ["?"])) <= half for half in halves)])

    def judge_log(self):
        self.bed.kill("slurmctld", signal.SIGTERM)  # it writes its counters when it ends
        log = self.bed.log()
        lines = log.splitlines()
        refused = [line for line in refusals(lines) if line not in self.excused]
        self.facts["refused_starts"] = len(refused)
        self.judge("Slurm refused no start", refused)
        failed = [line for line in lines if "E_VERIFY" in line or "E_CORRUPT" in line]
        self.judge("every plan was verified", failed)
        fallbacks = [line for line in lines if "Slurm's own order schedules" in line]
        self.judge("libsched scheduled all the time but for the bad start",
                   fallbacks[1:] if len(fallbacks) > 1 else [])
        self.facts["counts"] = counts_of(lines)
