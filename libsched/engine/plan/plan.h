/*
 * plan.h -- the result of one cycle: an immutable copy that needs nothing of the cluster. It keeps
 * its own copy of the allocator's hooks, so it may outlive the cluster, and counts its bytes apart
 * from it.
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
    struct verify_withdrawn *withdrawn_in; /* as many */
    size_t n_decisions, n_waiting, n_advice, n_withdrawn;
    uint32_t cap_advice;
    char policy_error[LSCHED_MESSAGE_BYTES];
    struct policy_log_copy log;
};

/* Copy out what the cycle decided; all_waiting: every parked bundle and refused job, else those of
 * this cycle. */
int32_t plan_build(struct lsched_cycle *y, int all_waiting, struct lsched_plan **out);
int32_t plan_add_advice(struct lsched_plan *p, const struct columns *k, const char *algorithm,
                        const lsched_advice *advice);

/* plan_waiting.c */
int32_t plan_add_waiting(struct lsched_cycle *y, int all, struct lsched_plan *p);
uint64_t waiting_hash(const struct columns *k, uint64_t h, const lsched_waiting *w);
/* True if a name of the policy's list of actions is one that gives places; a hook may name any. */
int pipeline_places(const struct policy *policy);
/* The live record of a job, LSCHED_WAIT_NONE if it has all that it wants or stands in line. */
void waiting_of_job(const struct columns *k, uint32_t job, lsched_waiting *w);
uint32_t job_nominated(const struct columns *k, uint32_t job); /* tasks that have a claim */

/* The plan against the state right after its cycle; the state itself is verify_state's. */
int32_t plan_verify(const struct lsched_cluster *c, const struct lsched_plan *p, lsched_error *err);

/* Free the plan; NULL is allowed. */
void plan_free(struct lsched_plan *p);

#endif
