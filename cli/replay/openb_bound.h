/*
 * openb_bound.h -- what of the openb cluster must stay unallocated, whoever places: a lower bound
 * on the figure of openb_replay.h at 100 %, for the same arrivals.
 *
 * It holds for any scheduler, also one that knows all arrivals in advance, moves tasks about, and
 * leaves out those that it pleases. Two bounds, the second at least as good as the first:
 *
 *   totals  the devices of each model are one heap of GPUs, and the nodes that have them one heap
 *           of cpu; a task takes from the heaps of one model that it may use. Lists that ask for
 *           more of a model, or for more cpu, than there is cannot fill it.
 *   pieces  also, shares do not add up at will: two tasks of 600 never share a device, and what a
 *           task of 810 leaves is lost when few ask for 190 or less. For a size e a share above
 *           1000 - e counts as a whole device, one below e as nothing; a device never holds more
 *           than 1000 counted like that (a dual feasible function, Fekete and Schepers 2001).
 */
#ifndef LSCHED_CLI_OPENB_BOUND_H
#define LSCHED_CLI_OPENB_BOUND_H

#include "cli/replay/openb_replay.h"

struct openb_bound {
    double totals_percent, pieces_percent; /* of all GPUs */
};

void openb_bound_of(const struct replay *replay, uint64_t seed, struct openb_bound *out);

#endif
