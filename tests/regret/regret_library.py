"""What the library decides in a world: the outcome of one cycle, as plain numbers, through the Python binding.

An outcome has, for each job by its place in the world, the nodes of its tasks afterwards (`nodes`), and for each step of the
declared order (`steps`): the job, its tasks, whether the step is served, the node and the devices of each of these tasks
(`places`), how many tasks of which jobs lose their place for it (`evicted`) or continue elsewhere (`moved`), and 1 + the highest
priority of the work that stops for it (`top`).
"""
import ctypes

import libsched
from libsched import _abi
from libsched.errors import check
from libsched.library import lib

NOW_US = 1_700_000_000_000_000
MINUTE_US = 60_000_000
GONE = (libsched.TASK_RELEASING, libsched.TASK_DONE)

EVICTION = "eviction = {{ victims = '{victims}', saturation = 1, protection = 'path', moves_max = 100 }},"
SHARES = {"allocate": "fifo", "reclaim": "quota", "preempt": "fifo", "consolidate": "fifo"}
# What is compared with the optimum in each arm: placement strategies, or orders of victims.
VARIANTS = {
    "allocate": ("binpack", "best-fit", "first-fit", "spread", "fgd", "least-fragmentation"),
    "reclaim": ("fewest", "cheapest"),
    "preempt": ("fewest", "cheapest"),
    "consolidate": ("binpack",),
}


def policy_text(arm, variant):
    pipeline = "'allocate'" if arm == "allocate" else f"'allocate', '{arm}'"
    placement = "binpack" if arm in ("reclaim", "preempt") else variant
    victims = variant if arm in ("reclaim", "preempt") else "fewest"
    eviction = "" if arm == "allocate" else EVICTION.format(victims=victims)
    return (f"return {{ api = 1, name = 'regret', fair_share = '{SHARES[arm]}', placement = '{placement}',\n"
            f"  pipeline = {{ {pipeline} }}, {eviction} }}\n")


def request(job):
    return {kind: job[kind] for kind in ("cpu", "memory", "gpu") if job[kind]}


def amounts(value):
    return {} if value is None else {"gpu": value}


def build(world, variant):
    """The cluster of the world, before its cycle."""
    cluster = libsched.Cluster()
    cluster.policy_load("regret", policy_text(world["arm"], variant))
    cluster.nodes_add([dict(name=n["name"], capacity={"cpu": n["cpu"], "memory": n["memory"]}, devices=[
        dict(count=n["gpus"], model="G", share_mode=libsched.SHARING_FRACTION if n["parts"] else libsched.SHARING_WHOLE)])
                       for n in world["nodes"]])
    described = []
    for q in world["queues"]:
        described.append(dict(name=q["name"], priority=q["priority"], created_us=q["created"], quota=amounts(q["quota"]),
                              limit=amounts(q["limit"]), weight_milli=amounts(q["weight"])))
    queues = cluster.queues_add(described)
    jobs = cluster.jobs_submit([dict(
        name=j["name"], queue_name=j["queue"], priority=j["priority"], submit_us=NOW_US - 120 * MINUTE_US + j["submitted"],
        flags=libsched.JOB_NON_PREEMPTIBLE if j["firm"] else 0,
        groups=[dict(max_count=j["count"], min_count=j["min"], request=request(j))]) for j in world["jobs"]])
    if variant in ("fgd", "least-fragmentation"):
        cluster.task_mix_set([dict(count=j["count"], task=dict(max_count=1, min_count=1, request=request(j)))
                              for j in world["jobs"]])
    starts = []
    for at, job in enumerate(world["jobs"]):
        for index, node in enumerate(job["on"] or ()):
            starts.append(dict(job=jobs[at], task_index=index, node_name=world["nodes"][node]["name"],
                               device_mask=sum(1 << d for d in job["devices"][index]), start_us=NOW_US - 60 * MINUTE_US))
    if starts:
        cluster.tasks_import(starts)
    return cluster, queues, jobs


def shares(cluster, world, queues):
    """(guarantee, fair share) of each queue, in milli-GPUs, as the library computed them."""
    found = {}
    for q, ident in zip(world["queues"], queues):
        share, error = libsched.QueueShare(), _abi.Error()
        check(lib.lsched_queue_share_get(cluster.handle, ident, libsched.GPU, ctypes.byref(share), ctypes.byref(error)), error)
        found[q["name"]] = (share.guarantee, share.fair_share)
    return found


def outcome(world, variant, order):
    """The outcome of one cycle for the steps of the declared order, and the queues' guarantees and fair shares in it."""
    cluster, queues, jobs = build(world, variant)
    with cluster:
        row = {ident: at for at, ident in enumerate(jobs)}
        number = {cluster.find(libsched.KIND_NODE, n["name"]): at for at, n in enumerate(world["nodes"])}
        stops = {at: dict(evicted={}, moved={}) for at in range(len(jobs))}
        placed = [[] for _ in jobs]  # (node, devices) of the tasks, as the plan lists them
        with cluster.schedule(NOW_US, verify=True) as plan:
            for d in plan:
                if d.kind in (libsched.DECIDE_PLACE, libsched.DECIDE_NOMINATE):
                    devices = [i for i in range(16) if d.device_mask >> i & 1]
                    placed[row[d.job]].append((number[d.node], devices))
                elif d.kind in (libsched.DECIDE_EVICT, libsched.DECIDE_MIGRATE):
                    count = stops[row[d.for_job]]["moved" if d.kind == libsched.DECIDE_MIGRATE else "evicted"]
                    count[row[d.job]] = count.get(row[d.job], 0) + 1
        nodes = [sorted(number[t.node] for t in cluster.tasks(job=ident) if t.state not in GONE) for ident in jobs]
        found = dict(nodes=nodes, steps=[])
        for step in order:
            served = len(placed[step.at]) >= step.tasks
            places = [placed[step.at].pop(0) for _ in range(step.tasks)] if served else []
            made = dict(at=step.at, tasks=step.tasks, served=int(served), places=places, top=0, evicted={}, moved={})
            if step.after is None:
                made.update(stops[step.at])
            made["top"] = max([world["jobs"][u]["priority"] + 1 for u in (*made["evicted"], *made["moved"])], default=0)
            found["steps"].append(made)
        return found, shares(cluster, world, queues) if world["arm"] == "reclaim" else {}
