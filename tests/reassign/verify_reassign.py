"""Reads the files of a machine reassignment and computes what an assignment costs.

It is written from the published definition of the problem alone, and shares nothing with the
program. `cost` fails with an AssertionError where a rule does not hold.
"""
import collections


class Problem:
    """A model file, number after number."""

    def __init__(self, path):
        with open(path, encoding="ascii") as file:
            numbers = map(int, file.read().split())
        take = lambda n: [next(numbers) for _ in range(n)]
        one = lambda: next(numbers)
        self.resources = [tuple(take(2)) for _ in range(one())]
        n = len(self.resources)
        machines = one()
        self.neighbourhood, self.location, self.capacity, self.safety, self.travel = ([] for _ in
                                                                                      range(5))
        for _ in range(machines):
            self.neighbourhood.append(one())
            self.location.append(one())
            self.capacity.append(take(n))
            self.safety.append(take(n))
            self.travel.append(take(machines))
        self.services = [(one(), take(one())) for _ in range(one())]
        self.processes = [(one(), take(n), one()) for _ in range(one())]
        self.balances = [take(4) for _ in range(one())]
        self.weights = take(3)
        assert next(numbers, None) is None

    def use(self, first, at):
        """Amounts per machine; those of moved processes on their first machines apart."""
        stays = [[0] * len(self.resources) for _ in self.capacity]
        leaves = [[0] * len(self.resources) for _ in self.capacity]
        for (_, need, _), old, new in zip(self.processes, first, at):
            for r, amount in enumerate(need):
                stays[new][r] += amount
                if old != new and self.resources[r][0]:
                    leaves[old][r] += amount
        return stays, leaves

    def check_services(self, at):
        machines, locations, neighbourhoods = (collections.defaultdict(set) for _ in range(3))
        for (service, _, _), machine in zip(self.processes, at):
            assert machine not in machines[service], "conflict"
            machines[service].add(machine)
            locations[service].add(self.location[machine])
            neighbourhoods[service].add(self.neighbourhood[machine])
        for service, (spread, needs) in enumerate(self.services):
            assert len(locations[service]) >= spread, "spread"
            for other in needs:
                assert neighbourhoods[service] <= neighbourhoods[other], "dependency"

    def cost(self, first, at):
        stays, leaves = self.use(first, at)
        total = 0
        for capacity, safety, stay, leave in zip(self.capacity, self.safety, stays, leaves):
            for r, (_, weight) in enumerate(self.resources):
                assert stay[r] + leave[r] <= capacity[r], "capacity"
                total += weight * max(0, stay[r] - safety[r])
            for one, two, target, weight in self.balances:
                free = [capacity[r] - stay[r] for r in (one, two)]
                total += weight * max(0, target * free[0] - free[1])
        self.check_services(at)
        moved = collections.Counter()
        for (service, _, price), old, new in zip(self.processes, first, at):
            if old != new:
                moved[service] += 1
                total += self.weights[0] * price
            total += self.weights[2] * self.travel[old][new]
        return total + self.weights[1] * max(moved.values(), default=0)


def read_assignment(path):
    with open(path, encoding="ascii") as file:
        return [int(word) for word in file.read().split()]
