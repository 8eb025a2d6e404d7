# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges what Slurm did, from Slurm's own records: completion records and `scontrol show job`.

Nothing here asks libsched. A complaint is a text; no complaint means that the property holds.
"""
import collections
import datetime
import re


def expand(names):
    """'n[0-2,7],x3' -> ['n0', 'n1', 'n2', 'n7', 'x3']"""
    out = []
    for part in re.findall(r"[^,\[]+(?:\[[^\]]*\])?", names):
        found = re.fullmatch(r"([^\[]+)\[([^\]]*)\]", part)
        if not found:
            out.append(part)
            continue
        for piece in found[2].split(","):
            first, _, last = piece.partition("-")
            out += [f"{found[1]}{i}" for i in range(int(first), int(last or first) + 1)]
    return [name for name in out if name not in ("(null)", "")]


def seconds(text):
    try:
        return datetime.datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None


class Held:
    """An amount that was held for some time."""

    def __init__(self, start, end, amount):
        self.start, self.end, self.amount, self.ran = start, end, amount, True


class Run:
    """One run of one job, as Slurm recorded it."""

    def __init__(self, record):
        self.job = int(record["JobId"])
        if record.get("ArrayTaskId"):
            self.key = f"{record['ArrayJobId']}_{record['ArrayTaskId']}"
        else:
            self.key = str(self.job)
        self.state = record["JobState"]
        self.account = record["Account"]
        self.start, self.end = seconds(record["StartTime"]), seconds(record["EndTime"])
        self.nodes = expand(record.get("NodeList", ""))
        self.ran = bool(self.nodes) and self.start is not None and self.end is not None


def runs_of(records):
    return [Run(record) for record in records]


def lost(runs, wanted):
    """`wanted`: key -> the final states that are right. Each key has ended in one of them."""
    last = {}
    for run in runs:
        last[run.key] = run.state
    return [f"job {key} ended as {last.get(key, 'nothing')}, expected {'/'.join(states)}"
            for key, states in wanted.items() if last.get(key) not in states]


def recorded_once(runs):
    """Each run once. A run whose end slurmctld had not saved before kill -9 is recorded twice; its
    first end is the true one."""
    seen = {}
    for run in runs:
        seen.setdefault((run.key, run.start), run)
    return list(seen.values())


def double_booked(runs, gpus_of, gpus_per_node):
    """Times when jobs held more GPUs of a node than it has. Times have whole seconds, so a run that
    ends in the second in which another begins does not overlap it."""
    steps = collections.defaultdict(list)
    for run in recorded_once(runs):
        gpus = gpus_of(run)
        if not run.ran or not gpus or run.end <= run.start:
            continue
        for node in run.nodes:
            steps[node] += [(run.start, 1, gpus, run.key), (run.end, 0, -gpus, run.key)]
    complaints = []
    for node, changes in sorted(steps.items()):
        used = 0
        for when, _, gpus, key in sorted(changes):
            used += gpus
            if used > gpus_per_node:
                complaints.append(
                    f"node {node}: {used} GPUs of {gpus_per_node} at {when}, job {key}")
                break
    return complaints


def broken_gangs(runs, sizes):
    """`sizes`: key -> (least, most) number of nodes of every run."""
    return [f"job {run.key} ran on {len(run.nodes)} nodes, expected {sizes[run.key]}"
            for run in runs if run.ran and run.key in sizes
            and not sizes[run.key][0] <= len(run.nodes) <= sizes[run.key][1]]


def most_at_once(runs, amount_of):
    """The most that runs held at one time, of what they hold from their start to their end."""
    changes = []
    for run in runs:
        if run.ran and run.end > run.start:
            changes += [(run.start, 1, amount_of(run)), (run.end, 0, -amount_of(run))]
    used = most = 0
    for _, _, amount in sorted(changes):
        used += amount
        most = max(most, used)
    return most


def above_limit(runs, gpus_of, account, limit, stops):
    """The most GPUs that an account ever held must be at most its limit. Work that was told to stop
    does not count from then on, also if it takes some seconds to go (S-releasing-limit of
    docs/semantics.md). `stops`: key -> the whole seconds in which the job was told to stop."""
    def counted(run):
        told = [when for when in stops.get(run.key, [])
                if run.state != "COMPLETED" and run.start <= when < run.end]
        return min(told, default=run.end)

    held = [Held(run.start, counted(run), gpus_of(run) * len(run.nodes))
            for run in recorded_once(runs) if run.account == account and run.ran]
    most = most_at_once(held, lambda run: run.amount)
    return [f"account {account} held {most} GPUs, its limit is {limit}"] if most > limit else []
