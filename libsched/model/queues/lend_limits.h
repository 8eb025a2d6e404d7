/*
 * lend_limits.h -- lend limits: what queues hold back of the quota that they do not use.
 *
 * HOLD of a queue and kind is the larger of max(0, RIGHT - used - lend limit) and the sum of its
 * children's (BELOW, 128 bits): a parent's own rule counts for the whole below it. What a job must
 * leave idle is the sum over the siblings of its queue and of each queue above: what its own path
 * holds is there for it (engine/queues/lending.h).
 *
 * RIGHT is the guarantee as of the latest cycle, scaled so that all together is no more than there
 * is. The quota itself would not do: quotas may add up to more, and then idle queues would keep
 * each other out of all of it.
 *
 * Kept by difference along the path of whatever changes, so asking costs O(depth x kinds).
 * Invariant: holds are zero while no queue has a finite lend limit (M_LENDERS); then all this costs
 * one load.
 */
#ifndef LIBSCHED_LEND_LIMITS_H
#define LIBSCHED_LEND_LIMITS_H

#include "base/wide.h"
#include "model/store/columns.h"

/* USED, RIGHT or LEND of the queue and perhaps of queues above it changed. */
void holds_update(struct columns *k, uint32_t queue);
/* So many finite lend limits more: begins or ends the count of what all roots use. */
void holds_lenders(struct columns *k, int32_t more);
static inline int holds_any(const struct columns *k) {
    return meta(k, M_LENDERS) != 0;
}
/* What siblings of a queue hold of a kind; and who of them holds most, NO_ROW if nobody. */
wide_u128 holds_beside(const struct columns *k, uint32_t queue, uint32_t kind);
uint32_t holds_owner(const struct columns *k, uint32_t queue, uint32_t kind);

#endif
