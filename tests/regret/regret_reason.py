"""Why a plan falls behind the optimum: the nodes of earlier jobs, or the search for victims; and in one sentence.

It is about the first step of the declared order in which both differ. The model keeps what the plan did before that
step, and asks whether the step could still be as good as in the optimum. If it could, the search missed it. If it could
when one earlier job may be on other nodes, that job is named.
"""
from regret_optimum import Model

SERVED, NONE, PRIORITY, VICTIMS, MOVES = "served", "none", "priority", "victims", "moves"
FIELDS = (SERVED, NONE, PRIORITY, VICTIMS, MOVES)
SEARCH, ONE, SEVERAL = "search", "one", "several"


def values(row):
    """The parts of the objective of one step, greater for the better; NONE says that no work stops for it."""
    return row["served"], -min(row["top"], 1), -row["top"], -sum(row["evicted"].values()), -sum(row["moved"].values())


def difference(plan, best):
    """(step, field, amount) of the first difference, amount > 0 where the plan is behind; None if there is none."""
    for k, (mine, theirs) in enumerate(zip(plan["steps"], best["steps"])):
        for field, a, b in zip(FIELDS, values(mine), values(theirs)):
            if a != b:
                return k, field, b - a
    return None


def cause(world, plan, best, k):
    """(SEARCH, ONE or SEVERAL, the name of that one job)."""
    if possible(world, plan, best, k, None):
        return SEARCH, None
    for at in dict.fromkeys(row["at"] for row in plan["steps"][:k] if row["served"]):
        if possible(world, plan, best, k, at):
            return ONE, at
    return SEVERAL, None


def possible(world, plan, best, k, free):
    """True if step k can be as good as in the optimum after what the plan did before it. free: a job that may be elsewhere."""
    model = Model(world)
    for i, row in enumerate(plan["steps"][:k]):
        if row["at"] != free:
            model.require(i, row)
            continue
        model.m.add(model.served[i] == row["served"])
        if model.evicting:
            model.m.add(sum(model.evicted[i].values()) <= sum(row["evicted"].values()))
            model.m.add(sum(model.moved[i].values()) <= sum(row["moved"].values()))
    goal = best["steps"][k]
    model.m.add(model.served[k] == goal["served"])
    if model.evicting:
        levels = max((model.jobs[u]["priority"] for u in model.running), default=0) + 2
        model.m.add(model.top(k, levels) <= goal["top"])
        model.m.add(sum(model.evicted[k].values()) <= sum(goal["evicted"].values()))
        model.m.add(sum(model.moved[k].values()) <= sum(goal["moved"].values()))
    return model.solve() is not None


def in_vain(world, plan):
    """How many tasks stop although the same tasks could have the same nodes without that."""
    model = Model(world)
    stops = 0
    for k, row in enumerate(plan["steps"]):
        model.m.add(model.served[k] == row["served"])
        for n in range(len(model.nodes)):
            model.m.add(model.x[k][n] == sum(node == n for node, _ in row["places"]))
        for u in model.running:
            evicted, moved = row["evicted"].get(u, 0), row["moved"].get(u, 0)
            model.m.add(model.stopped[k][u] <= evicted + moved)
            model.m.add(model.evicted[k][u] <= evicted)
            stops += evicted + moved
    if stops == 0:
        return 0
    fewest = sum(model.stopped[k][u] for k in range(len(model.steps)) for u in model.running)
    model.m.minimize(fewest)
    return stops - model.solve().value(fewest)


# ---- words ----

def job_words(world, at):
    job = world["jobs"][at]
    size = f"{job['gpu'] / 1000:g} GPU" if job["gpu"] else f"{job['cpu'] // 1000} cores"
    return f"`{job['name']}` ({job['count']} x {size})"


def node_words(world, nodes):
    return ", ".join(world["nodes"][n]["name"] for n in sorted(set(nodes)))


def count_words(world, tasks):
    return " and ".join(f"{n} of `{world['jobs'][u]['name']}`" for u, n in sorted(tasks.items()))


def stop_words(world, row):
    """What is done to running work, as the end of a sentence: "stops 1 of `r0` and moves 2 of `r1`"."""
    words = [f"{verb} {count_words(world, row[what])}" for verb, what in (("stops", "evicted"), ("moves", "moved"))
             if row[what]]
    return ", and ".join(words) or "stops nothing"


def sentence(world, plan, best, k, field):
    """One sentence for the table of the worst worlds."""
    mine, theirs = plan["steps"][k], best["steps"][k]
    why, other = cause(world, plan, best, k)
    told = f"{job_words(world, mine['at'])} waits"
    if field != SERVED:
        told = f"for {job_words(world, mine['at'])}, the plan {stop_words(world, mine)}"
    if why == ONE:
        name, nodes = world["jobs"][other]["name"], node_words(world, plan["nodes"][other])
        wish = "it would be served" if field == SERVED else "less would do"
        return f"{told}; {wish} if `{name}` were on other nodes than {nodes}"
    if why == SEVERAL:
        return f"{told}; several earlier jobs would have to be on other nodes"
    return f"{told}; the search misses a choice that {stop_words(world, theirs)}"
