"""Random instances of machine reassignment in the formats of the ROADEF/EURO challenge 2012.

The first assignment is made together with the machines, so that it is feasible: processes are placed
on random machines with room, hot machines more often than others, and a machine that has none gets
more capacity. Dependencies are drawn among the pairs of services that the first assignment allows.

Usage: reassign_generator.py DIRECTORY [--machines N] [--processes N] ... writes model.txt and
assignment.txt.
"""
import argparse
import os
import random


class Instance:
    """The numbers of the two files, as the challenge names them."""

    def __init__(self, options):
        draw = random.Random(options.seed)
        self.draw, self.options = draw, options
        self.resources = [(int(r < options.transient), draw.choice((1, 10, 10, 100)))
                          for r in range(options.resources)]
        self.draw_services()
        self.draw_machines()
        self.place()
        self.draw_dependencies()
        self.balances = [(draw.randrange(options.resources), draw.randrange(options.resources),
                          draw.choice((1, 5, 20)), 10) for _ in range(options.balances)]
        self.weights = (1, 10, 100)

    def draw_services(self):
        """Services of one process are the most frequent, and a few have very many."""
        draw, options = self.draw, self.options
        self.process_service, self.need, self.move_cost = [], [], []
        self.members = []
        while len(self.process_service) < options.processes:
            left = options.processes - len(self.process_service)
            most = max(1, options.machines // 2)
            size = min(left, most, max(1, int(draw.paretovariate(options.service_tail))))
            scale = draw.lognormvariate(0, 1)
            need = [int(1000 * scale * draw.lognormvariate(0, 0.6)) for _ in self.resources]
            service = len(self.members)
            self.members.append(range(len(self.process_service), len(self.process_service) + size))
            for _ in range(size):
                self.process_service.append(service)
                self.need.append([int(n * draw.uniform(0.9, 1.1)) for n in need]
                                 if draw.random() < 0.3 else need)
                self.move_cost.append(draw.randrange(1, 1001))

    def draw_machines(self):
        draw, options = self.draw, self.options
        classes = [draw.choice((0.6, 0.8, 1.0, 1.3, 1.7)) for _ in range(options.machines)]
        mean = sum(classes) / len(classes)
        self.capacity = [[0] * options.resources for _ in classes]
        for r in range(options.resources):
            total = sum(n[r] for n in self.need)
            level = total / options.machines / draw.uniform(options.use_least, options.use_most)
            for m, size in enumerate(classes):
                self.capacity[m][r] = int(level * size / mean) + 1
        self.safety_share = [draw.uniform(0.5, 0.95) for _ in range(options.resources)]
        self.neighbourhood = [draw.randrange(options.neighbourhoods) for _ in classes]
        self.location = [draw.randrange(options.locations) for _ in classes]

    def place(self):
        """Big services first; a process that fits nowhere in 60 tries raises a capacity."""
        draw, options = self.draw, self.options
        free = [list(c) for c in self.capacity]
        hot = [m for m in range(options.machines) if draw.random() < 0.4] or [0]
        self.at = [None] * len(self.need)
        heavy = lambda s: max(self.need[self.members[s][0]]) * 1.0
        for service in sorted(range(len(self.members)), key=lambda s: (-heavy(s), s)):
            used = set()
            for i in self.members[service]:
                need, chosen = self.need[i], None
                for attempt in range(60):
                    m = draw.choice(hot) if attempt < 4 else draw.randrange(options.machines)
                    if m not in used and all(a <= b for a, b in zip(need, free[m])):
                        chosen = m
                        break
                if chosen is None:
                    chosen = draw.choice([m for m in range(options.machines) if m not in used])
                    for r, amount in enumerate(need):
                        more = max(0, amount - free[chosen][r])
                        self.capacity[chosen][r] += more
                        free[chosen][r] += more
                used.add(chosen)
                self.at[i] = chosen
                for r, amount in enumerate(need):
                    free[chosen][r] -= amount
        self.spread = []
        for members in self.members:
            locations = len({self.location[self.at[i]] for i in members})
            self.spread.append(draw.randrange(1, locations + 1) if draw.random() < 0.3 else 1)

    def draw_dependencies(self):
        draw, options = self.draw, self.options
        places = [{self.neighbourhood[self.at[i]] for i in members} for members in self.members]
        self.needs = [[] for _ in self.members]
        wide = sorted(range(len(places)), key=lambda s: (-len(places[s]), s))[:200]
        for _ in range(options.dependencies * 20):
            if sum(map(len, self.needs)) >= options.dependencies:
                break
            one, two = draw.randrange(len(places)), draw.choice(wide)
            if one != two and places[one] <= places[two] and two not in self.needs[one]:
                self.needs[one].append(two)

    def write_model(self, path):
        draw, options = self.draw, self.options
        distance = [[draw.randrange(1, 6) for _ in range(options.locations)]
                    for _ in range(options.locations)]
        with open(path, "w", encoding="ascii") as out:
            out.write(f"{options.resources}\n")
            for transient, weight in self.resources:
                out.write(f"{transient} {weight}\n")
            out.write(f"{options.machines}\n")
            for m, capacity in enumerate(self.capacity):
                safety = [int(c * s) for c, s in zip(capacity, self.safety_share)]
                row = distance[self.location[m]]
                travel = [0 if k == m else row[self.location[k]] for k in range(options.machines)]
                numbers = [self.neighbourhood[m], self.location[m], *capacity, *safety, *travel]
                out.write(" ".join(map(str, numbers)) + "\n")
            out.write(f"{len(self.members)}\n")
            for spread, needs in zip(self.spread, self.needs):
                out.write(" ".join(map(str, [spread, len(needs), *needs])) + "\n")
            out.write(f"{len(self.need)}\n")
            for i, need in enumerate(self.need):
                numbers = [self.process_service[i], *need, self.move_cost[i]]
                out.write(" ".join(map(str, numbers)) + "\n")
            out.write(f"{len(self.balances)}\n")
            for first, second, target, weight in self.balances:
                out.write(f"{first} {second} {target}\n{weight}\n")
            out.write(" ".join(map(str, self.weights)) + "\n")

    def write(self, directory):
        os.makedirs(directory, exist_ok=True)
        model, assignment = (os.path.join(directory, n) for n in ("model.txt", "assignment.txt"))
        self.write_model(model)
        with open(assignment, "w", encoding="ascii") as out:
            out.write(" ".join(map(str, self.at)) + "\n")
        return model, assignment


def parser():
    made = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, preset in (("machines", 100), ("processes", 1000), ("resources", 4),
                         ("transient", 1), ("neighbourhoods", 5), ("locations", 4),
                         ("dependencies", 40), ("balances", 1), ("seed", 1)):
        made.add_argument("--" + name, type=int, default=preset)
    made.add_argument("--use-least", type=float, default=0.6)
    made.add_argument("--use-most", type=float, default=0.9)
    made.add_argument("--service-tail", type=float, default=0.9)
    return made


def options_of(**given):
    """The options as the program has them, for a test that imports this file."""
    options = parser().parse_args([])
    vars(options).update(given)
    return options


if __name__ == "__main__":
    made = parser()
    made.add_argument("directory")
    arguments = made.parse_args()
    Instance(arguments).write(arguments.directory)
