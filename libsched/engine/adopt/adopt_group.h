/*
 * adopt_group.h -- tries one decision group of a clone's plan as a transaction of the cycle.
 *
 * The group is a job with its places, and the work that stops or moves for it. The order of the
 * try is that of the action that made the group: evictions, places of the job, new places of moved
 * tasks. The victims are tried in the order of the plan, and again as long as one more is allowed,
 * because one eviction can make another one legal. The entitlement of the job's side is first
 * tested before each eviction, then on credit (victim_side.h), as in a search for victims.
 */
#ifndef LIBSCHED_ADOPT_GROUP_H
#define LIBSCHED_ADOPT_GROUP_H

#include "engine/adopt/adopt_walk.h"

/* Applies group i. Returns 1 if its transaction is kept, 0 if it is rolled back and the record
 * of the group has the reason, or a negative error code. probe: 1 to roll back in both cases. */
int32_t adopt_group(lsched_cycle *cy, uint32_t i, int probe);
/* Keeps the transaction of the current job without the rules about starts that are put off: the
 * clone has applied these. Returns 1, 0 if the job is below its minimum or would grow by its own
 * evictions (the transaction is then as before), or a negative error code. */
int32_t adopt_group_keep(lsched_cycle *cy, uint32_t job);

#endif
