/*
 * user_queue.h -- user queues: sub-queues for the users and groups of a queue, made when a job
 * needs one and removed when none is needed.
 *
 * The children of a queue with PER_GROUP are "queue/@group", those of a queue with PER_USER are
 * "queue/user". A queue with both flags has children "queue/@group", which have children
 * "queue/@group/user". User queues are queues like all others. Therefore shares, limits, orders
 * and reports need not know about users. They have no quota, weight 1, no creation time
 * (therefore ties are decided by name), and the limits in their parent's template. The name "-"
 * means no user or no group.
 *
 * Invariant: a queue with PER_USER or PER_GROUP has no jobs of its own, and all its children are
 * user queues. A user queue without jobs stays until the next refresh (user_queues_sweep), or
 * until its decayed use is less than a millionth of the cluster's capacity, or as long as it has an
 * allowance, which counts what it used. Therefore the number of user queues is bounded by the
 * number of recently active users and of users with an allowance. Why not make and remove a
 * user queue with each job: the queue tree would change often, and each change invalidates
 * caches.
 */
#ifndef LIBSCHED_USER_QUEUE_H
#define LIBSCHED_USER_QUEUE_H

#include <libsched/algorithm.h>

#include "model/queues/queue.h"

#define QUEUE_IS_OF_USER ((uint32_t)LSCHED_QUEUE_IS_USER | LSCHED_QUEUE_IS_GROUP)
#define QUEUE_DIVIDES    ((uint32_t)LSCHED_QUEUE_PER_USER | LSCHED_QUEUE_PER_GROUP)

static inline int queue_is_of_user(const struct columns *k, uint32_t queue) {
    return (k->c[C_QUEUE_FLAGS].u8[queue] & QUEUE_IS_OF_USER) != 0;
}
/* Returns the queue to which the jobs of a user queue were submitted; for a queue that is no user
 * queue, returns that queue. */
static inline uint32_t queue_real(const struct columns *k, uint32_t queue) {
    while (queue_is_of_user(k, queue)) queue = k->c[C_QUEUE_PARENT].u32[queue];
    return queue;
}
/* True if a and b are the same queue, or if the jobs of both were submitted to the same queue. */
static inline int queue_same_real(const struct columns *k, uint32_t a, uint32_t b) {
    return queue_real(k, a) == queue_real(k, b);
}
static inline int queue_divides(const struct columns *k, uint32_t queue) {
    return (k->c[C_QUEUE_FLAGS].u8[queue] & QUEUE_DIVIDES) != 0;
}
/* Returns the number of levels of user queues that a queue with these flags has below it. */
static inline uint32_t queue_levels_below(uint32_t flags) {
    return (flags & LSCHED_QUEUE_PER_USER ? 1u : 0u) + (flags & LSCHED_QUEUE_PER_GROUP ? 1u : 0u);
}

/* Sets *row to the user queue for the user or group, one level below `parent`, and makes the user
 * queue if it does not exist. `parent` must be a queue that has user queues. Returns
 * LSCHED_E_EXISTS if another queue has the name, LSCHED_E_INVAL if the name would be too long, or
 * LSCHED_E_NOMEM. */
int32_t user_queue_get(struct columns *k, uint32_t parent, lsched_text user, lsched_text group,
                       uint32_t *row);

#endif
