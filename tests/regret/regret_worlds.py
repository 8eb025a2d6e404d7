"""Tiny clusters, made from a seed: at most four nodes and eight jobs.

A world is a dict of plain numbers. world(seed) makes the same one everywhere: it reads no clock, and draws all numbers
from one generator. The seed also chooses the arm, so the seeds 0, 1, 2 ... go through all arms in turn. An arm is a
pipeline; its worlds have only what regret_optimum.py can state exactly:

  allocate     {allocate}; queues in strict order (fair_share "fifo"), limits of queues, gangs, growth, shares of GPUs
  reclaim      {allocate, reclaim}; quotas and weights; all waiting jobs are in one queue
  preempt      {allocate, preempt}; one queue
  consolidate  {allocate, consolidate}; one queue

In the last three arms, no two waiting jobs have the same priority. With equal priorities, the order of the actions would
decide which job goes first. Units are those of the library: milli-GPUs, milli-cores, bytes.
"""
import random

ARMS = ("allocate", "reclaim", "preempt", "consolidate")
NODES_MAX, JOBS_MAX = 4, 8
GIB = 1 << 30


def node(rng, index, arm, *, parts, plain):
    gpus = rng.choice((1, 2, 3, 4, 4)) if arm == "allocate" else rng.choice((2, 3, 4, 4, 5))
    return dict(name=f"n{index}", gpus=gpus, parts=parts,
                cpu=1000 * (64 if plain else rng.randint(gpus, 3 * gpus + 2)),
                memory=GIB * (256 if plain else rng.randint(2 * gpus, 6 * gpus + 4)))


def task(rng, arm, sizes, *, parts, plain, most):
    """What one task asks for. `plain`: GPUs decide, and cpu and memory never run out."""
    gpu = 1000 * min(most, rng.choice(sizes))
    if parts and rng.random() < 0.4:
        gpu = rng.choice((250, 300, 400, 500, 500, 600, 700))
    if not plain and arm != "reclaim" and rng.random() < 0.15:
        gpu = 0
    if plain:
        return dict(gpu=gpu, cpu=1000, memory=GIB)
    whole = max(1, gpu // 1000)
    return dict(gpu=gpu, cpu=1000 * rng.randint(1, 2 * whole + 1), memory=GIB * rng.randint(1, 5 * whole))


class Room:
    """What the running work leaves free, device by device."""

    def __init__(self, nodes):
        self.cpu = [n["cpu"] for n in nodes]
        self.memory = [n["memory"] for n in nodes]
        self.device = [[1000] * n["gpus"] for n in nodes]

    def devices(self, at, gpu):
        """The numbers of devices that could hold the amount; None if there are not enough."""
        free = self.device[at]
        if gpu == 0:
            return []
        if gpu < 1000:
            fits = sorted((f, d) for d, f in enumerate(free) if f >= gpu)
            return [fits[0][1]] if fits else None
        idle = [d for d, f in enumerate(free) if f == 1000]
        return idle[:gpu // 1000] if len(idle) >= gpu // 1000 else None

    def take(self, at, asked):
        """Takes a task; its devices, or None if it does not fit."""
        found = self.devices(at, asked["gpu"])
        if found is None or self.cpu[at] < asked["cpu"] or self.memory[at] < asked["memory"]:
            return None
        self.cpu[at] -= asked["cpu"]
        self.memory[at] -= asked["memory"]
        for d in found:
            self.device[at][d] -= min(asked["gpu"], 1000)
        return found

    def give(self, at, asked, devices):
        self.cpu[at] += asked["cpu"]
        self.memory[at] += asked["memory"]
        for d in devices:
            self.device[at][d] += min(asked["gpu"], 1000)


def shape(rng, one):
    """(count, min) of a job: single tasks, gangs, and gangs with surplus."""
    count = 1 if one or rng.random() < 0.5 else rng.randint(2, 4)
    least = count if count == 1 or rng.random() < 0.6 else rng.randint(1, count - 1)
    return count, least


def run(rng, room, nodes, job):
    """Puts all tasks of the job on nodes; True if they fit."""
    placed = []
    for _ in range(job["count"]):
        order = list(range(len(nodes)))
        rng.shuffle(order)
        for at in order:
            devices = room.take(at, job)
            if devices is not None:
                placed.append((at, devices))
                break
        else:
            for at, devices in placed:
                room.give(at, job, devices)
            return False
    job["on"] = [at for at, _ in placed]
    job["devices"] = [devices for _, devices in placed]
    return True


def jobs_running(rng, made, names, n, kind):
    """Running jobs up to a part of the GPUs; in `consolidate` it is small enough that room is in pieces."""
    arm, room = made["arm"], Room(made["nodes"])
    fill = {"allocate": 0.6, "consolidate": rng.choice((0.4, 0.5, 0.6, 0.7))}.get(arm, 1.0)
    left = fill * 1000 * sum(node["gpus"] for node in made["nodes"])
    for i in range(n):
        count, least = shape(rng, rng.random() < 0.4)
        job = dict(name=f"r{i}", queue=rng.choice(names), priority=0, count=count, min=least, firm=False, submitted=i)
        if arm == "reclaim" and rng.random() < 0.6:
            job["queue"] = rng.choice(names[1:])
        if arm == "preempt":
            job["priority"] = rng.randint(0, 3)
        if arm != "allocate":
            job["firm"] = rng.random() < 0.1
        job.update(task(rng, arm, (1, 1, 1, 2), **kind))
        if job["gpu"] * count <= left and run(rng, room, made["nodes"], job):
            left -= job["gpu"] * count
            made["jobs"].append(job)


def jobs_waiting(rng, made, names, n, kind):
    free = made["arm"] == "allocate"
    priorities = [rng.randint(0, 2) for _ in range(n)] if free else rng.sample(range(1, 7), n)
    for i in range(n):
        count, least = shape(rng, False)
        job = dict(name=f"w{i}", queue=rng.choice(names), priority=priorities[i], count=count,
                   min=least if free else count, firm=False, submitted=100 + rng.randint(0, n), on=None, devices=None)
        job.update(task(rng, made["arm"], (1, 1, 1, 2, 2, 3, 4), **kind))
        made["jobs"].append(job)


def queue(rng, index, arm, gpus):
    made = dict(name=f"q{index}", priority=0, created=1 + index, quota=None, weight=None, limit=None)
    if arm == "reclaim":
        made["quota"] = 1000 * (rng.randint(0, gpus // 2) if index else rng.randint(1, gpus))
        made["weight"] = 1000 * rng.randint(0, 3)
    if arm == "allocate":
        made["priority"] = rng.choice((0, 0, 1))
        if rng.random() < 0.3:
            made["limit"] = 1000 * rng.randint(1, gpus)
    return made


def raise_limits(made):
    """No queue begins above its limit."""
    for q in made["queues"]:
        if q["limit"] is not None:
            used = sum(j["gpu"] * j["count"] for j in made["jobs"] if j["queue"] == q["name"])
            q["limit"] = max(q["limit"], used)


def world(seed):
    arm = ARMS[seed % len(ARMS)]
    rng = random.Random(f"regret {seed}")
    parts = arm == "allocate" and rng.random() < 0.5
    plain = arm != "allocate" and rng.random() < 0.5
    n_nodes = rng.randint(1 if arm == "allocate" else 2, NODES_MAX)
    nodes = [node(rng, i, arm, parts=parts, plain=plain) for i in range(n_nodes)]
    gpus = sum(n["gpus"] for n in nodes)
    wide = {"allocate": rng.randint(1, 3), "reclaim": rng.randint(2, 4)}.get(arm, 1)
    queues = [queue(rng, i, arm, gpus) for i in range(wide)]
    names = [q["name"] for q in queues]
    made = dict(seed=seed, arm=arm, nodes=nodes, queues=queues, jobs=[])
    kind = dict(parts=parts, plain=plain, most=max(n["gpus"] for n in nodes))
    n_waiting = rng.randint(2, 6) if arm == "allocate" else rng.randint(1, 3)
    n_running = JOBS_MAX - n_waiting
    jobs_running(rng, made, names, rng.randint(0, min(3, n_running)) if arm == "allocate" else n_running, kind)
    raise_limits(made)
    jobs_waiting(rng, made, names[:1] if arm == "reclaim" else names, n_waiting, kind)
    return made
