/*
 * verify.h -- the independent verifier: is the state what the model says, and is a plan what the
 * state says.
 *
 * It recomputes everything from first principles - what tasks hold, what is free, who is over which
 * limit, which gangs stand - by reading columns and canonical bytes alone. It shares no code with
 * the allocator: no function that places, fits, charges or counts is called, so a mistake there
 * cannot hide itself here. It believes no link either (columns_check comes first), so it may be
 * asked about any bytes that image_load took.
 *
 * Errors are LSCHED_E_VERIFY with a message that names the object and both numbers, or
 * LSCHED_E_NOMEM for its scratch space.
 * Cost O(state), a few words per row. Nothing is changed.
 */
#ifndef LIBSCHED_VERIFY_H
#define LIBSCHED_VERIFY_H

#include "model/store/columns.h"

int32_t verify_state(const struct columns *k, lsched_error *err);

/* What keeps a queue's work from being reclaimed: nothing, or its guarantee, at every queue below
 * the common one or at the topmost of these alone. */
enum { VERIFY_PROTECT_NONE = 0, VERIFY_PROTECT_PATH = 1, VERIFY_PROTECT_DIVERGENCE = 2 };

/* An earlier decision that the cycle withdrew: in the transaction of this group or after it, in no
 * later one; and the queue that held less or more from then on. In the order of the groups. */
struct verify_withdrawn {
    uint64_t group;
    uint32_t queue; /* row */
};

/* What a plan was made under. */
struct verify_under {
    uint32_t protection;
    const struct verify_withdrawn *withdrawn;
    size_t n_withdrawn;
};

/* n decisions, elem bytes apart, against the state right after the cycle that made them: they
 * name live objects and agree with them, none is given twice, each was made within limits and
 * room, and nobody was stopped without need or right. The state itself is verify_state's.
 * What a queue held before something of it was withdrawn is not in the plan: it is not asked of
 * groups up to that one, of all later ones it is. */
int32_t verify_plan_under(const struct columns *k, const struct verify_under *under,
                          const lsched_decision *decisions, size_t n, size_t elem,
                          lsched_error *err);
/* The same where nobody has guarantees. */
static inline int32_t verify_plan(const struct columns *k, const lsched_decision *decisions,
                                  size_t n, size_t elem, lsched_error *err) {
    const struct verify_under nobody = {VERIFY_PROTECT_NONE, NULL, 0};
    return verify_plan_under(k, &nobody, decisions, n, elem, err);
}

#endif
