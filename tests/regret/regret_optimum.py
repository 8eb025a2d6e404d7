"""The best outcome that the declared rules allow in a world, by CP-SAT (the Python package ortools).

The model states the rules of docs/semantics.md (5, 12 and 14), docs/evictions.md and docs/fair-share.md for one cycle
of the four pipelines of regret_worlds.py. It knows nothing of how the library searches.

The declared order is a list of steps: the start of a job (its minimum), or its growth by one task. Queues come in the
order of their priority, then of their age; the jobs of a queue in the order of their priority, then starts before
growth, then in the order of submission. A step is served as a whole or not at all. After each step all tasks have
room: the work that still runs, the work that moved, and the steps that were served. No later step takes room from an
earlier one, but the model knows all steps when it chooses nodes and victims, and the library does not.

Which work may stop for a step:
  preempt      work of lower priority, and work of equal priority above the minimum of its job
  reclaim      work of other queues. With the step, the queue of the step is within the larger of guarantee and fair
               share. Of the units that stop in a queue, one is the last; before it, the queue was above its guarantee,
               and above its fair share, too, if the step takes its own queue above the guarantee
  consolidate  any work of preemptible jobs, if it continues on another node
Non-preemptible jobs keep their minimum. Above its minimum, a job stops task by task; the rest stops as a whole. Work that
stops may continue where there is room or room comes free: the minimum of a job all together, the rest task by task.

The objective is lexicographic, step by step: the step is served; the highest priority of the work that stops for it is
the lowest possible; the fewest tasks lose their place; the fewest tasks move. So an earlier step is never given up for
later ones, as the rule of order says, and no work stops for a step that needs none.
"""
import fractions

from ortools.sat.python import cp_model


class Step:
    def __init__(self, at, tasks, after):
        self.at = at        # the job
        self.tasks = tasks  # how many tasks this step places
        self.after = after  # the number of the step of the same job before this one, or None


def declared_order(world):
    rank = {q["name"]: (-q["priority"], q["created"]) for q in world["queues"]}
    listed = []
    for at, job in enumerate(world["jobs"]):
        if job["on"] is None:
            key = (rank[job["queue"]], -job["priority"])
            tail = (job["submitted"], job["name"])
            listed.append((key + (0,) + tail + (0,), at, job["min"]))
            listed += [(key + (1,) + tail + (i,), at, 1) for i in range(job["count"] - job["min"])]
    steps, last = [], {}
    for _, at, tasks in sorted(listed):
        steps.append(Step(at, tasks, last.get(at)))
        last[at] = len(steps) - 1
    return steps


# ---- guarantees and fair shares, as docs/fair-share.md defines them for root queues with quotas of GPUs ----

def entitlements(world):
    """name -> (guarantee, fair share) in GPUs."""
    total = sum(n["gpus"] for n in world["nodes"])
    need = {q["name"]: sum(j["gpu"] * j["count"] for j in world["jobs"] if j["queue"] == q["name"]) // 1000
            for q in world["queues"]}
    quota = {q["name"]: q["quota"] // 1000 for q in world["queues"]}
    share = {name: min(quota[name], need[name]) for name in need}
    rest = total - sum(share.values())
    hungry = [q for q in world["queues"] if need[q["name"]] > share[q["name"]] and q["weight"] > 0]
    while rest > 0 and hungry:
        weights = sum(q["weight"] for q in hungry)
        met = [q for q in hungry if need[q["name"]] - share[q["name"]] <= fractions.Fraction(rest * q["weight"], weights)]
        if not met:
            round_down(hungry, share, rest, weights)
            break
        for q in met:
            rest -= need[q["name"]] - share[q["name"]]
            share[q["name"]] = need[q["name"]]
            hungry.remove(q)
    return {name: (quota[name], share[name]) for name in need}


def round_down(hungry, share, rest, weights):
    """Portions in whole GPUs; what is left goes to who lost most by the rounding, then to the older queue."""
    portion = {q["name"]: fractions.Fraction(rest * q["weight"], weights) for q in hungry}
    left = rest - sum(int(p) for p in portion.values())
    order = sorted(hungry, key=lambda q: (int(portion[q["name"]]) - portion[q["name"]], q["created"]))
    for i, q in enumerate(order):
        share[q["name"]] += int(portion[q["name"]]) + (1 if i < left else 0)


# ---- the model ----

class Model:
    """One world. Variables: how many tasks of a job are where after each step."""

    def __init__(self, world):
        self.world, self.m = world, cp_model.CpModel()
        self.jobs, self.nodes = world["jobs"], world["nodes"]
        self.steps = declared_order(world)
        self.running = [at for at, job in enumerate(self.jobs) if job["on"] is not None]
        self.evicting = world["arm"] != "allocate"
        self.served = [self.m.new_bool_var(f"served{k}") for k in range(len(self.steps))]
        self.place_steps()
        if self.evicting:
            self.stop_work()
            for k in range(len(self.steps)):
                self.rights(k)
        self.fit()

    # where steps are placed

    def place_steps(self):
        self.x, self.part = [], {}
        for k, step in enumerate(self.steps):
            job = self.jobs[step.at]
            self.x.append([self.m.new_int_var(0, step.tasks, f"x{k},{n}") for n in range(len(self.nodes))])
            self.m.add(sum(self.x[k]) == step.tasks * self.served[k])
            if step.after is not None:
                self.m.add_implication(self.served[k], self.served[step.after])
            if job["gpu"] % 1000:
                for n, node in enumerate(self.nodes):
                    on = [self.m.new_int_var(0, step.tasks, f"part{k},{n},{d}") for d in range(node["gpus"])]
                    self.m.add(sum(on) == self.x[k][n])
                    self.part[k, n] = on
        for q in self.world["queues"]:
            if q["limit"] is not None:
                self.m.add(self.used_begin(q["name"]) + sum(
                    self.jobs[s.at]["gpu"] * s.tasks * self.served[k] for k, s in enumerate(self.steps)
                    if self.jobs[s.at]["queue"] == q["name"]) <= q["limit"])

    def used_begin(self, queue):
        return sum(self.jobs[at]["gpu"] * self.jobs[at]["count"] for at in self.running if self.jobs[at]["queue"] == queue)

    # what stops, and where it continues

    def stop_work(self):
        """runs[k][u][n] tasks of job u still run on node n after step k; goes[k][u][n] moved there."""
        begin = {u: [self.jobs[u]["on"].count(n) for n in range(len(self.nodes))] for u in self.running}
        self.runs, self.goes = [begin], [{u: [0] * len(self.nodes) for u in self.running}]
        self.stopped, self.evicted, self.moved = [], [], []
        for k in range(len(self.steps)):
            self.runs.append({u: [self.m.new_int_var(0, begin[u][n], f"runs{k},{u},{n}") for n in range(len(self.nodes))]
                              for u in self.running})
            self.goes.append({u: [self.m.new_int_var(0, self.jobs[u]["count"], f"goes{k},{u},{n}")
                                  for n in range(len(self.nodes))] for u in self.running})
            stopped, moved = {}, {}
            for u in self.running:
                for n in range(len(self.nodes)):
                    self.m.add(self.runs[k + 1][u][n] <= self.runs[k][u][n])
                    self.m.add(self.goes[k + 1][u][n] >= self.goes[k][u][n])
                stopped[u] = sum(self.runs[k][u]) - sum(self.runs[k + 1][u])
                moved[u] = sum(self.goes[k + 1][u]) - sum(self.goes[k][u])
                self.m.add(moved[u] <= stopped[u])
                self.m.add(stopped[u] == 0).only_enforce_if(~self.served[k])
                self.keep_minimum(k, u)
            self.stopped.append(stopped)
            self.moved.append(moved)
            self.evicted.append({u: stopped[u] - moved[u] for u in self.running})

    def keep_minimum(self, k, u):
        """The job keeps its minimum, or it stops as a whole."""
        job, runs, goes = self.jobs[u], sum(self.runs[k + 1][u]), sum(self.goes[k + 1][u])
        if self.world["arm"] == "consolidate":
            self.m.add(runs + goes == job["count"])
            if job["firm"]:
                self.m.add(goes == 0)
            return
        if job["firm"]:
            self.m.add(runs >= job["min"])
            return
        whole = self.m.new_bool_var(f"whole{k},{u}")
        self.m.add(runs == 0).only_enforce_if(whole)
        self.m.add(runs >= job["min"]).only_enforce_if(~whole)
        none = self.m.new_bool_var(f"none{k},{u}")
        self.m.add(goes == 0).only_enforce_if(none)
        self.m.add(goes + runs >= job["min"]).only_enforce_if(~none)

    # which work may stop for a step

    def rights(self, k):
        job = self.jobs[self.steps[k].at]
        if self.world["arm"] == "preempt":
            for u in self.running:
                if self.jobs[u]["priority"] > job["priority"]:
                    self.m.add(self.stopped[k][u] == 0)
                if self.jobs[u]["priority"] == job["priority"]:
                    surplus = self.m.new_bool_var(f"surplus{k},{u}")
                    self.m.add(self.stopped[k][u] == 0).only_enforce_if(~surplus)
                    self.m.add(sum(self.runs[k + 1][u]) >= self.jobs[u]["min"]).only_enforce_if(surplus)
        if self.world["arm"] == "reclaim":
            for u in self.running:
                if self.jobs[u]["queue"] == job["queue"]:
                    self.m.add(self.stopped[k][u] == 0)
            self.rights_reclaim(k, job["queue"], job["gpu"] * self.steps[k].tasks)

    def used_before(self, queue, k):
        """What the queue is charged before step k."""
        used = sum(self.jobs[u]["gpu"] * (sum(self.runs[k][u]) + sum(self.goes[k][u])) for u in self.running
                   if self.jobs[u]["queue"] == queue)
        return used + sum(self.jobs[s.at]["gpu"] * s.tasks * self.served[i] for i, s in enumerate(self.steps[:k])
                          if self.jobs[s.at]["queue"] == queue)

    def rights_reclaim(self, k, queue, need):
        right = {name: (1000 * e, 1000 * max(e, f)) for name, (e, f) in entitlements(self.world).items()}
        takes = self.m.new_bool_var(f"takes{k}")
        self.m.add(sum(self.stopped[k].values()) == 0).only_enforce_if(~takes)
        after = self.used_before(queue, k) + need
        self.m.add(after <= right[queue][1]).only_enforce_if(takes)
        within = self.m.new_bool_var(f"within{k}")
        self.m.add(after <= right[queue][0]).only_enforce_if(within)
        for q in self.world["queues"]:
            mine = [u for u in self.running if self.jobs[u]["queue"] == q["name"]]
            if q["name"] == queue or not mine:
                continue
            gives = self.m.new_bool_var(f"gives{k},{q['name']}")
            self.m.add(sum(self.stopped[k][u] for u in mine) == 0).only_enforce_if(~gives)
            lasts = [last for u in mine for last in self.last_units(k, u)]
            self.m.add_exactly_one([z for z, _ in lasts] + [~gives])
            before_last = (self.used_before(q["name"], k) - sum(self.jobs[u]["gpu"] * self.stopped[k][u] for u in mine)
                           + sum(size * z for z, size in lasts))
            self.m.add(before_last >= right[q["name"]][0] + 1).only_enforce_if(gives)
            self.m.add(before_last >= right[q["name"]][1] + 1).only_enforce_if(gives, ~within)

    def last_units(self, k, u):
        """The units of job u that could stop last at step k, each with its size."""
        job = self.jobs[u]
        one, rest = self.m.new_bool_var(f"one{k},{u}"), self.m.new_bool_var(f"rest{k},{u}")
        self.m.add(self.stopped[k][u] >= 1).only_enforce_if(one)
        self.m.add(sum(self.runs[k + 1][u]) >= job["min"]).only_enforce_if(one)
        self.m.add(self.stopped[k][u] >= job["min"]).only_enforce_if(rest)
        self.m.add(sum(self.runs[k + 1][u]) == 0).only_enforce_if(rest)
        return [(one, job["gpu"]), (rest, job["gpu"] * job["min"])]

    # room

    def fit(self):
        for k in range(len(self.steps)) if self.evicting else [len(self.steps) - 1]:
            for n, node in enumerate(self.nodes):
                held = [(self.jobs[s.at], self.x[i][n]) for i, s in enumerate(self.steps[:k + 1])]
                for u in self.running:
                    held.append((self.jobs[u], self.runs[k + 1][u][n] + self.goes[k + 1][u][n] if self.evicting
                                 else self.jobs[u]["on"].count(n)))
                for kind in ("cpu", "memory"):
                    self.m.add(sum(job[kind] * tasks for job, tasks in held) <= node[kind])
                self.fit_devices(n, node, held)

    def fit_devices(self, n, node, held):
        """Whole devices for tasks that ask for whole ones; the others share what is left, device by device."""
        whole = sum(job["gpu"] // 1000 * tasks for job, tasks in held if job["gpu"] % 1000 == 0)
        if not node["parts"]:
            self.m.add(whole <= node["gpus"])
            return
        taken = [[0] * node["gpus"] for _ in range(2)]  # parts and whole tasks that run, by device
        for u in self.running:
            for at, devices in zip(self.jobs[u]["on"], self.jobs[u]["devices"]):
                for d in devices if at == n else ():
                    taken[self.jobs[u]["gpu"] % 1000 == 0][d] += min(self.jobs[u]["gpu"], 1000)
        shared = []
        for d in range(node["gpus"]):
            uses = self.m.new_bool_var(f"shared{n},{d}")
            load = sum(self.jobs[s.at]["gpu"] * self.part[i, n][d] for i, s in enumerate(self.steps) if (i, n) in self.part)
            self.m.add(load + taken[0][d] <= 1000 * uses)
            if taken[1][d]:
                self.m.add(uses == 0)
            shared.append(uses)
        self.m.add(whole + sum(shared) <= node["gpus"])

    # objectives

    def lexicographic(self):
        """One number, greater for the better outcome: step by step served, priority, tasks that lose their place, moves."""
        tasks = sum(self.jobs[u]["count"] for u in self.running) + 1
        levels = max([self.jobs[u]["priority"] for u in self.running], default=0) + 2
        value = 0
        for k in range(len(self.steps)):
            value = value * 2 + self.served[k]
            if self.evicting:
                value = value * levels - self.top(k, levels)
                value = value * tasks - sum(self.evicted[k].values())
                value = value * tasks - sum(self.moved[k].values())
        return value

    def top(self, k, levels):
        """1 + the highest priority of the work that stops for step k, 0 if none stops."""
        top = self.m.new_int_var(0, levels - 1, f"top{k}")
        for u in self.running:
            stops = self.m.new_bool_var(f"stops{k},{u}")
            self.m.add(self.stopped[k][u] == 0).only_enforce_if(~stops)
            self.m.add(top >= self.jobs[u]["priority"] + 1).only_enforce_if(stops)
        return top

    def gpus(self):
        return sum(self.jobs[s.at]["gpu"] * s.tasks * self.served[k] for k, s in enumerate(self.steps))

    # outcomes

    def solve(self):
        """The solver after a proof of optimality; None if no outcome is allowed."""
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        status = solver.solve(self.m)
        if status == cp_model.INFEASIBLE:
            return None
        if status != cp_model.OPTIMAL:
            raise RuntimeError(f"seed {self.world['seed']}: the solver says {solver.status_name(status)}")
        return solver

    def read(self, solver):
        """The outcome that the solver found, in the form of regret_library.outcome()."""
        n = len(self.jobs)
        found = dict(nodes=[[] for _ in range(n)], steps=[])
        for k, step in enumerate(self.steps):
            row = dict(at=step.at, tasks=step.tasks, served=solver.value(self.served[k]), top=0, evicted={}, moved={})
            for node, tasks in enumerate(self.x[k]):
                found["nodes"][step.at] += [node] * solver.value(tasks)
            for u in self.running if self.evicting else ():
                for what, name in ((self.evicted, "evicted"), (self.moved, "moved")):
                    if solver.value(what[k][u]):
                        row[name][u] = solver.value(what[k][u])
                        row["top"] = max(row["top"], self.jobs[u]["priority"] + 1)
            found["steps"].append(row)
        for u in self.running:
            for node in range(len(self.nodes)):
                stay = solver.value(self.runs[-1][u][node] + self.goes[-1][u][node]) if self.evicting else None
                found["nodes"][u] += [node] * (self.jobs[u]["on"].count(node) if stay is None else stay)
        return found

    def require(self, k, row):
        """Step k is as in the row of the plan: the same places, and the same work stops for it."""
        self.m.add(self.served[k] == row["served"])
        for n in range(len(self.nodes)):
            there = [devices for node, devices in row["places"] if node == n]
            self.m.add(self.x[k][n] == len(there))
            for d, tasks in enumerate(self.part.get((k, n), ())):
                self.m.add(tasks == sum(d in devices for devices in there))
        for u in self.running if self.evicting else ():
            self.m.add(self.evicted[k][u] == row["evicted"].get(u, 0))
            self.m.add(self.moved[k][u] == row["moved"].get(u, 0))

    def require_all(self, plan):
        for k, row in enumerate(plan["steps"]):
            self.require(k, row)
        for u in self.running if self.evicting else ():
            for n in range(len(self.nodes)):
                self.m.add(self.runs[-1][u][n] + self.goes[-1][u][n] == plan["nodes"][u].count(n))


def best(world):
    """The best outcome in the declared order."""
    model = Model(world)
    model.m.maximize(model.lexicographic())
    return model.read(model.solve())


def most_gpus(world):
    """The most GPUs, in milli-GPUs, that waiting jobs could get in any order."""
    model = Model(world)
    model.m.maximize(model.gpus())
    return model.solve().value(model.gpus())


def allows(world, plan):
    """True if the declared rules allow the outcome of the plan."""
    model = Model(world)
    model.require_all(plan)
    return model.solve() is not None
