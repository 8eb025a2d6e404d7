/*
 * lending.h -- checks whether idle room is free for a job, or is quota that its owner does not
 * lend.
 *
 * After a placement, the idle capacity of ready nodes must still cover what the siblings of the
 * job's queue, and of each queue above, withhold (model/queues/lend_limits.h). A share algorithm
 * without guarantees lends everything.
 *
 * Cost: one load while no queue has a finite lend limit, else O(depth x requested kinds), and
 * O(queues x kinds) at the start of a cycle.
 */
#ifndef LIBSCHED_LENDING_H
#define LIBSCHED_LENDING_H

#include "engine/state/cycle_state.h"

/* Returns 1 if n more tasks of a leaf group can start; else 0 with y->why filled
 * (LSCHED_WAIT_LENDING: the queue that withholds most, the amount that the tasks need, the amount
 * that is left for them). */
int lending_allows(lsched_cycle *y, uint32_t job, uint32_t group, int64_t gpu, int64_t n);
/* Called after the share algorithm's begin: computes the guarantees in force, scaled to the
 * capacity of ready nodes. Error: LSCHED_E_NOMEM. */
int32_t lending_begin(lsched_cycle *y);

#endif
