/*
 * verify.h -- the independent verifier: whether the state obeys the model, and whether a plan
 * agrees with the state.
 *
 * The verifier recomputes everything from first principles - what tasks hold, what is free, which
 * queues exceed which limit, which gangs have their minimum - from the columns and the canonical
 * bytes of shapes alone. The verifier shares no code with the allocator: the verifier calls no
 * function that places, fits, charges or counts, so a mistake in such a function cannot hide
 * itself here. The verifier does not trust links between rows either: columns_check runs first.
 * Therefore every image that image_load accepted can be verified.
 *
 * Errors are LSCHED_E_VERIFY with a message that names the object and both numbers, or
 * LSCHED_E_NOMEM for its scratch space. Cost: O(state) time, and a few words of scratch space per
 * row. The verifier changes nothing.
 */
#ifndef LIBSCHED_VERIFY_H
#define LIBSCHED_VERIFY_H

#include "model/store/columns.h"

int32_t verify_state(const struct columns *k, lsched_error *err);

/* Which guarantees protect the work of a victim's queue from reclaim: none (NONE), those of every
 * queue from the victim's queue up to below the common ancestor (PATH), or that of the topmost of
 * these queues alone (DIVERGENCE). */
enum { VERIFY_PROTECT_NONE = 0, VERIFY_PROTECT_PATH = 1, VERIFY_PROTECT_DIVERGENCE = 2 };

/* A decision that the cycle withdrew. `group` is the number of the last decision group that the
 * cycle had begun when it withdrew the decision. `queue` is the queue whose use the withdrawal
 * changed. A list of these entries is sorted by `group`. */
struct verify_withdrawn {
    uint64_t group;
    uint32_t queue; /* row of the queue */
};

/* The conditions under which a plan was made. */
struct verify_under {
    uint32_t protection;
    const struct verify_withdrawn *withdrawn;
    size_t n_withdrawn;
};

/* Checks n decisions, which lie elem bytes apart, against the state right after the cycle that
 * made them. Each decision names live objects and agrees with them, no decision is given twice,
 * each was made within limits and room, and each eviction was needed and allowed. verify_state
 * checks the state itself. A plan does not say what a queue held before a decision on one of its
 * tasks was withdrawn. Therefore such a queue is checked only for the decision groups after the
 * withdrawal. */
int32_t verify_plan_under(const struct columns *k, const struct verify_under *under,
                          const lsched_decision *decisions, size_t n, size_t elem,
                          lsched_error *err);
/* Makes the same check for a cycle that protects no guarantees and withdrew no decision. */
static inline int32_t verify_plan(const struct columns *k, const lsched_decision *decisions,
                                  size_t n, size_t elem, lsched_error *err) {
    const struct verify_under nobody = {VERIFY_PROTECT_NONE, NULL, 0};
    return verify_plan_under(k, &nobody, decisions, n, elem, err);
}

#endif
