"""Verifies plans for MIG GPUs, and computes what first come, first served makes of the same list: from the CSV, the
table of placements of an H100, and the JSON that came out."""
import csv
import heapq

from verify_tbpp import Wrong

# Memory slices and the starts that nvidia-smi mig -lgipp lists, the ones that cost least first.
PLACEMENTS = {"1g": (1, (6, 5, 4, 3, 2, 1, 0)), "2g": (2, (4, 2, 0)), "3g": (4, (4, 0)), "4g": (4, (0,)),
              "7g": (8, (0,))}
COMPUTE = {"1g": 1, "2g": 2, "3g": 3, "4g": 4, "7g": 7}
GPUS = 8


def read(path):
    """{seed: [(job, true, requested, seconds)]} in order of arrival."""
    seeds = {}
    with open(path, encoding="ascii") as file:
        for row in csv.DictReader(file):
            seeds.setdefault(int(row["seed"]), []).append(
                (row["job"], row["true_profile"], row["requested_profile"], int(row["duration_s"])))
    return seeds


def whole(jobs):
    """Arm A: a GPU each, in order."""
    free, end = [0] * GPUS, 0
    for _, _, _, seconds in jobs:
        at = heapq.heappop(free) + seconds
        heapq.heappush(free, at)
        end = max(end, at)
    return end


def carved(jobs, column):
    """Arms B (column 2: as asked for) and C (column 1: as needed)."""
    taken, running, now, end = [0] * GPUS, [], 0, 0
    for job in jobs:
        width, starts = PLACEMENTS[job[column]]
        while True:
            found = next(((gpu, mask << start) for gpu in range(GPUS) for mask in [(1 << width) - 1]
                          for start in starts if not taken[gpu] & mask << start), None)
            if found:
                break
            now = running[0][0]
            while running and running[0][0] == now:
                _, gpu, mask = heapq.heappop(running)
                taken[gpu] &= ~mask
        taken[found[0]] |= found[1]
        heapq.heappush(running, (now + job[3], *found))
        end = max(end, now + job[3])
    return end


def area_bound(jobs):
    """The longest job, memory and compute slices, whole and half GPUs."""
    memory = sum(PLACEMENTS[true][0] * seconds for _, true, _, seconds in jobs)
    compute = sum(COMPUTE[true] * seconds for _, true, _, seconds in jobs)
    halves = sum({"7g": 2, "3g": 1, "4g": 1}.get(true, 0) * seconds for _, true, _, seconds in jobs)
    return max(max(job[3] for job in jobs), memory / 64, compute / 56, halves / 16)


def verify(jobs, places):
    """The places of one seed: every job once on a GPU, at a start of its profile, for as long as it runs, no slice used
    twice at a time. Returns when the last ends, in seconds; raises Wrong."""
    if [place["item"] for place in places] != [job[0] for job in jobs]:
        raise Wrong("the jobs of the plan are not those of the list")
    end = 0
    by_gpu = {}
    for (name, true, _, seconds), place in zip(jobs, places):
        width, starts = PLACEMENTS[true]
        if place["bin"] is None or not 0 <= place["bin"] < GPUS:
            raise Wrong(f"job {name} is on GPU {place['bin']}")
        if place["slice"] not in starts:
            raise Wrong(f"job {name}: {true} cannot begin at slice {place['slice']}")
        if place["start"] < 0 or abs(place["end"] - place["start"] - seconds) > 1e-6:
            raise Wrong(f"job {name} runs from {place['start']} to {place['end']}, it needs {seconds} s")
        mask = ((1 << width) - 1) << place["slice"]
        for other, other_mask in by_gpu.setdefault(place["bin"], []):
            if mask & other_mask and place["start"] < other["end"] and other["start"] < place["end"]:
                raise Wrong(f"jobs {name} and {other['item']} share slices")
        by_gpu[place["bin"]].append((place, mask))
        end = max(end, place["end"])
    return end
