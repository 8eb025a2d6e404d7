"""A world as a scenario, for `lsched run`: the same cluster, work and policy, and so the same plan."""
from regret_library import NOW_US, policy_text

GIB = 1 << 30


def cores(milli):
    return f"{milli}m" if milli % 1000 else str(milli // 1000)


def node_line(node):
    gpus = f"{{count: {node['gpus']}, model: G{', sharing: fraction' if node['parts'] else ''}}}"
    return f"  - {{name: {node['name']}, cpu: {cores(node['cpu'])}, memory: {node['memory'] // GIB}Gi, gpus: {gpus}}}"


def queue_line(queue):
    keys = [f"name: {queue['name']}", f"priority: {queue['priority']}", f"created: {queue['created']}us"]
    keys += [f"{key}: {{gpu: {cores(queue[key])}}}" for key in ("quota", "weight", "limit") if queue[key] is not None]
    return "  - {" + ", ".join(keys) + "}"


def job_line(job):
    tasks = [f"count: {job['count']}", f"min: {job['min']}", f"cpu: {cores(job['cpu'])}",
             f"memory: {job['memory'] // GIB}Gi"]
    if job["gpu"]:
        tasks.append(f"gpu: {cores(job['gpu'])}")
    keys = [f"name: {job['name']}", f"queue: {job['queue']}", f"priority: {job['priority']}",
            f"submitted: {job['submitted'] - 7_200_000_000}us"]
    if job["firm"]:
        keys.append("preemptible: false")
    return "  - {" + ", ".join(keys) + ", tasks: {" + ", ".join(tasks) + "}}"


def running_lines(world):
    for job in world["jobs"]:
        for index, node in enumerate(job["on"] or ()):
            devices = f", devices: {job['devices'][index]}" if job["devices"][index] else ""
            yield (f"  - {{task: {job['name']}/{index}, node: {world['nodes'][node]['name']}{devices}, since: -1h}}")


def scenario(world, variant):
    lines = [f"title: the world of seed {world['seed']} ({world['arm']}, {variant})",
             f"start: {start_text()}", "policy:", "  name: regret", "  text: |"]
    lines += ["    " + line for line in policy_text(world["arm"], variant).splitlines()]
    lines += ["settle: manual", "nodes:"] + [node_line(node) for node in world["nodes"]]
    lines += ["queues:"] + [queue_line(queue) for queue in world["queues"]]
    lines += ["jobs:"] + [job_line(job) for job in world["jobs"]]
    running = list(running_lines(world))
    if running:
        lines += ["running:"] + running
    if variant in ("fgd", "least-fragmentation"):
        lines.append("task_mix: [" + ", ".join(
            f"{{count: {j['count']}, cpu: {cores(j['cpu'])}, memory: {j['memory'] // GIB}Gi"
            + (f", gpu: {cores(j['gpu'])}" if j["gpu"] else "") + "}" for j in world["jobs"]) + "]")
    return "\n".join(lines) + "\n"


def start_text():
    """NOW_US as a date."""
    assert NOW_US == 1_700_000_000_000_000
    return "2023-11-14T22:13:20Z"
