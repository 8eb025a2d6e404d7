"""Random projects in the format of PSPLIB, after the generator ProGen (Kolisch, Sprecher, Drexl 1995).

Parameters: the network complexity NC (mean number of links per job), the resource factor RF (part of
the resources that a job needs) and the resource strength RS (0: the capacity is the greatest demand;
1: the capacity is enough for the schedule of earliest starts).
"""
import random

DURATIONS, DEMANDS, FIRST, NEXT_MAX = (1, 10), (1, 10), 3, 3


class Project:
    """Jobs 0 and n + 1 are dummies; duration[i], demand[i][k], successors[i], capacity[k]."""

    def __init__(self, seed, jobs=30, resources=4, nc=1.5, rf=0.5, rs=0.5):
        self.seed, self.n = seed, jobs + 2
        self.random = random.Random(seed)
        self.duration = [0] + [self.random.randint(*DURATIONS) for _ in range(jobs)] + [0]
        self.successors = [set() for _ in range(self.n)]
        self.link(jobs, nc)
        self.demand = [[0] * resources for _ in range(self.n)]
        self.request(jobs, resources, rf)
        self.capacity = [self.available(k, rs) for k in range(resources)]

    def reach(self):
        after = [set() for _ in range(self.n)]
        for i in reversed(range(self.n)):
            for j in self.successors[i]:
                after[i] |= {j} | after[j]
        return after

    def link(self, jobs, nc):
        """Jobs are numbered so that successors come later; no link is implied by others."""
        last = self.n - 1
        for j in range(1, jobs + 1):
            low = 0 if j <= FIRST else max(1, j - jobs // 3)
            self.successors[0 if j <= FIRST else self.random.randint(low, j - 1)].add(j)
        for i in range(1, jobs + 1):
            if not self.successors[i]:
                if i > jobs - FIRST:
                    self.successors[i].add(last)
                else:
                    self.successors[i].add(self.random.randint(i + 1, jobs))
        for _ in range(50 * jobs):
            if sum(map(len, self.successors)) >= nc * self.n:
                break
            i = self.random.randint(1, jobs - 1)
            j = self.random.randint(i + 1, jobs)
            after = self.reach()
            before = [x for x in range(self.n) if i in after[x]]
            if len(self.successors[i]) >= NEXT_MAX or j in after[i]:
                continue
            if any(j in self.successors[x] for x in before + [i]) or \
                    any(x in after[j] for x in self.successors[i]):
                continue
            self.successors[i].add(j)

    def request(self, jobs, resources, rf):
        cells = [(i, k) for i in range(1, jobs + 1) for k in range(resources)]
        self.random.shuffle(cells)
        for i, k in cells[:round(rf * len(cells))]:
            self.demand[i][k] = self.random.randint(*DEMANDS)

    def available(self, k, rs):
        start = [0] * self.n
        for i in range(self.n):
            for j in self.successors[i]:
                start[j] = max(start[j], start[i] + self.duration[i])
        least = max(row[k] for row in self.demand)
        use = [0] * (start[-1] + 1)
        for i in range(self.n):
            for t in range(start[i], start[i] + self.duration[i]):
                use[t] += self.demand[i][k]
        return least + round(rs * (max(use) - least))

    def text(self):
        """The project as PSPLIB writes files .sm."""
        stars, n, resources = "*" * 72, self.n, len(self.capacity)
        lines = [stars, f"file with basedata            : seed_{self.seed}.bas",
                 f"initial value random generator: {self.seed}", stars,
                 "projects                      :  1",
                 f"jobs (incl. supersource/sink ):  {n}",
                 f"horizon                       :  {sum(self.duration)}", "RESOURCES",
                 f"  - renewable                 :  {resources}   R",
                 "  - nonrenewable              :  0   N",
                 "  - doubly constrained        :  0   D", stars, "PROJECT INFORMATION:",
                 "pronr.  #jobs rel.date duedate tardcost  MPM-Time",
                 f"    1     {n - 2}      0       38       26       38", stars,
                 "PRECEDENCE RELATIONS:", "jobnr.    #modes  #successors   successors"]
        for i, after in enumerate(self.successors):
            names = "".join(f"{j + 1:4d}" for j in sorted(after))
            lines.append(f"{i + 1:4d}        1          {len(after)}        {names}")
        lines += [stars, "REQUESTS/DURATIONS:",
                  "jobnr. mode duration" + "".join(f"  R {k + 1}" for k in range(resources)),
                  "-" * 72]
        for i, row in enumerate(self.demand):
            amounts = "".join(f"{amount:5d}" for amount in row)
            lines.append(f"{i + 1:3d}      1   {self.duration[i]:3d}   {amounts}")
        lines += [stars, "RESOURCEAVAILABILITIES:",
                  "".join(f"  R {k + 1}" for k in range(resources)),
                  "".join(f"{amount:5d}" for amount in self.capacity), stars]
        return "\n".join(lines) + "\n"


def parameters(i):
    """The parameters of the i-th project: the combinations of the sets J30, J60 and J90."""
    return {"nc": (1.5, 1.8, 2.1)[i % 3], "rf": (0.25, 0.5, 0.75, 1.0)[i // 3 % 4],
            "rs": (0.2, 0.5, 0.7, 1.0)[i // 12 % 4]}
