"""daily_study.py [SHARED_DIR] [--update]: how many nodes a day of services needs, charged by their highest hour and by
their curves, against the table of docs/daily.md.

The services are those of PlanetLab on 2011-03-03 (SHARED_DIR/traces/planetlab: 1,052 virtual machines, cpu in percent every five
minutes), each a job of one task, on nodes of 100 %. The highest of the three samples of a quarter of an hour is what it uses then. Without the
list the test is skipped (exit 77). With --update the page gets the table anew.
"""
import lzma
import os
import sys

import libsched

SKIPPED = 77
DAY, NODES = "20110303", 600
PAGE = os.path.join("docs", "daily.md")
MARKS = ("<!-- drawn by tests/daily/daily_study.py -->\n", "<!-- drawn -->\n")
QUARTER_US, DAY_US = 15 * 60 * 1_000_000, 24 * 3600 * 1_000_000
CPU = 1  # LSCHED_CPU
POLICIES = ("least-peak", "binpack", "first-fit")


def services(path):
    """Name and the 96 quarters of each, in tenths of a core: a node has ten cores."""
    with lzma.open(path, "rt", encoding="ascii") as file:
        for line in file:
            name, *samples = line.strip().split(",")
            used = [int(sample) * 100 for sample in samples]
            yield name, [max(used[3 * quarter:3 * quarter + 3]) for quarter in range(96)]


def steps(curve):
    """A step wherever the quarter before was another, and one at midnight."""
    return [dict(kind=CPU, from_us=quarter * QUARTER_US, amount=amount)
            for quarter, amount in enumerate(curve) if quarter == 0 or amount != curve[quarter - 1]]


def group(curve, by_curve):
    described = dict(request={"cpu": max(max(curve), 1)})
    if by_curve:
        described.update(demand=steps(curve), demand_period_us=DAY_US)
    return described


def nodes_needed(listed, policy, by_curve, largest_first):
    """Nodes that hold something when all are placed; checks what is free on each."""
    with libsched.Cluster() as cluster:
        cluster.policy_load(policy)
        cluster.nodes_add([dict(name=f"n{i:03}", capacity={"cpu": 10000}) for i in range(NODES)])
        cluster.queues_add([dict(name="q")])
        cluster.jobs_submit([dict(name=name, queue_name="q", groups=[group(curve, by_curve)],
                                  priority=max(curve) if largest_first else 0, submit_us=at)
                             for at, (name, curve) in enumerate(listed)])
        with cluster.schedule(now_us=DAY_US) as plan:
            where = {decision.job: decision.node for decision in plan}
        cluster.verify()
        if len(where) != len(listed):
            sys.exit(f"{policy}: {len(where)} of {len(listed)} services are placed")
        return len(set(where.values()))


def table(listed):
    rows = ["| placement | by the highest quarter | by the curve | the largest first |", "|---|---|---|---|"]
    for policy in POLICIES:
        peaks = nodes_needed(listed, policy, False, False)
        curves = nodes_needed(listed, policy, True, False)
        largest = nodes_needed(listed, policy, True, True)
        rows.append(f"| `{policy}` | {peaks} | {curves} | {largest} |")
        if not largest <= curves * 1.05 or not curves < 0.7 * peaks:
            sys.exit(f"{policy}: {peaks} by peaks, {curves} by curves, {largest} the largest first")
    return "\n".join(rows) + "\n"


def main():
    words = [word for word in sys.argv[1:] if word != "--update"]
    shared = words[0] if words else ""  # ctest drops an empty argument
    path = os.path.join(shared, "traces", "planetlab", f"planetlab_{DAY}.csv.xz")
    if not shared or not os.path.isfile(path):
        print("skipped: no services here (cmake -DLSCHED_SHARED_DIR=DIR names where they are)")
        sys.exit(SKIPPED)
    drawn = table(list(services(path)))
    print(drawn)
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    begin = text.index(MARKS[0]) + len(MARKS[0])
    end = text.index(MARKS[1], begin)
    if "--update" in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text[:begin] + drawn + text[end:])
    elif text[begin:end] != drawn:
        sys.exit(f"{PAGE} is not what is drawn; see --update")


if __name__ == "__main__":
    main()
