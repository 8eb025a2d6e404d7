"""Replays the steps of `lsched pack --kind reassign --moves` and verifies each of them.

It is written from the rules alone and shares nothing with the program. A step moves one process.
During the step the process needs all its amounts on the new machine, and its transient amounts on
the old one; after the step, the rules about services must hold. `replay` fails with an
AssertionError where a step is not feasible.
"""
import collections


class Replay:
    """An assignment that changes by steps; only what a step changes is looked at again."""

    def __init__(self, problem, first):
        self.problem, self.at = problem, list(first)
        self.used = [[0] * len(problem.resources) for _ in problem.capacity]
        kinds = (problem.location, problem.neighbourhood, range(len(problem.capacity)))
        self.places = [(of, collections.defaultdict(collections.Counter)) for of in kinds]
        self.needed_by = collections.defaultdict(set)
        for service, (_, needs) in enumerate(problem.services):
            for other in needs:
                self.needed_by[other].add(service)
        for process, machine in enumerate(self.at):
            self.add(process, machine, 1)

    def add(self, process, machine, sign):
        service, need, _ = self.problem.processes[process]
        for r, amount in enumerate(need):
            self.used[machine][r] += sign * amount
        for of, counts in self.places:
            here = counts[service]
            here[of[machine]] += sign
            if here[of[machine]] == 0:
                del here[of[machine]]

    def check_machine(self, machine):
        for used, capacity in zip(self.used[machine], self.problem.capacity[machine]):
            assert used <= capacity, "capacity"

    def check_service(self, service):
        (_, locations), (_, neighbourhoods), (_, machines) = self.places
        spread, needs = self.problem.services[service]
        assert max(machines[service].values()) <= 1, "conflict"
        assert len(locations[service]) >= spread, "spread"
        for other in needs:
            assert neighbourhoods[service].keys() <= neighbourhoods[other].keys(), "dependency"
        for other in self.needed_by[service]:
            assert neighbourhoods[other].keys() <= neighbourhoods[service].keys(), "dependency"

    def step(self, process, old, new):
        service, need, _ = self.problem.processes[process]
        assert self.at[process] == old != new, "the process is elsewhere"
        kept = [amount if transient else 0
                for amount, (transient, _) in zip(need, self.problem.resources)]
        self.add(process, old, -1)
        self.add(process, new, 1)
        self.at[process] = new
        self.used[old] = [a + b for a, b in zip(self.used[old], kept)]
        self.check_machine(old)
        self.check_machine(new)
        self.used[old] = [a - b for a, b in zip(self.used[old], kept)]
        self.check_service(service)


def replay(problem, first, steps):
    """Returns where the steps lead, and their price."""
    state, price = Replay(problem, first), 0
    for process, old, new in steps:
        state.step(process, old, new)
        price += (problem.weights[0] * problem.processes[process][2] +
                  problem.weights[2] * problem.travel[old][new])
    return state.at, price


def read_steps(path):
    with open(path, encoding="ascii") as file:
        return [tuple(map(int, line.split())) for line in file]
