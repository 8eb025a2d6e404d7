"""verify_tbpp.py PROGRAM INSTANCE...: packs instances of temporal bin packing and verifies every solution, by code
that knows neither the library nor the program: only the file of the instance and the JSON that came out.

INSTANCE is a file "n C 0 0" with rows "index start end size", a directory of such, or a tar archive of them, also
compressed. Prints a row per file and the sums. --work, --seconds, --method and --seed are passed on; --at-most N
fails if the bins of all add up to more.
"""
import io
import json
import os
import subprocess
import sys
import tarfile


class Wrong(Exception):
    """A solution that is none."""


def read_instance(text):
    """Capacity and [(name, start, end, size)]."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    n, capacity = int(lines[0][0]), int(lines[0][1])
    items = [(row[0], int(row[1]), int(row[2]), int(row[3])) for row in lines[1:]]
    if len(items) != n:
        raise ValueError(f"{len(items)} rows, {n} are promised")
    return capacity, items


def verify(text, solution):
    """Every item in exactly one bin, at its own time, no bin over its capacity at any time, and as many bins as
    stated; no bound above what was reached. Raises Wrong."""
    capacity, items = read_instance(text)
    placed = solution["items"]
    if len(placed) != len(items):
        raise Wrong(f"{len(placed)} items are placed, there are {len(items)}")
    bins = {}
    for (name, start, end, size), place in zip(items, placed):
        if place["item"] != name:
            raise Wrong(f"item {name} is called {place['item']}")
        if place["bin"] is None:
            raise Wrong(f"item {name} is left out")
        if (place["start"], place["end"]) != (start, end):
            raise Wrong(f"item {name} runs from {place['start']} to {place['end']}, not {start} to {end}")
        bins.setdefault(place["bin"], []).append((start, end, size))
    for number, inside in bins.items():
        for at in {start for start, _, _ in inside}:  # a load rises only where something starts
            load = sum(size for start, end, size in inside if start <= at < end)
            if load > capacity:
                raise Wrong(f"bin {number} holds {load} of {capacity} at {at}")
    if solution["bins"] != len(bins):
        raise Wrong(f"{solution['bins']} bins are stated, {len(bins)} are used")
    if solution["lower_bound"] > len(bins):
        raise Wrong(f"the bound is {solution['lower_bound']}, and {len(bins)} bins are enough")
    if solution["lower_bound"] < peak_bound(capacity, items):
        raise Wrong("the bound is below that of the loads alone")
    return len(bins)


def peak_bound(capacity, items):
    """L1: the greatest load of an instant, in bins."""
    events = sorted([(start, 1, size) for _, start, _, size in items] +
                    [(end, 0, -size) for _, _, end, size in items])
    load = most = 0
    for _, _, change in events:
        load += change
        most = max(most, load)
    return -(-most // capacity)


def instances(path):
    """(name, text) of all instances that a path stands for, in the order of their names."""
    if os.path.isdir(path):
        for base, _, names in sorted(os.walk(path)):
            for name in sorted(names):
                with open(os.path.join(base, name), encoding="ascii") as file:
                    yield os.path.join(base, name), file.read()
    elif tarfile.is_tarfile(path):
        with tarfile.open(path) as archive:
            for member in sorted(archive.getmembers(), key=lambda member: member.name):
                if member.isfile():
                    yield member.name, archive.extractfile(member).read().decode("ascii")
    else:
        with open(path, encoding="ascii") as file:
            yield path, file.read()


def solve(program, text, *options):
    done = subprocess.run([program, "pack", "-", "--items", "--json", *options], input=text,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Wrong(done.stderr.strip() or f"exit code {done.returncode}")
    return json.loads(done.stdout)


class Sums:
    def __init__(self):
        self.files = self.items = self.bins = self.bound = self.proved = 0
        self.seconds = self.slowest = 0.0

    def add(self, solution):
        self.files += 1
        self.items += solution["n_items"]
        self.bins += solution["bins"]
        self.bound += solution["lower_bound"]
        self.proved += solution["bins"] == solution["lower_bound"]
        self.seconds += solution["seconds"]
        self.slowest = max(self.slowest, solution["seconds"])

    def __str__(self):
        gap = 100 * (self.bins - self.bound) / self.bound if self.bound else float("nan")
        return (f"{self.files} instances, {self.items} items: {self.bins} bins, bound {self.bound}, gap {gap:.2f} %, "
                f"{self.proved} proved, {self.seconds:.1f} s, {self.slowest:.2f} s the slowest")


def pack_all(program, paths, options=(), out=io.StringIO()):
    """Packs and verifies all; returns the sums. Raises Wrong with the name of the instance."""
    sums = Sums()
    for path in paths:
        for name, text in instances(path):
            try:
                solution = solve(program, text, *options)
                verify(text, solution)
            except Wrong as wrong:
                raise Wrong(f"{name}: {wrong}") from wrong
            sums.add(solution)
            print(f"{name}: {solution['bins']} bins, bound {solution['lower_bound']} ({solution['bound']}), "
                  f"{solution['seconds']:.2f} s", file=out)
    return sums


def main(words):
    options, paths, most = [], [], None
    while words:
        word = words.pop(0)
        if word in ("--work", "--seconds", "--method", "--seed"):
            options += [word, words.pop(0)]
        elif word == "--at-most":
            most = int(words.pop(0))
        else:
            paths.append(word)
    if len(paths) < 2:
        sys.exit(__doc__)
    try:
        sums = pack_all(paths[0], paths[1:], options, sys.stdout)
    except Wrong as wrong:
        sys.exit(str(wrong))
    print(sums)
    if most is not None and sums.bins > most:
        sys.exit(f"{sums.bins} bins; at most {most} are expected")


if __name__ == "__main__":
    main(sys.argv[1:])
