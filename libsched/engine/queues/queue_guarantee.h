/*
 * queue_guarantee.h -- the guarantee of a queue in the current cycle, computed by the policy's
 * share algorithm.
 *
 * Lending, the guarantee reserve and the rules of queues all use this file; it calls none of them.
 */
#ifndef LIBSCHED_QUEUE_GUARANTEE_H
#define LIBSCHED_QUEUE_GUARANTEE_H

#include "engine/state/cycle_state.h"

/* True if the policy's share algorithm knows guarantees and fair shares. */
int queue_has_guarantees(const lsched_cycle *y);
/* Returns the guarantee of the queue by the policy's share algorithm; 0 if it knows none. */
int64_t queue_guarantee(const lsched_cycle *y, uint32_t queue, uint32_t kind);

#endif
