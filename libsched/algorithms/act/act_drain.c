/*
 * act_drain.c -- the action "drain": takes tasks off nodes that drain, or that have a taint which
 * the tasks do not tolerate. Tasks that find a new place move; the others are evicted.
 *
 * For each job, the action first stops only the tasks on these nodes. If all of them find new
 * places, the job is finished. Otherwise the action also stops those tasks of the job that cannot
 * run without them, and moves as many as possible. The action chooses nothing: the engine says
 * which tasks must go, and how many tasks one cycle can stop.
 */
#include "algorithms/support/replace_victims.h"

static int32_t drain_job(struct gang *g, uint32_t job) {
    for (uint32_t whole = 0; whole < 2; whole++) {
        int32_t rc = g->act->drain_job(g->cycle, job, whole);
        if (rc < 0) return rc;
        if (rc == 0) continue;
        rc = replace_victims(g);
        if (rc < 0) return rc;
        if (rc == 1 || whole) return g->act->keep_drained(g->cycle);
    }
    return 0;
}

static int32_t drain_run(void *self, const lsched_act *act, lsched_cycle *cycle) {
    struct gang g = {act, cycle, self, LSCHED_NO_ROW, NULL, 0, gang_seat_free};
    uint32_t job;
    int32_t rc = act->drain_begin(cycle);
    if (rc != 1) return rc;
    while ((rc = act->next_drained(cycle, &job)) == 1) {
        rc = drain_job(&g, job);
        if (rc < 0) return rc;
    }
    return rc < 0 ? rc : act->drain_end(cycle);
}

static int32_t drain_create(const lsched_algorithm_env *env, void **self, lsched_error *err) {
    (void)err;
    *self = env->alloc(env->engine, sizeof(struct gang_memory));
    return *self ? LSCHED_OK : LSCHED_E_NOMEM;
}

static void drain_destroy(const lsched_algorithm_env *env, void *self) {
    env->free(env->engine, self, sizeof(struct gang_memory));
}

static const lsched_act_ops drain_ops = {sizeof(lsched_act_ops), 0, drain_run};

extern const lsched_algorithm act_drain;
const lsched_algorithm act_drain = {.size = sizeof(lsched_algorithm),
                                    .api = LSCHED_ALGORITHM_API,
                                    .role = LSCHED_ROLE_ACT,
                                    .name = "drain",
                                    .create = drain_create,
                                    .destroy = drain_destroy,
                                    .act = &drain_ops};
