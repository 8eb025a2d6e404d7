/*
 * user_queue.h -- sub-queues of a queue's users and groups, made when a job needs one and gone when
 * nobody does.
 *
 * A queue with PER_GROUP has children "queue/@group", one with PER_USER "queue/user", one with both
 * "queue/@group/user". They are queues like all others (so shares, limits, orders and reports know
 * nothing of users), but with no quota, weight 1, no creation time (so ties go by name), and with
 * limits that follow from their parent's template. "-" stands for no user or no group.
 *
 * Invariant: a queue with PER_USER or PER_GROUP has no jobs of its own, and children of these two
 * kinds only. An empty one stays until the next refresh (user_queues_sweep), and longer while a
 * millionth of the cluster's use is remembered of it: so their number is bounded by who was active
 * lately.
 * Why not made and unmade with the job: each would change the structure, which caches and policies
 * look at.
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
static inline int queue_divides(const struct columns *k, uint32_t queue) {
    return (k->c[C_QUEUE_FLAGS].u8[queue] & QUEUE_DIVIDES) != 0;
}
/* Levels of sub-queues that the flags make. */
static inline uint32_t queue_levels_below(uint32_t flags) {
    return (flags & LSCHED_QUEUE_PER_USER ? 1u : 0u) + (flags & LSCHED_QUEUE_PER_GROUP ? 1u : 0u);
}

/* The sub-queue of one level below a queue that divides, made if there is none. LSCHED_E_EXISTS if
 * another queue has its name, LSCHED_E_INVAL if the name would be too long, LSCHED_E_NOMEM. */
int32_t user_queue_get(struct columns *k, uint32_t parent, lsched_text user, lsched_text group,
                       uint32_t *row);

#endif
