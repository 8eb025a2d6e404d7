/*
 * plan.h -- the plan: the result of one cycle, an immutable copy that needs nothing of the
 * cluster. A plan keeps its own copy of the allocator's hooks, therefore it can outlive the
 * cluster, and its bytes are counted separately from the cluster's.
 */
#ifndef LIBSCHED_PLAN_H
#define LIBSCHED_PLAN_H

#include "engine/state/cycle_state.h"
#include "engine/verify/verify.h"

struct lsched_plan {
    struct alloc alloc;
    lsched_plan_info info;
    lsched_decision *decisions;
    lsched_waiting *waiting;
    lsched_plan_advice_record *advice;
    lsched_id *withdrawn;
    /* withdrawn_in[i]: decision group and queue of withdrawn[i] */
    struct verify_withdrawn *withdrawn_in;
    size_t n_decisions, n_waiting, n_advice, n_withdrawn;
    uint32_t cap_advice;
    char policy_error[LSCHED_MESSAGE_BYTES];
    struct policy_log_copy log;
};

/* Copies what the cycle decided into a new plan, which the caller frees with plan_free.
 * all_waiting: the plan has every parked bundle and refused job; otherwise only those of this
 * cycle. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t plan_build(struct lsched_cycle *y, int all_waiting, struct lsched_plan **out);
int32_t plan_add_advice(struct lsched_plan *p, const struct columns *k, const char *algorithm,
                        const lsched_advice *advice);

/* plan_waiting.c */
int32_t plan_add_waiting(struct lsched_cycle *y, int all, struct lsched_plan *p);
uint64_t waiting_hash(const struct columns *k, uint64_t h, const lsched_waiting *w);
/* True if the policy's pipeline has an action that places tasks, if the policy has no pipeline, or
 * if a hook can name any action. */
int pipeline_places(const struct policy *policy);
/* Fills the record of why a job waits in the present state. The code is LSCHED_WAIT_NONE if the
 * job has all that it wants, or is in line to be tried. */
void waiting_of_job(const struct columns *k, uint32_t job, lsched_waiting *w);
/* Returns the number of tasks with a nomination. */
uint32_t job_nominated(const struct columns *k, uint32_t job);

/* Verifies the plan against the state right after its cycle. verify_state checks the state
 * itself. */
int32_t plan_verify(const struct lsched_cluster *c, const struct lsched_plan *p, lsched_error *err);

/* Frees the plan; NULL is allowed. */
void plan_free(struct lsched_plan *p);

#endif
