/*
 * openb_bound.h -- how much of the openb cluster must stay unallocated with any scheduler: a lower
 * bound on the figure of openb_replay.h at 100 %, for the same arrivals.
 *
 * The bound holds even for a scheduler that knows all arrivals in advance, moves tasks, and leaves
 * out any tasks. There are two bounds; the second is at least as good as the first:
 *
 *   totals  The devices of each model are one heap of GPUs, and their nodes are one heap of cpu. A
 *           task takes from the heaps of one model that it may use. If the arrivals ask for more
 *           of a model, or for more cpu, than there is, the tasks cannot fill the cluster.
 *   pieces  In addition, shares do not add up freely: two tasks of 600 never share a device, and
 *           what a task of 810 leaves is lost if few tasks ask for 190 or less. For a size e, a
 *           share above 1000 - e counts as a whole device, and a share below e counts as nothing.
 *           A device never holds more than 1000 when shares are counted this way (a dual feasible
 *           function, Fekete and Schepers 2001).
 */
#ifndef LSCHED_CLI_OPENB_BOUND_H
#define LSCHED_CLI_OPENB_BOUND_H

#include "cli/replay/openb_replay.h"

struct openb_bound {
    double totals_percent, pieces_percent; /* percent of all GPUs */
};

void openb_bound_of(const struct replay *replay, uint64_t seed, struct openb_bound *out);

#endif
