"""Writes log.swf: five days of a made-up cluster of 256 processors, the same every time.

Days and nights, a few wide jobs among many narrow ones, run times from seconds to a day, owners who ask for more time
than they need, one who submits whole sweeps at once. Numbers come from SplitMix64, so that no version of Python changes them.
"""
import math

NODES, PER_NODE, DAYS = 16, 16, 5
state = 20260105


def random():
    """In [0, 1)."""
    global state
    state = (state + 0x9E3779B97F4A7C15) & (2**64 - 1)
    z = state
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & (2**64 - 1)
    return ((z ^ z >> 31) >> 11) / 2**53


def run_seconds():
    """From 10 s to 14 hours; half of all jobs run for less than 10 minutes."""
    return int(10 * 5000 ** (random() ** 1.15))


def processors():
    return 2 ** int(8 * random() ** 1.8) if random() < 0.85 else 1 + int(96 * random() ** 2)


def jobs():
    now = 0.0
    while now < DAYS * 86400:
        hour = now / 3600 % 24
        day = 1 + 0.8 * math.cos((hour - 14) / 24 * 2 * math.pi)
        now += -math.log(1 - random()) * 420 / day
        user = 1 + int(11 * random() ** 1.5)
        sweep = 30 if user == 11 and random() < 0.35 else 1
        wide, long = 1 + int(4 * random()) if sweep > 1 else processors(), run_seconds()
        for _ in range(sweep):
            run = max(1, int(long * (0.8 + 0.4 * random())))
            asked = min(86400, (int(run * (1 + 4 * random())) // 600 + 1) * 600)
            queue = 3 if user == 11 else 1 if asked <= 3600 else 2
            yield int(now), run, min(wide, 256), max(asked, run), user, queue


with open("log.swf", "w", encoding="ascii") as out:
    out.write(f"""; Version: 2.2
; Computer: a made-up cluster
; Note: written by make_log.py; nobody's work
; UnixStartTime: 1767571200
; MaxNodes: {NODES}
; MaxProcs: {NODES * PER_NODE}
; Queue: 1 short
; Queue: 2 long
; Queue: 3 sweeps
""")
    for number, (submit, run, procs, asked, user, queue) in enumerate(jobs(), 1):
        out.write(f"{number} {submit} -1 {run} {procs} -1 -1 {procs} {asked} -1 1 {user} 1 -1 {queue} -1 -1 -1\n")
