/*
 * lend_limits.h -- lend limits: the amounts of their unused guarantees that queues do not lend.
 *
 * HOLD of a queue and kind is the amount that the queue does not lend. HOLD is the larger of two
 * amounts: max(0, RIGHT - USED - lend limit), and the sum of HOLD over the queue's children
 * (BELOW, 128 bits). Therefore the lend limit of a parent counts for all queues below it. A job
 * must leave an amount idle: the sum of HOLD over the siblings of its queue, and over the
 * siblings of each queue above. HOLD of the job's queue and of the queues above it is available
 * to the job (engine/queues/lending.h).
 *
 * RIGHT is the guarantee of a queue at the latest cycle, scaled so that all guarantees together
 * do not exceed the capacity. Why not the quota: quotas can sum to more than the capacity, and
 * then idle queues would keep the whole capacity from each other.
 *
 * A queue whose HOLD ends is one that gave (queue_gave): the jobs that wait for lending are tried
 * again. As long as something is held, what a job may have does not grow when the owner uses more
 * of its guarantee, because less is idle then; but if nothing is held any more, lending asks
 * nothing.
 *
 * When a queue changes, HOLD of the queue and of each queue above it is updated by the
 * difference. Therefore a query costs O(depth x kinds). Invariant: while no queue has a finite
 * lend limit (M_LENDERS is 0), HOLD is zero, and queries and updates cost one memory read.
 */
#ifndef LIBSCHED_LEND_LIMITS_H
#define LIBSCHED_LEND_LIMITS_H

#include "base/wide.h"
#include "model/store/columns.h"

/* Updates HOLD of the queue and of all queues above it. Must be called after USED, RIGHT or LEND
 * of the queue, or of it and queues above it, changed. */
void lend_limits_update(struct columns *k, uint32_t queue);
/* Adds `more` to the number of finite lend limits. M_ROOTS_USED, the use of all root queues, is
 * computed when the first lend limit is set, and is 0 when there is none. */
void lend_limits_lenders(struct columns *k, int32_t more);
static inline int lend_limits_any(const struct columns *k) {
    return meta(k, M_LENDERS) != 0;
}
/* lend_limits_beside() returns the sum of HOLD over the siblings of a queue for a kind.
 * lend_limits_owner() returns the sibling with the largest HOLD, NO_ROW if HOLD of all siblings
 * is 0. */
wide_u128 lend_limits_beside(const struct columns *k, uint32_t queue, uint32_t kind);
uint32_t lend_limits_owner(const struct columns *k, uint32_t queue, uint32_t kind);

#endif
