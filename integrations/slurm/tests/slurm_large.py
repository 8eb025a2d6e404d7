# SPDX-License-Identifier: GPL-2.0-or-later
"""A large site: 1,000 nodes, each with one running job, and 10,000 waiting jobs, once under
sched/libsched and once under sched/backfill with its defaults. People cancel running jobs at an
even pace, so that others start, while two clients ask slurmctld again and again. What is measured:
the CPU time for which libsched holds Slurm's write lock in a cycle, and the calls that the clients
get answered in a second under each scheduler.

The waiting jobs are single ones of several sizes, because only the first elements of an array are
in libsched at a time. Slurm's own preemption is off in both arms: with it, slurmctld looks at all
jobs each time that one starts. The database of MariaDB and slurmdbd is left out."""
import concurrent.futures
import pathlib
import shutil
import signal
import tempfile
import time

import slurm_bed
import slurm_load

GPUS = slurm_bed.GPUS
JOBS_OF_ARRAY = 1000  # Slurm's own bound is 1,001
COUNTS = "libsched: counts:"
CANCELS_EACH_SECOND = 3
LOCK_MS_MAX = 2.0
RATE_LEAST = 0.9
SITE = """\
policy: guaranteed-quota
queues:
  - {{name: teama, quota: {{gpu: {half}}}}}
  - {{name: teamb, quota: {{gpu: {half}}}}}
"""


def make_bed(top, nodes, plugin, port):
    parameters = f"libsched_config={top}/site.yaml" if plugin else ""
    return slurm_bed.Bed(top, nodes=nodes, plugin=plugin, port=port, parameters=parameters, preempts=False,
                         scheduler="sched/libsched" if plugin else "sched/backfill")


def submit(bed, waiting):
    """Jobs that fill the nodes, and then those that wait. Returns the ids of the waiting ones."""
    whole = f"--gres=gpu:{GPUS}"
    for first in range(0, bed.n_nodes, JOBS_OF_ARRAY):
        count = min(JOBS_OF_ARRAY, bed.n_nodes - first)
        for team, part in (("teama", count - count // 2), ("teamb", count // 2)):
            if part:
                bed.sbatch("-A", team, "-n1", whole, "-t", "60", "-a", f"0-{part - 1}", script="sleep 3600")
    bed.wait(lambda: bed.count_nodes("alloc,mix") >= bed.n_nodes, 300, "work on all nodes")

    def one(i):
        size = (whole, f"--gres=gpu:{GPUS // 2}", "--gres=gpu:1", whole)[i % 4]
        width = "-N2" if i % 16 == 3 else "-N1"
        return bed.sbatch("-A", "teamb" if i // 2 % 2 else "teama", width, size, "-t", 10 + i % 7 * 5,
                          script="sleep 3600")

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        return list(pool.map(one, range(waiting)))


def ask(bed, job, until):
    """The number of answers that one client gets, and the longest time that it waits for one."""
    calls, longest = 0, 0.0
    while time.monotonic() < until:
        began = time.monotonic()
        calls += bed.run("scontrol", "show", "job", job, check=False, timeout=120).returncode == 0
        longest = max(longest, time.monotonic() - began)
    return calls, longest


def cancel(bed, running, until):
    """Cancels running jobs at an even pace. Returns their number."""
    done, began = 0, time.monotonic()
    while time.monotonic() < until and done < len(running):
        bed.run("scancel", running[done], check=False, timeout=120)
        done += 1
        time.sleep(max(0.0, began + done / CANCELS_EACH_SECOND - time.monotonic()))
    return done


def count_starts(queue, submitted):
    wanted = {str(job) for job in submitted}
    return sum(line[0] in wanted and line[1] != "PENDING" for line in queue)


def counts_now(bed):
    return slurm_load.counts_of(bed.log().splitlines())


def counts_before(bed):
    """The plug-in's counters when all jobs wait: it writes them every 15 s if they have changed."""
    known, until = bed.log().count(COUNTS), time.monotonic() + 20
    while bed.log().count(COUNTS) == known and time.monotonic() < until:
        time.sleep(0.2)
    return counts_now(bed)


def play_arm(bed, waiting, seconds):
    """Fills the nodes, lets `waiting` jobs wait, and measures for so many seconds."""
    bed.start()
    jobs = submit(bed, waiting)
    counts = counts_before(bed) if bed.plugin else {}
    queue = bed.queue()
    waits = sum(line[1] == "PENDING" for line in queue)
    running = [line[0] for line in queue if line[1] == "RUNNING"]
    before, until = count_starts(queue, jobs), time.monotonic() + seconds
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        cancels = pool.submit(cancel, bed, running, until)
        answers = list(pool.map(lambda job: ask(bed, job, until), jobs[-2:]))
    took = time.monotonic() - began
    started = count_starts(bed.queue(), jobs) - before
    bed.kill("slurmctld", signal.SIGTERM)  # it writes its counters when it ends
    after = counts_now(bed)
    # the greatest hold is that of the plug-in's whole life
    counts = {name: after[name] - (0 if name.endswith("_max") else counts.get(name, 0)) for name in after}
    return {"waiting": waits, "answers_each_second": round(sum(calls for calls, _ in answers) / took, 1),
            "longest_answer_seconds": round(max(longest for _, longest in answers), 2),
            "cancelled": cancels.result(), "started": started, "counts": counts}


def judge(arms, load, waiting):
    libsched, backfill = arms["libsched"], arms["backfill"]
    counts = libsched["counts"]
    cycles = counts.get("lock_cycles", 0)
    mean = counts.get("lock_cpu_us", 0) / max(1, cycles) / 1000
    libsched["lock_ms_mean"] = round(mean, 2)
    load.judge(f"{waiting} jobs wait", [f"{arm['waiting']} under {name}" for name, arm in arms.items()
                                        if arm["waiting"] < 0.9 * waiting])
    load.judge("waiting jobs start when others are cancelled", [] if libsched["started"] else ["none did"])
    load.judge(f"the write lock is held for at most {LOCK_MS_MAX} ms of CPU in the mean",
               [] if cycles and mean <= LOCK_MS_MAX else [f"{mean:.2f} ms in {cycles} cycles"])
    least = RATE_LEAST * backfill["answers_each_second"]
    load.judge(f"clients get at least {RATE_LEAST:.0%} of the answers that they get under sched/backfill",
               [f"{libsched['answers_each_second']} of {backfill['answers_each_second']} each second"]
               if libsched["answers_each_second"] < least else [])


def play(load, nodes, plugin, ports, waiting, seconds=60):
    """Plays both arms, each in a Slurm of its own, and judges. Returns the log of libsched's."""
    arms, log = {}, ""
    for name in ("backfill", "libsched"):
        top = pathlib.Path(tempfile.mkdtemp(prefix="libsched-slurm-"))
        bed = make_bed(top, nodes, plugin if name == "libsched" else None, ports(nodes + 2))
        try:
            (top / "site.yaml").write_text(SITE.format(half=nodes * GPUS // 2))
            arms[name] = play_arm(bed, waiting, seconds)
        except Exception as error:  # noqa: BLE001 # a failure of the bed is a failed check
            load.judge(f"the load was played to its end under {name}", [f"{type(error).__name__}: {error}"])
            return log
        finally:
            log = bed.log() if bed.log_file().exists() else ""
            bed.close()
            shutil.rmtree(top, ignore_errors=True)
        print(f"{name}: " + ", ".join(f"{what.replace('_', ' ')} {figure}"
                                      for what, figure in arms[name].items() if what != "counts"), flush=True)
    judge(arms, load, waiting)
    load.facts["large"] = arms
    load.facts["counts"] = arms["libsched"]["counts"]
    return log
