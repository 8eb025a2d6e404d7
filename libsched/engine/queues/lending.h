/*
 * lending.h -- may a job take room that is idle, or is it quota that its owner does not lend?
 *
 * After a placement there must be left idle, of the capacity of ready nodes, what the siblings of
 * the job's queue and of each queue above hold back (model/queues/lend_limits.h). A share that
 * knows no guarantees lends everything.
 *
 * Costs one load while no queue has a finite lend limit, else O(depth x kinds asked), and O(queues
 * x kinds) at the begin of a cycle.
 */
#ifndef LIBSCHED_LENDING_H
#define LIBSCHED_LENDING_H

#include "engine/state/cycle_state.h"

/* n tasks more of a leaf group; 0 with y->why filled (LSCHED_WAIT_LENDING: who holds most, what the
 * tasks need, what is left for them). */
int lending_allows(lsched_cycle *y, uint32_t job, uint32_t group, int64_t gpu, int64_t n);
/* After the share's begin: guarantees as they are now, scaled to what there is. LSCHED_E_NOMEM. */
int32_t lending_begin(lsched_cycle *y);

#endif
