/*
 * queue_guarantee.h -- what a queue is guaranteed now: the policy's share is asked, so the answer
 * holds for one cycle. Lending, the reserve for guarantees and the rules of queues all ask here;
 * the file calls none of them.
 */
#ifndef LIBSCHED_QUEUE_GUARANTEE_H
#define LIBSCHED_QUEUE_GUARANTEE_H

#include "engine/state/cycle_state.h"

/* True if the policy's share knows guarantees and fair shares. */
int queue_has_guarantees(const lsched_cycle *y);
/* The effective guarantee by the policy's share; 0 if that knows none. */
int64_t queue_guarantee(const lsched_cycle *y, uint32_t queue, uint32_t kind);

#endif
