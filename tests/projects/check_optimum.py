"""check_optimum.py PROGRAM [--projects N] [--seconds S] [--jobs N] [--seed S]: projects of 30 jobs and 4
resources, scheduled by `lsched pack` and by CP-SAT (Python package ortools), which proves the shortest
makespan. Every schedule is verified by verify_project.py, which shares no code with the program.

The mean gap of the makespan to the optimum must be at most 0.5 %, no bound may be above it, and no
makespan below it. There are 500 projects at LSCHED_TEST_SCALE 100. CP-SAT gets 60 s for each; a
project that it cannot solve counts with its bound, and lsched must be at most as far from it. Exits
with 77 where ortools is not installed.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import psplib_generator
import verify_project

SKIPPED, MEAN_GAP_PERCENT, CP_SAT_S = 77, 0.5, 60

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--projects", type=int,
                    default=max(1, 500 * int(os.environ.get("LSCHED_TEST_SCALE") or 100) // 100))
parser.add_argument("--seconds", default="1")
parser.add_argument("--jobs", type=int, default=30)
parser.add_argument("--seed", type=int, default=1000)
args = parser.parse_args()
try:
    from ortools.sat.python import cp_model
except ImportError:
    print("skipped: the Python package ortools is not installed (pip install ortools)")
    sys.exit(SKIPPED)


def cp_sat(project, hint):
    """The bound and the makespan of CP-SAT; they are equal if it proves its schedule."""
    model = cp_model.CpModel()
    horizon = sum(project.duration)
    start = [model.new_int_var(0, horizon, f"s{i}") for i in range(project.n)]
    runs = [model.new_fixed_size_interval_var(start[i], project.duration[i], f"i{i}")
            for i in range(project.n)]
    end = model.new_int_var(0, horizon, "end")
    for i, after in enumerate(project.successors):
        model.add(end >= start[i] + project.duration[i])
        for j in after:
            model.add(start[j] >= start[i] + project.duration[i])
        model.add_hint(start[i], hint[i])
    for k, capacity in enumerate(project.capacity):
        users = [i for i in range(project.n) if project.demand[i][k] > 0]
        model.add_cumulative([runs[i] for i in users], [project.demand[i][k] for i in users],
                             capacity)
    model.minimize(end)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = CP_SAT_S
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.solve(model)
    return round(solver.best_objective_bound), round(solver.objective_value)


def lsched(path):
    done = subprocess.run([args.program, "pack", path, "--items", "--json", "--seconds",
                           args.seconds], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def run():
    gaps, proved, unsolved, longer, wrong = [], 0, 0, 0, 0
    print(f"{args.projects} projects, seeds {args.seed} to {args.seed + args.projects - 1}")
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "project.sm")
        for i in range(args.projects):
            seed, parameters = args.seed + i, psplib_generator.parameters(i)
            project = psplib_generator.Project(seed, jobs=args.jobs, **parameters)
            text = project.text()
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
            result = lsched(path)
            fault = verify_project.verify(text, result["starts"], result["makespan"])
            bound, best = cp_sat(project, result["starts"])
            gap = 100 * (result["makespan"] - (best if bound == best else bound)) / bound
            gaps.append(gap)
            proved += result["proved"]
            unsolved += bound != best
            longer += result["makespan"] > best
            if result["makespan"] < bound or result["lower_bound"] > best or fault:
                wrong += 1
                print(f"seed {seed}: wrong: {result['lower_bound']} to {result['makespan']}, "
                      f"CP-SAT {bound} to {best}{fault and ', ' + fault}", flush=True)
            elif gap > 0 or not result["proved"]:
                print(f"seed {seed} {parameters}: {result['lower_bound']} to {result['makespan']}, "
                      f"CP-SAT {bound} to {best}", flush=True)
    mean = sum(gaps) / len(gaps)
    print(f"mean gap {mean:.3f} %, greatest {max(gaps):.2f} %; longer than CP-SAT's {longer}; "
          f"proved by lsched {proved}, by CP-SAT {len(gaps) - unsolved} of {len(gaps)}")
    return mean > MEAN_GAP_PERCENT or wrong > 0


sys.exit(run())
