"""First come, first served on a pool, simulated apart from lsched."""
import heapq


def first_come(jobs, capacity):
    """Waits under strict first come, first served on a pool: jobs are (submit, run, size), in order of arrival."""
    ends, free, now, waits = [], capacity, 0, []
    for submit, run, size in jobs:
        now = max(now, submit)
        while ends and ends[0][0] <= now or free < size:
            end, units = heapq.heappop(ends)
            now, free = max(now, end), free + units
        free -= size
        heapq.heappush(ends, (now + run, size))
        waits.append(now - submit)
    return waits
