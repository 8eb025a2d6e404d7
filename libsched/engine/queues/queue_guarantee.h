/*
 * queue_guarantee.h -- the guarantee of a queue in the current cycle, computed by the policy's
 * share algorithm.
 *
 * The files lending.c, guarantee_reserve.c and queue_rules.c use this file. To avoid a circle,
 * this file calls none of them.
 */
#ifndef LIBSCHED_QUEUE_GUARANTEE_H
#define LIBSCHED_QUEUE_GUARANTEE_H

#include "engine/state/cycle_state.h"

/* True if the policy's share algorithm knows guarantees and fair shares. */
int queue_has_guarantees(const lsched_cycle *cy);
/* Returns the guarantee that the policy's share algorithm computes for the queue, in base units of
 * the resource kind; 0 if the share algorithm knows no guarantees. */
int64_t queue_guarantee(const lsched_cycle *cy, uint32_t queue, uint32_t kind);

#endif
