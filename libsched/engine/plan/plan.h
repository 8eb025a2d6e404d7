/*
 * plan.h -- the plan: the result of one cycle. A plan never changes and refers to no data of the
 * cluster. It has its own copy of the allocator's hooks and can therefore outlive the cluster. Its
 * bytes are counted separately from the cluster's bytes.
 */
#ifndef LIBSCHED_PLAN_H
#define LIBSCHED_PLAN_H

#include "engine/plan/plan_origin.h"
#include "engine/state/cycle_state.h"
#include "engine/verify/verify.h"
#include "engine/verify_plan/verify_plan.h"

struct lsched_plan {
    struct alloc alloc;
    lsched_plan_info info;
    lsched_decision *decisions;
    lsched_waiting *waiting;
    lsched_plan_advice_record *advice;
    lsched_id *withdrawn;
    /* for each id in `withdrawn`, the decision group after which the cycle withdrew the decision,
     * and the queue */
    struct verify_withdrawn *withdrawn_in;
    size_t n_decisions, n_waiting, n_advice, n_withdrawn;
    uint32_t cap_advice;
    uint64_t id_salt; /* by which the ids of the plan differ from those in columns; 0: not at all */
    char policy_error[LSCHED_MESSAGE_BYTES];
    struct policy_log_copy log;
    struct plan_origin origin;
    /* of a plan that lsched_adopt() made: what became of the groups and of the decisions of the
     * clone's plan; `taken` is set in the clone's plan */
    struct {
        lsched_adopted_group *groups;
        lsched_id *ids;
        size_t n_groups, n_ids;
    } adopted;
    uint32_t taken;
};

/* Copies an open decision to a record of the public API. */
void plan_decision_copy(const struct columns *k, uint32_t d, lsched_decision *out);
/* Makes a plan with copies of the cycle's decisions. The caller frees the plan with plan_free. If
 * `all_waiting` is 1, the plan has the wait reasons of all waiting jobs. If it is 0, the plan has
 * the wait reasons of the bundles that this cycle tried, and of the jobs that the policy did not
 * admit. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t plan_build(struct lsched_cycle *cy, int all_waiting, struct lsched_plan **out);
int32_t plan_add_advice(struct lsched_plan *p, const struct columns *k, const char *algorithm,
                        const lsched_advice *advice);

/* Checks the plan against the state right after its cycle. This state is not checked itself;
 * verify_state does that. Returns LSCHED_OK, or an error of verify_plan_under with its message in
 * *err. */
int32_t plan_verify(const struct lsched_cluster *c, const struct lsched_plan *p, lsched_error *err);

/* Turns all ids of the plan into ids of the API, or back (id_outside). */
void plan_turn_ids(struct lsched_plan *p, const struct columns *k);
/* Do the same for one decision, and for one record of a waiting job. */
void plan_turn_decision(lsched_decision *d, const struct columns *k);
void plan_turn_waiting(lsched_waiting *w, const struct columns *k);

/* Frees the plan. `p` can be NULL. */
void plan_free(struct lsched_plan *p);

#endif
