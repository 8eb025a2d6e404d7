"""Verifies a schedule of a file of PSPLIB from the text alone; shares no code with the program."""


def section(text, heading, rows):
    """The numbers of the rows below a heading."""
    lines = text[text.index(heading):].splitlines()[1:]
    numbers = [line.split() for line in lines if line.split() and
               all(word.isdigit() for word in line.split())]
    return [list(map(int, row)) for row in numbers[:rows]]


def verify(text, starts, makespan):
    """What is wrong with the schedule; empty if nothing is."""
    n = int(text[text.index("jobs ("):].split(":")[1].split()[0])
    links = {row[0]: row[3:] for row in section(text, "PRECEDENCE RELATIONS", n)}
    needs = {row[0]: row[2:] for row in section(text, "REQUESTS/DURATIONS", n)}
    have = section(text, "RESOURCEAVAILABILITIES", 1)[0]
    if len(starts) != n or len(links) != n or len(needs) != n:
        return "the number of jobs is wrong"
    start = dict(enumerate(starts, 1))
    end = {job: start[job] + needs[job][0] for job in needs}
    if max(end.values()) != makespan or min(starts) < 0:
        return "the makespan is not the last end, or a job starts before 0"
    for job, after in links.items():
        for other in after:
            if start[other] < end[job]:
                return f"job {other} starts before its predecessor {job} has ended"
    for time in range(makespan):
        runs = [job for job in needs if start[job] <= time < end[job]]
        for k, capacity in enumerate(have):
            if sum(needs[job][1 + k] for job in runs) > capacity:
                return f"resource {k + 1} is exceeded at {time}"
    return ""
