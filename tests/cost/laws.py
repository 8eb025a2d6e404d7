"""The laws of cost: reads laws.def, and says whether costs grow within a law.

A law says how the cost of an event with its cycle grows in one dimension of the cluster, for each
of three policies, in steps and in instructions. A cost has a part that does not grow, so two tests
hold at n, 4n and 16n: the cost itself grows at most by the law, and so does its increase from n to
4n and from 4n to 16n. Both have a tolerance, and a slack for what the law does not count. The
tolerance of the increase is larger, because a cache can make the smallest size very cheap.
"""
import math
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
UNITS = ("steps", "instructions")
POLICIES = ("allocate", "drf", "guaranteed-quota")
TOLERANCE = 1.25
INCREASE_TOLERANCE = 2.0  # an increase of n is 4 times the last one, of n² 16 times
GROWTHS = {  # from the slowest to the fastest
    "CONSTANT": lambda n: 1.0,
    "LOG_N": lambda n: math.log2(n),
    "N": lambda n: float(n),
    "N_LOG_N": lambda n: n * math.log2(n),
    "N_2": lambda n: float(n * n),
}
WORDS = {"CONSTANT": "constant", "LOG_N": "log n", "N": "n", "N_LOG_N": "n log n", "N_2": "n²"}
LAW = re.compile(r"^LAW\((\w+), (\w+), ([\w, ]+)\)", re.MULTILINE)


def read():
    """{(event, dimension): {unit: {policy: growth}}} in the order of the file."""
    with open(os.path.join(HERE, "laws.def"), encoding="utf-8") as file:
        found = LAW.findall(file.read())
    laws = {}
    for event, dimension, growths in found:
        growths = growths.split(", ")
        laws[event, dimension] = {unit: dict(zip(POLICIES, growths[i:i + len(POLICIES)]))
                                  for unit, i in zip(UNITS, (0, len(POLICIES)))}
    return laws


def holds(growth, costs, slack):
    """True if costs, a list of three pairs (size, cost), grow within the law. slack: a number of
    units, and a share of the smallest cost."""
    law = GROWTHS[growth]
    sizes, values = zip(*costs)
    free = max(slack[0], slack[1] * values[0])
    if any(value > TOLERANCE * values[0] * law(size) / law(sizes[0]) + free
           for size, value in costs):
        return False
    first = max(values[1] - values[0], 0)
    by_law = [law(sizes[i + 1]) - law(sizes[i]) for i in (0, 1)]
    if by_law[0] == 0:
        return values[2] - values[0] <= free
    return values[2] - values[1] <= INCREASE_TOLERANCE * first * by_law[1] / by_law[0] + free


def least(costs, slack):
    """The slowest growth that the costs are within, WORSE if there is none."""
    return next((growth for growth in GROWTHS if holds(growth, costs, slack)), "WORSE")
