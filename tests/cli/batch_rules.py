"""The schedulers fcfs, easy, easy-sjbf, conservative and sjf on a pool, simulated apart from lsched, by the rules
under which results for logs of batch systems are published: at one instant all ends, then all arrivals, then one
decision; a run ends at its estimate at the latest; a plan believes the estimates.
"""
import heapq

INSTANT = 1e-6  # a job of no length holds its processors while its instant is decided


class Profile:
    """Free processors over time: steps of (begin, free), the last without end."""

    def __init__(self, now, free, ends):
        self.at, self.free = [now], [free]
        for end, size in sorted(ends):
            self.take(end, float("inf"), -size)

    def step(self, at):
        i = 0
        while i + 1 < len(self.at) and self.at[i + 1] <= at:
            i += 1
        if self.at[i] != at:
            self.at.insert(i + 1, at)
            self.free.insert(i + 1, self.free[i])
            i += 1
        return i

    def take(self, begin, end, size):
        first = self.step(begin)
        last = len(self.at) if end == float("inf") else self.step(end)
        for i in range(first, last):
            self.free[i] -= size

    def fits(self, begin, length, size):
        return all(free >= size for at, until, free in zip(self.at, self.at[1:] + [float("inf")], self.free)
                   if until > begin and at < begin + max(length, INSTANT))

    def earliest(self, length, size):
        return next(at for at in self.at if self.fits(at, length, size))


def decide(policy, now, free, running, line):
    """The jobs of the line, in order, that start now. Jobs are (submit, run, size, estimate, index)."""
    profile = Profile(now, free, [(end, size) for end, _, size in running])
    started, held, late = [], 0, []
    reservations = float("inf") if policy == "conservative" else 1
    if policy == "sjf":
        line = sorted(line, key=lambda job: (job[3], job[0], job[4]))

    def start(job):
        profile.take(now, now + max(job[3], INSTANT), job[2])
        started.append(job)

    for job in line:
        if held >= reservations:
            if policy in ("fcfs", "sjf"):
                break
            late.append(job)
            continue
        at = profile.earliest(job[3], job[2])
        if at == now:
            start(job)
        else:
            profile.take(at, at + max(job[3], INSTANT), job[2])
            held += 1
    if policy == "easy-sjbf":
        late.sort(key=lambda job: job[3])
    for job in late:
        if profile.fits(now, job[3], job[2]):
            start(job)
    return started


def simulate(policy, jobs, capacity):
    """Returns the start of each job of the list; jobs are (submit, run, size, estimate) in the order of arrival."""
    jobs = [(submit, min(run, estimate), size, estimate, i) for i, (submit, run, size, estimate) in enumerate(jobs)]
    starts, line, running, free, come = [None] * len(jobs), [], [], capacity, 0
    ends = []  # (real end, index)
    while come < len(jobs) or ends:
        now = min(([jobs[come][0]] if come < len(jobs) else []) + ([ends[0][0]] if ends else []))
        while ends and ends[0][0] <= now:
            _, i = heapq.heappop(ends)
            free += jobs[i][2]
            running = [r for r in running if r[1] != i]
        while come < len(jobs) and jobs[come][0] <= now:
            line.append(jobs[come])
            come += 1
        for job in decide(policy, now, free, running, line):
            starts[job[4]] = now
            free -= job[2]
            line.remove(job)
            running.append((now + job[3], job[4], job[2]))
            heapq.heappush(ends, (now + job[1], job[4]))
    return starts
