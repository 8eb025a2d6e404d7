/*
 * lend_limits.h -- lend limits: how much of their unused quota queues do not lend.
 *
 * HOLD of a queue and kind is the larger of two amounts: max(0, RIGHT - used - lend limit), and
 * the sum of HOLD over its children (BELOW, 128 bits). A parent's own limit thus counts for all
 * queues below it. The amount that a job must leave idle is the sum of HOLD over the siblings of
 * its queue and of each queue above. What the queues of its own path hold is available to the job
 * (engine/queues/lending.h).
 *
 * RIGHT is the guarantee as of the latest cycle, scaled so that all guarantees together do not
 * exceed the capacity. The quota itself is not used: quotas can sum to more than the capacity,
 * and then idle queues would keep each other out of all of it.
 *
 * HOLD is updated by differences along the path from the changed queue to its root, so a query
 * costs O(depth x kinds). Invariant: HOLD is zero while no queue has a finite lend limit
 * (M_LENDERS); then all this costs one load.
 */
#ifndef LIBSCHED_LEND_LIMITS_H
#define LIBSCHED_LEND_LIMITS_H

#include "base/wide.h"
#include "model/store/columns.h"

/* Updates HOLD after USED, RIGHT or LEND of the queue, and perhaps of queues above it,
 * changed. */
void lend_limits_update(struct columns *k, uint32_t queue);
/* Adds `more` to the number of finite lend limits. The count of what all root queues use begins
 * with the first one and ends with the last. */
void lend_limits_lenders(struct columns *k, int32_t more);
static inline int lend_limits_any(const struct columns *k) {
    return meta(k, M_LENDERS) != 0;
}
/* lend_limits_beside() returns the sum of HOLD over the siblings of a queue for a kind.
 * lend_limits_owner() returns the sibling that holds most, NO_ROW if none holds anything. */
wide_u128 lend_limits_beside(const struct columns *k, uint32_t queue, uint32_t kind);
uint32_t lend_limits_owner(const struct columns *k, uint32_t queue, uint32_t kind);

#endif
