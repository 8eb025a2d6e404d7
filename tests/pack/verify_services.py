"""Verifies how services with measured demand were packed, from their files and the JSON that came out alone."""
import csv
import lzma

from verify_tbpp import Wrong


def open_text(path):
    return lzma.open(path, "rt", encoding="utf-8") if path.endswith(".xz") else open(path, encoding="utf-8")


def read_wide(path):
    """{name: [samples]} of rows "name,sample,...", in their order."""
    with open_text(path) as file:
        return {row[0]: [float(value) for value in row[1:]] for row in csv.reader(file)}


def read_long(path, time, name, value):
    """{name: {time: most}} of a list with a header."""
    series = {}
    with open_text(path) as file:
        for row in csv.DictReader(file):
            own = series.setdefault(row[name], {})
            at = float(row[time])
            own[at] = max(float(row[value]), own.get(at, 0.0))
    return series


def hold(series, times):
    """Samples at all times: a gap has the one before; nothing before the first and after the last."""
    first, last = min(series), max(series)
    row, now = [], 0.0
    for at in times:
        now = series.get(at, now) if first <= at <= last else 0.0
        row.append(now)
    return row


def verify(profiles, capacities, solution):
    """profiles: {name: [[samples] of each resource]}. Each service in one bin, and no bin over what it has of any
    resource at any sample. Returns the number of bins; raises Wrong."""
    bins, seen = {}, set()
    for place in solution["items"]:
        name = place["item"]
        if name not in profiles or name in seen:
            raise Wrong(f"{name} is unknown or placed twice")
        seen.add(name)
        if place["bin"] is None:
            raise Wrong(f"{name} is left out")
        bins.setdefault(place["bin"], []).append(name)
    if len(seen) != len(profiles):
        raise Wrong(f"{len(seen)} services are placed, there are {len(profiles)}")
    for number, names in bins.items():
        for resource, capacity in enumerate(capacities):
            loads = [sum(column) for column in zip(*(profiles[name][resource] for name in names))]
            if max(loads) > capacity * (1 + 1e-9):
                raise Wrong(f"bin {number} needs {max(loads)} of {capacity}")
    if solution["bins"] != len(bins):
        raise Wrong(f"{solution['bins']} bins are stated, {len(bins)} are used")
    if solution["lower_bound"] > len(bins):
        raise Wrong(f"the bound is {solution['lower_bound']}, and {len(bins)} bins are enough")
    return len(bins)
