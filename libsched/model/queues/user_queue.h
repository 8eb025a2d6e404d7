/*
 * user_queue.h -- user queues: sub-queues for the users and groups of a queue, made when a job
 * needs one and removed when none is needed.
 *
 * A queue with PER_GROUP has children "queue/@group", a queue with PER_USER "queue/user", a queue
 * with both "queue/@group/user". User queues are queues like all others, so shares, limits,
 * orders and reports need not know of users. They have no quota, weight 1, no creation time (so
 * ties are decided by name), and limits that follow from their parent's template. "-" stands for
 * no user or no group.
 *
 * Invariant: a queue with PER_USER or PER_GROUP has no jobs of its own, and only user queues as
 * children. An empty user queue stays until the next refresh (user_queues_sweep), and longer
 * while its decayed use is at least a millionth of the cluster's. Their number is therefore
 * bounded by the users who were active lately. Why not made and removed with each job: each
 * change would change the structure, which caches and policies look at.
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
/* Returns how many levels of user queues the flags make. */
static inline uint32_t queue_levels_below(uint32_t flags) {
    return (flags & LSCHED_QUEUE_PER_USER ? 1u : 0u) + (flags & LSCHED_QUEUE_PER_GROUP ? 1u : 0u);
}

/* Returns in *row the user queue one level below a queue that has user queues, and makes it if
 * there is none. LSCHED_E_EXISTS if another queue has the name, LSCHED_E_INVAL if the name would
 * be too long, LSCHED_E_NOMEM. */
int32_t user_queue_get(struct columns *k, uint32_t parent, lsched_text user, lsched_text group,
                       uint32_t *row);

#endif
