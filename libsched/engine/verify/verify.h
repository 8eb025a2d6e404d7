/*
 * verify.h -- the independent verifier: whether the state obeys the model, and whether a plan
 * agrees with the state.
 *
 * The verifier recomputes everything from first principles - what tasks hold, what is free, which
 * queues exceed which limit, which gangs have their minimum - by reading columns and canonical
 * bytes alone. It shares no code with the allocator: the verifier calls no function that places,
 * fits, charges or counts, so a mistake in such a function cannot hide itself here. It trusts no
 * link either (columns_check comes first), so it may be given any bytes that image_load took.
 *
 * Errors are LSCHED_E_VERIFY with a message that names the object and both numbers, or
 * LSCHED_E_NOMEM for its scratch space. Cost O(state), a few words per row. Nothing is changed.
 */
#ifndef LIBSCHED_VERIFY_H
#define LIBSCHED_VERIFY_H

#include "model/store/columns.h"

int32_t verify_state(const struct columns *k, lsched_error *err);

/* What protects a queue's work from reclaim: nothing, or the guarantees, either of every queue
 * below the common ancestor or of the topmost of these alone. */
enum { VERIFY_PROTECT_NONE = 0, VERIFY_PROTECT_PATH = 1, VERIFY_PROTECT_DIVERGENCE = 2 };

/* An earlier decision that the cycle withdrew, in the transaction of this group or between it and
 * the next; and the queue that held less or more from then on. A list is in the order of the
 * groups. */
struct verify_withdrawn {
    uint64_t group;
    uint32_t queue; /* row */
};

/* The conditions under which a plan was made. */
struct verify_under {
    uint32_t protection;
    const struct verify_withdrawn *withdrawn;
    size_t n_withdrawn;
};

/* Checks n decisions, elem bytes apart, against the state right after the cycle that made them:
 * decisions name live objects and agree with them, none is given twice, each was made within limits
 * and room, and no task was stopped without need or right. The state itself is checked by
 * verify_state. A plan does not say what a queue held before one of its decisions was withdrawn: so
 * the queue is checked only for groups after the withdrawal. */
int32_t verify_plan_under(const struct columns *k, const struct verify_under *under,
                          const lsched_decision *decisions, size_t n, size_t elem,
                          lsched_error *err);
/* The same check for a cycle without guarantees. */
static inline int32_t verify_plan(const struct columns *k, const lsched_decision *decisions,
                                  size_t n, size_t elem, lsched_error *err) {
    const struct verify_under nobody = {VERIFY_PROTECT_NONE, NULL, 0};
    return verify_plan_under(k, &nobody, decisions, n, elem, err);
}

#endif
