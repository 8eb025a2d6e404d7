"""Random cases for the conformance program: states with running work that fits, queues to three levels, gangs, parts of
devices, topology, limits, delays, work that is stopping, failed or done. A seed is a case, the same on every machine.

Cases are small on purpose: a few nodes and a dozen jobs meet in every way, and what goes wrong can be read.
"""
import random

GB = 10**9
SECOND_NS = 10**9
DEVICE_MIB = 80000


class Case:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.seed = seed
        self.with_topology = self.chance(0.3)
        self.nodes = [self.node(i) for i in range(self.r.randint(1, 5))]
        self.free = {n["name"]: [n["cpu"], n["memory"], [1000] * n["gpu"]] for n in self.nodes}
        self.gpus = sum(n["gpu"] for n in self.nodes)
        self.queues, self.leaves = [], []
        self.tree()
        self.jobs = [self.job(i) for i in range(self.r.randint(2, 12))]

    def chance(self, p):
        return self.r.random() < p

    def node(self, i):
        node = {"name": f"n{i}", "cpu": self.r.choice([16, 64]),
                "memory": self.r.choice([64, 256]) * GB, "gpu": self.r.choice([1, 2, 4, 8]),
                "gpu_memory_mib": DEVICE_MIB}
        if self.with_topology:
            node["labels"] = {"site/zone": f"z{i % 2}", "site/rack": f"r{i}"}
        return node

    # ---- queues

    def queue(self, name, parent, quota, weight):
        queue = {"name": name, "created": len(self.queues), "quota": {"gpu": quota},
                 "weight": {"gpu": weight}}
        if parent:
            queue["parent"] = parent
        if self.chance(0.15):
            queue["priority"] = self.r.choice([50, 150])
        if self.chance(0.12):
            queue["limit"] = {"gpu": self.r.randint(1, self.gpus)}
        if self.chance(0.2):
            queue["quota"]["cpu_milli"] = self.r.choice([0, 4000, 16000])
        if self.chance(0.2):
            queue["quota"]["memory_mb"] = self.r.choice([0, 16000, 64000])
        for key, p, seconds in (("reclaim_min_runtime_ns", 0.1, [30, 120]),
                                ("preempt_min_runtime_ns", 0.1, [30, 120]),
                                ("preemption_delay_ns", 0.05, [600, 6000])):
            if self.chance(p):
                queue[key] = self.r.choice(seconds) * SECOND_NS
        self.queues.append(queue)

    def tree(self):
        top = None
        if self.chance(0.4):
            top = "org"
            self.queue(top, None, self.r.choice(["unlimited", 4, 8]), 1)
        for d in range(self.r.randint(1, 3)):
            above = f"d{d}"
            self.queue(above, top, self.r.choice(["unlimited", self.r.randint(0, self.gpus)]),
                       self.r.choice([0, 1, 1, 2]))
            if self.chance(0.3):
                self.leaves.append(above)
                continue
            for k in range(self.r.randint(1, 3)):
                self.queue(f"{above}q{k}", above,
                           self.r.choice([0, 1, self.r.randint(0, self.gpus), self.gpus // 4]),
                           self.r.choice([0, 1, 1, 3]))
                self.leaves.append(f"{above}q{k}")

    # ---- jobs

    def request(self):
        request = {"cpu": self.r.choice([1, 2, 8]), "memory": self.r.choice([1, 4, 16]) * GB}
        kind = self.r.random()
        if kind < 0.6:
            request["gpu"] = self.r.choice([1, 1, 1, 2, 2, 4])
        elif kind < 0.8:
            share = self.r.choice([0.25, 0.5, 0.5, 0.6])
            if self.chance(0.4):
                request["gpu_memory_mib"] = int(DEVICE_MIB * share)
            else:
                request["gpu_fraction"] = share
        return request

    def gang(self, tasks):
        n = len(tasks)
        if self.chance(0.6):
            gang = {"groups": [{"name": "default", "min": self.r.randint(1, n)}]}
        else:
            a = max(1, n // 2)
            gang = {"name": "all", "groups": [{"name": "a", "min": self.r.randint(1, a)},
                                              {"name": "b", "min": self.r.randint(0, n - a)}]}
            if self.chance(0.4):
                gang["min_groups"] = 1
            for i, task in enumerate(tasks):
                task["group"] = "a" if i < a else "b"
        if self.with_topology and self.chance(0.4):
            gang["topology"] = {self.r.choice(["required", "preferred"]):
                                self.r.choice(["site/zone", "site/rack"])}
        return gang

    def run(self, request, task):
        """Puts the task on a node that has room, if there is one."""
        names = list(self.free)
        self.r.shuffle(names)
        share = request.get("gpu_memory_mib", 0) * 1000 // DEVICE_MIB or round(
            1000 * request.get("gpu_fraction", 0))
        need, each = (1, share) if share else (request.get("gpu", 0), 1000)
        for name in names:
            room = self.free[name]
            fit = [i for i, milli in enumerate(room[2]) if milli >= each]
            if room[0] < request["cpu"] or room[1] < request["memory"] or len(fit) < need:
                continue
            room[0] -= request["cpu"]
            room[1] -= request["memory"]
            for i in fit[:need]:
                room[2][i] -= each
            if need:
                task["gpus"] = [str(i) for i in fit[:need]]
            task.update(state="running", node=name)
            return

    def vary(self, task):
        x = self.r.random()
        states = ((0.06, "releasing"), (0.08, "stuck_releasing"), (0.1, "failed"), (0.12, "finished"))
        if task["state"] == "running":
            task["state"] = next((state for p, state in states if x < p), "running")
        elif x < 0.06:
            task["only_nodes"] = [self.r.choice(self.nodes)["name"]]
        if self.chance(0.1):
            task["priority"] = self.r.choice([1, 2])

    def job(self, i):
        priority = self.r.choice([20, 50, 50, 50, 75, 100, 125])
        job = {"name": f"j{self.r.randrange(100, 1000)}-{i}", "queue": self.r.choice(self.leaves),
               "priority": priority, "preemptible": priority < 100 or self.chance(0.3),
               "age_minutes": 100 - i, "request": self.request()}
        tasks = [{"state": "pending"} for _ in range(self.r.choice([1, 1, 1, 2, 2, 3, 4]))]
        if len(tasks) > 1 and self.chance(0.4):
            job["gang"] = self.gang(tasks)
        if self.chance(0.6) and "topology" not in job.get("gang", {}):
            for task in tasks:
                if self.chance(0.85):
                    self.run(job["request"], task)
        for task in tasks:
            self.vary(task)
        for key, p, values in (("preemption_delay_ns", 0.1, [60, 6000]),
                               ("stale_grace_ns", 0.1, [-1, 0, 60]), ("stale_for_ns", 0.1, [30, 90])):
            if self.chance(p):
                job[key] = self.r.choice(values) * SECOND_NS
        if self.chance(0.05):
            job["deleted_when_evicted"] = True
        job["tasks"] = tasks
        return job

    def form(self, until, after):
        case = {"id": f"random/{self.seed}", "mode": "rounds",
                "rounds": {"until": until, "after": after},
                "nodes": self.nodes, "queues": self.queues, "jobs": self.jobs}
        if self.with_topology:
            case["topology_levels"] = ["site/zone", "site/rack"]
        return case
