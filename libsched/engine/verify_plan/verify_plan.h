/*
 * verify_plan.h -- checks a plan against the state after the plan. Each decision must agree with
 * the objects that it names, no decision must occur twice, and every placement must have been
 * allowed.
 */
#ifndef LIBSCHED_VERIFY_PLAN_H
#define LIBSCHED_VERIFY_PLAN_H

#include "model/store/columns.h"

/* The guarantees that protect a victim from reclaim:
 *   NONE        no guarantee
 *   PATH        those of all queues from the victim's queue up to below the common ancestor
 *   DIVERGENCE  only that of the queue directly below the common ancestor */
enum { VERIFY_PROTECT_NONE = 0, VERIFY_PROTECT_PATH = 1, VERIFY_PROTECT_DIVERGENCE = 2 };

/* A decision that the cycle withdrew. In a list of such entries, the entries are sorted by
 * `group`. */
struct verify_withdrawn {
    /* number of the last decision group that the cycle had begun when it withdrew the decision */
    uint64_t group;
    /* row of the queue whose use the withdrawal changed */
    uint32_t queue;
};

/* Conditions of the cycle that made the plan, which the check needs. */
struct verify_under {
    uint32_t protection;
    const struct verify_withdrawn *withdrawn;
    size_t n_withdrawn;
};

/* Checks the n decisions of a plan against the state right after the cycle. Two neighbouring
 * decisions are `elem` bytes apart in memory. Each decision must name live objects and agree with
 * them. No decision must occur twice. Each placement must be within limits and free room, and each
 * eviction must be needed and allowed. verify_state checks the state itself.
 *
 * A plan does not say how much a queue used before a decision about one of its tasks was withdrawn.
 * Therefore the use of such a queue is checked only for the decision groups after the withdrawal.
 * Returns LSCHED_OK, LSCHED_E_VERIFY or LSCHED_E_NOMEM. */
int32_t verify_plan_under(const struct columns *k, const struct verify_under *under,
                          const lsched_decision *decisions, size_t n, size_t elem,
                          lsched_error *err);
/* Calls verify_plan_under for a cycle that protects no guarantees and that withdrew no decision. */
static inline int32_t verify_plan(const struct columns *k, const lsched_decision *decisions,
                                  size_t n, size_t elem, lsched_error *err) {
    const struct verify_under nobody = {VERIFY_PROTECT_NONE, NULL, 0};
    return verify_plan_under(k, &nobody, decisions, n, elem, err);
}

#endif
