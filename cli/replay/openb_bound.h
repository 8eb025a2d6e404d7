/*
 * openb_bound.h -- computes how many GPUs of the openb cluster must stay unallocated with any
 * scheduler. The result is a lower bound on the percentage that openb_replay.h measures at 100 %,
 * for the same arrivals.
 *
 * The bound holds even for a scheduler that knows all arrivals in advance, moves tasks, and can
 * leave out any task. There are two bounds; `pieces` is never lower than `totals`:
 *
 *   totals  All GPUs of a model are counted as one amount, and so is all cpu of the nodes with
 *           this model. A task uses GPUs and cpu of one model that it is allowed to use. If the
 *           tasks that arrive ask for more of a model's GPUs or cpu than the cluster has, they
 *           cannot fill the cluster.
 *   pieces  This bound also counts that not all shares of a GPU fit on one device. For example,
 *           two tasks of 600 milli-GPUs never fit on one device, and 190 milli-GPUs beside a task
 *           of 810 stay unused if few tasks ask for 190 or less. For each of several sizes e, a
 *           share above 1000 - e is counted as a whole device, and a share below e as nothing.
 *           The counted shares of the tasks on one device never exceed 1000. Fekete and Schepers
 *           (2001) call such a count a dual feasible function.
 */
#ifndef LSCHED_CLI_OPENB_BOUND_H
#define LSCHED_CLI_OPENB_BOUND_H

#include "cli/replay/openb_replay.h"

struct openb_bound {
    /* lower bounds on the unallocated GPUs, in percent of all GPUs */
    double totals_percent, pieces_percent;
};

void openb_bound_of(const struct replay *replay, uint64_t seed, struct openb_bound *out);

#endif
