"""check_reassign.py PROGRAM [--long] [--seconds S]: generated instances of machine reassignment.

`lsched pack --kind reassign` improves each instance; verify_reassign.py, which shares no code with
the program, computes the cost of the result, and verify_moves.py replays the steps to it. The default work is done on 100 machines with 1,000
processes of several kinds; with --long, up to 1,000 machines with 50,000 processes follow.
--seconds gives the program a time instead.
"""
import argparse
import json
import os
import subprocess
import tempfile

import reassign_generator
import verify_moves
import verify_reassign

SMALL = [dict(), dict(resources=12, transient=4, service_tail=2, locations=25, dependencies=500),
         dict(machines=50, processes=1000, use_most=0.97, use_least=0.8, balances=3),
         dict(machines=100, processes=1000, service_tail=0.5, neighbourhoods=2)]
LARGE = [dict(processes=5000, resources=12, transient=4, locations=10, dependencies=4000,
              use_least=0.4, use_most=0.6),
         dict(processes=20000, resources=6, transient=2, dependencies=2000),
         dict(processes=50000, resources=4, transient=1),
         dict(machines=1000, processes=50000, resources=8, transient=2, locations=20,
              neighbourhoods=20, dependencies=4000)]

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--long", action="store_true")
parser.add_argument("--seconds")
args = parser.parse_args()


def check_steps(problem, first, at, path, said):
    steps = verify_moves.read_steps(path)
    reached, price = verify_moves.replay(problem, first, steps)
    assert said["steps"] == len(steps) and said["steps_cost"] == price, said
    assert said["dropped"] == sum(a != b for a, b in zip(reached, at)), said
    straight = sum(problem.weights[0] * cost + problem.weights[2] * problem.travel[old][new]
                   for (_, _, cost), old, new in zip(problem.processes, first, at) if old != new)
    assert said["straight_cost"] == straight, said
    assert said["dropped"] > 0 or said["reached_cost"] == said["cost"], said
    # most of what is found can be reached
    assert said["dropped"] * 10 <= said["moves"], said


def run(directory, seed, given):
    """Solves one instance, and returns a line of the table."""
    options = reassign_generator.options_of(seed=seed, **given)
    model, assignment = reassign_generator.Instance(options).write(directory)
    result, list_of_steps = (os.path.join(directory, name) for name in ("new.txt", "steps.txt"))
    words = [args.program, "pack", "--kind", "reassign", model, assignment, "--json", "--out",
             result, "--moves", list_of_steps] + (["--seconds", args.seconds] if args.seconds else [])
    done = subprocess.run(words, stdout=subprocess.PIPE, check=True)
    said = json.loads(done.stdout)
    problem = verify_reassign.Problem(model)
    first, at = (verify_reassign.read_assignment(path) for path in (assignment, result))
    assert said["start_cost"] == problem.cost(first, first), said
    assert said["cost"] == problem.cost(first, at), said
    assert said["lower_bound"] <= said["cost"] < said["start_cost"], said
    assert said["moves"] == sum(a != b for a, b in zip(first, at)), said
    check_steps(problem, first, at, list_of_steps, said)
    print(f"{options.machines:6} {options.processes:6} {said['start_cost']:14} {said['cost']:14} "
          f"{said['lower_bound']:14} {said['gap_percent']:9} {said['seconds']:7.1f} "
          f"{said['moves']:6} {said['steps']:6} {said['dropped']:6}", flush=True)


print("machines processes   start_cost           cost    lower_bound      gap %   seconds  moves  steps dropped")
for number, case in enumerate(SMALL + (LARGE if args.long else [])):
    with tempfile.TemporaryDirectory() as scratch:
        run(scratch, number + 1, case)
