/*
 * lending.h -- checks whether a job can use idle room, or whether other queues do not lend it.
 *
 * A queue with a lend limit withholds a part of its unused guarantee from its sibling queues
 * (model/queues/lend_limits.h). After a placement, the idle capacity of ready nodes must still be
 * at least the sum of the amounts that are withheld from the job. These amounts are withheld by
 * the siblings of the job's queue, and by the siblings of each queue above. If the share algorithm
 * knows no guarantees, nothing is withheld.
 *
 * A job may also take what its own transaction sets free, because then the owner finds as much idle
 * as before. Why not the rule about idle capacity alone: where less is idle than is withheld, a job
 * that takes the place of other work would have to have more work stopped than it needs, or could
 * never start, however much of its guarantee others use.
 *
 * Cost: one memory read while no queue has a finite lend limit. Otherwise O(depth x requested
 * kinds) per check, and O(queues x kinds) at the start of a cycle in which a queue has changed. The
 * results are columns, so a cycle in which no queue has changed keeps them.
 */
#ifndef LIBSCHED_LENDING_H
#define LIBSCHED_LENDING_H

#include "engine/state/cycle_state.h"

/* Returns 1 if lend limits allow n more tasks of the leaf group, each charged `gpu` milli-GPUs.
 * Otherwise returns 0 and fills cy->turn.why: LSCHED_WAIT_LENDING; limiting: the queue that
 * withholds most; need: amount of the tasks; have: amount that is left for them. */
int lending_allows(lsched_cycle *cy, const struct ask *a, int64_t gpu, int64_t n);
/* Does the same check for more[kind] of the queue's running work. */
int lending_allows_more(lsched_cycle *cy, uint32_t queue, const int64_t more[KINDS_MAX]);
/* Stores for each kind how much more the current job's transaction must set free before lend
 * limits allow one more task of the shape, charged `gpu` milli-GPUs, in the queue. Returns 1 if
 * it must set free some, else 0; lack[] is then not always set. */
int lending_lack(const lsched_cycle *cy, uint32_t queue, uint32_t shape, int64_t gpu,
                 int64_t lack[KINDS_MAX]);
/* True if the current job's transaction leaves idle what lend limits withhold from the job, or as
 * much as was idle before it. */
int lending_holds(const lsched_cycle *cy);
/* Called after `begin` of the share algorithm. Computes the guarantee of each queue, scaled so
 * that all guarantees together do not exceed the capacity of ready nodes. Error: LSCHED_E_NOMEM. */
int32_t lending_begin(lsched_cycle *cy);

#endif
