"""regret_study.py [--worlds N] [--first SEED] [--jobs N] [--seconds S] [--check] [--update] [--show SEED [SETTING]]

Compares the plans of the library with the optimum in tiny clusters (regret_worlds.py); CP-SAT finds the optimum under
the declared rules (regret_optimum.py). The study fails if the rules do not allow a plan, if a plan is better than the
optimum, if guarantees or fair shares differ from the definition, if a job waits in the arm allocate although it has room
beside the jobs before it, or if fewer plans equal the optimum than FLOOR says.

--seconds ends the study after that time, with the worlds that are done. --check compares docs/regret.md with the study,
and --update writes it. --show prints a world as a scenario, with the plan and the optimum as comments. The study needs
the package ortools, which scripts/python-env installs. Without it, the test is skipped (exit 77).
"""
import argparse
import collections
import concurrent.futures
import os
import sys
import time

SKIPPED = 77
PYTHON = os.path.join(".cache", "python-env", "bin", "python")
try:
    import ortools  # noqa: F401
except ImportError:
    if os.path.exists(PYTHON) and os.environ.get("LSCHED_REGRET_PYTHON") is None:
        os.environ["LSCHED_REGRET_PYTHON"] = PYTHON
        os.execv(PYTHON, [PYTHON, "-B"] + sys.argv)
    print("skipped: the Python package ortools is not installed (scripts/python-env installs it)")
    sys.exit(SKIPPED)

sys.path.insert(0, os.path.join("bindings", "python"))
os.environ.setdefault("LSCHED_LIBRARY", os.path.join("build", "libsched.so"))
from regret_library import VARIANTS, outcome  # noqa: E402
from regret_optimum import allows, best, declared_order, entitlements, most_gpus  # noqa: E402
from regret_reason import (  # noqa: E402
    FIELDS, MOVES, NONE, PRIORITY, SEARCH, SERVED, VICTIMS, cause, difference, in_vain, sentence)
from regret_scenario import scenario  # noqa: E402
from regret_worlds import ARMS, world  # noqa: E402

PAGE = os.path.join("docs", "regret.md")
# The smallest part of plans that equal the optimum, in percent.
FLOOR = {"allocate": 80, "reclaim": 75, "preempt": 70, "consolidate": 90}
ANY_ORDER = ("allocate", "consolidate")


def sums(made, found):
    """What the outcome gives and takes, summed: tasks, milli-GPUs, the same weighted by 1 + priority, evicted, moved."""
    total = collections.Counter()
    for row in found["steps"]:
        job = made["jobs"][row["at"]]
        gpu = job["gpu"] * row["tasks"] * row["served"]
        total.update(tasks=row["tasks"] * row["served"], gpu=gpu, weighted=gpu * (1 + job["priority"]),
                     evicted=sum(row["evicted"].values()), moved=sum(row["moved"].values()))
    return total


def compare(seed, made, variant, optimum, order):
    """One row: the plan of one variant against the optimum."""
    plan, shares = outcome(made, variant, order)
    row = dict(seed=seed, arm=made["arm"], variant=variant, sums=sums(made, plan), fault=None, field=None, amount=0, gpu=0,
               cause=None, stopped=any(r["evicted"] or r["moved"] for r in plan["steps"]), vain=0)
    declared = {name: (1000 * e, 1000 * f) for name, (e, f) in entitlements(made).items()} if shares else {}
    found = difference(plan, optimum)
    if declared != shares:
        row["fault"] = f"guarantees and fair shares are {shares}, by the definition {declared}"
    elif not allows(made, plan):
        row["fault"] = "the declared rules do not allow the plan"
    elif found and found[2] < 0:
        row["fault"] = "the plan is better than the optimum"
    elif found:
        k, row["field"], row["amount"] = found
        job = made["jobs"][plan["steps"][k]["at"]]
        if row["field"] == SERVED:
            row["amount"], row["gpu"] = plan["steps"][k]["tasks"], plan["steps"][k]["tasks"] * job["gpu"]
        row["cause"] = cause(made, plan, optimum, k)[0]
        if made["arm"] == "allocate" and row["cause"] == SEARCH:
            row["fault"] = "a job waits although there is room for it beside the jobs before it"
        row["step"], row["plan"], row["best"] = k, plan, optimum
    if row["stopped"] and not row["fault"]:
        row["vain"] = in_vain(made, plan)
    return row


def study(seed):
    """All rows of one world."""
    made = world(seed)
    optimum, order = best(made), declared_order(made)
    rows = [compare(seed, made, variant, optimum, order) for variant in VARIANTS[made["arm"]]]
    any_order = most_gpus(made) if made["arm"] in ANY_ORDER else 0
    return dict(arm=made["arm"], rows=rows, best=sums(made, optimum), any_order=any_order)


def run(seeds, jobs, seconds):
    """The results of all seeds, in their order; fewer if the time is over."""
    end = time.monotonic() + seconds if seconds else None
    results = []
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        for first in range(0, len(seeds), 100):
            if end and time.monotonic() > end:
                break
            results += pool.map(study, seeds[first:first + 100], chunksize=10)
    return results


# ---- tables ----

def at_least(amounts, percent):
    """The amount that so many percent of the worlds do not exceed."""
    ordered = sorted(amounts)
    return ordered[min(len(ordered) - 1, (len(ordered) * percent + 99) // 100 - 1)] if ordered else 0


def spread_words(amounts, unit=1):
    return " / ".join(f"{amount / unit:g}" for amount in (at_least(amounts, 90), at_least(amounts, 99), max(amounts)))


def table_regret(rows):
    lines = ["| arm | setting | worlds | regret 0 | a job waits | work stops, none had to | higher priority stops "
             "| more lose their place | more move | GPUs: p90 / p99 / worst | tasks: p90 / p99 / worst |",
             "|---|---|---|---|---|---|---|---|---|---|---|"]
    for (arm, variant), mine in by_variant(rows).items():
        count = collections.Counter(row["field"] for row in mine)
        lines.append(
            f"| {arm} | `{variant}` | {len(mine):,} | {100 * count[None] / len(mine):.1f} % | "
            + " | ".join(str(count[field]) for field in FIELDS)
            + f" | {spread_words([row['gpu'] for row in mine], 1000)}"
            + f" | {spread_words([row['amount'] if row['field'] in (VICTIMS, MOVES) else 0 for row in mine])} |")
    return lines


def table_causes(rows):
    lines = ["| arm | setting | nodes of one earlier job | nodes of several earlier jobs | search for victims or moves "
             "| plans that stop work | with a stop in vain |", "|---|---|---|---|---|---|---|"]
    for (arm, variant), mine in by_variant(rows).items():
        count = collections.Counter(row["cause"] for row in mine)
        stops = [row for row in mine if row["stopped"]]
        lines.append(f"| {arm} | `{variant}` | {count['one']} | {count['several']} | "
                     f"{count['search'] if arm != 'allocate' else '-'} | {len(stops) if arm != 'allocate' else '-'} | "
                     f"{sum(row['vain'] > 0 for row in stops) if arm != 'allocate' else '-'} |")
    return lines


def table_sums(results):
    lines = ["| arm | plan or optimum | tasks placed | GPUs placed | GPUs x (1 + priority) | tasks that lose their place "
             "| moves |", "|---|---|---|---|---|---|---|"]
    for arm in ARMS:
        mine = [result for result in results if result["arm"] == arm]
        for at, variant in enumerate(VARIANTS[arm]):
            lines.append(sums_line(arm, f"`{variant}`", [result["rows"][at]["sums"] for result in mine]))
        lines.append(sums_line(arm, "optimum in the declared order", [result["best"] for result in mine]))
        if arm in ANY_ORDER:
            most = sum(result["any_order"] for result in mine)
            lines.append(f"| {arm} | the most GPUs in any order | | {most / 1000:,.1f} | | | |")
    return lines


def sums_line(arm, name, listed):
    total = sum(listed, collections.Counter())
    return (f"| {arm} | {name} | {total['tasks']:,} | {total['gpu'] / 1000:,.1f} | {total['weighted'] / 1000:,.1f} | "
            f"{total['evicted']:,} | {total['moved']:,} |")


def by_variant(rows):
    found = {(arm, variant): [] for arm in ARMS for variant in VARIANTS[arm]}
    for row in rows:
        found[row["arm"], row["variant"]].append(row)
    return {key: mine for key, mine in found.items() if mine}


def worst(rows):
    """The ten worst worlds under the first setting of each arm: GPUs that wait, then tasks that lose their place."""
    behind = [row for row in rows if row["field"] in (SERVED, NONE, PRIORITY, VICTIMS)
              and row["variant"] == VARIANTS[row["arm"]][0]]
    behind.sort(key=lambda row: (-row["gpu"], row["field"] != VICTIMS, -row["amount"], row["seed"]))
    quota = {"allocate": 3, "reclaim": 2, "preempt": 3, "consolidate": 2}
    taken = [row for arm in ARMS for row in [row for row in behind if row["arm"] == arm][:quota[arm]]]
    lines = ["| seed | arm | lost | reason |", "|---|---|---|---|"]
    for row in taken:
        made = world(row["seed"])
        lost = (f"{row['gpu'] / 1000:g} GPUs" if row["field"] == SERVED else
                {NONE: "a stop", PRIORITY: "a higher priority"}.get(row["field"], f"{row['amount']} tasks"))
        lines.append(f"| {row['seed']} | {row['arm']} | {lost} | "
                     f"{sentence(made, row['plan'], row['best'], row['step'], row['field'])} |")
    return lines


def page_parts(results):
    rows = [row for result in results for row in result["rows"]]
    return {"regret": table_regret(rows), "causes": table_causes(rows), "sums": table_sums(results), "worst": worst(rows)}


def page(parts, update):
    """Writes the tables into the page, or returns the names of those that differ."""
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    differ = []
    for name, lines in parts.items():
        mark = f"<!-- drawn by tests/regret/regret_study.py: {name} -->\n"
        begin = text.index(mark) + len(mark)
        end = text.index("<!-- drawn -->\n", begin)
        drawn = "\n".join(lines) + "\n"
        if text[begin:end] != drawn:
            differ.append(name)
            text = text[:begin] + drawn + text[end:]
    if update:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)
    return differ


# ---- the program ----

def show(seed, variant):
    made = world(seed)
    order, optimum = declared_order(made), best(made)
    variant = variant or VARIANTS[made["arm"]][0]
    plan, _ = outcome(made, variant, order)
    for name, found in (("plan", plan), ("optimum", optimum)):
        for row in found["steps"]:
            job = made["jobs"][row["at"]]
            stops = {what: {made["jobs"][u]["name"]: n for u, n in row[what].items()} for what in ("evicted", "moved")}
            print(f"# {name}: {job['name']} + {row['tasks']}: {'served' if row['served'] else 'waits'}, {stops}")
    found = difference(plan, optimum)
    print("# equal" if not found else f"# {sentence(made, plan, optimum, found[0], found[1])}")
    print(scenario(made, variant), end="")


def judge(results):
    """The complaints about the study."""
    rows = [row for result in results for row in result["rows"]]
    for row in rows:
        if row["fault"]:
            yield f"seed {row['seed']} ({row['arm']}, {row['variant']}): {row['fault']}"
    for (arm, variant), mine in by_variant(rows).items():
        equal = sum(row["field"] is None for row in mine)
        if len(mine) >= 50 and 100 * equal < FLOOR[arm] * len(mine):
            yield f"{arm}, {variant}: {equal} of {len(mine)} plans equal the optimum; expected at least {FLOOR[arm]} %"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--worlds", type=int, default=10000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--show", nargs="+")
    args = parser.parse_args()
    if args.show:
        show(int(args.show[0]), args.show[1] if len(args.show) > 1 else None)
        return
    results = run(range(args.first, args.first + args.worlds), args.jobs, args.seconds)
    parts = page_parts(results)
    print(f"{len(results)} worlds, seeds {args.first} to {args.first + len(results) - 1}")
    print("\n\n".join("\n".join(lines) for lines in parts.values()))
    complaints = list(judge(results))
    if args.update or args.check:
        differ = page(parts, args.update)
        if args.check:
            complaints += [f"{PAGE}: the table '{name}' differs; see --update" for name in differ if name != "worst"]
    for complaint in complaints:
        print(complaint)
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
