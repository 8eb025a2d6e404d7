/*
 * act_allocate.c -- the action "allocate": places waiting jobs.
 *
 * The action takes the first job of the most deserving queue, then the next one, and so on. A gang
 * is placed at least at its minimum or not at all (gang_walk.h). A job that cannot be placed now is
 * tried on room that comes free later, and nominated there. A job that cannot be nominated either
 * is parked; the engine determines the wait reason. Cost: the tasks that are placed, plus one
 * failed attempt per bundle that woke.
 */
#include "algorithms/support/gang_walk.h"

static int32_t allocate_run(void *self, const lsched_act *act, lsched_cycle *cycle) {
    struct gang g = {act, cycle, self, LSCHED_NO_ROW, NULL, 0, gang_seat_free};
    for (;;) {
        uint64_t mark;
        int32_t rc = act->next_job(cycle, &g.job);
        if (rc <= 0) return rc;
        rc = act->checkpoint(cycle, &mark);
        if (rc >= 0) rc = gang_try(&g);
        if (rc == 0) rc = gang_try_later(&g, mark);
        if (rc < 0) return rc;
        rc = rc == 1 ? act->commit(cycle, g.job) : act->park(cycle, g.job);
        if (rc < 0) return rc;
    }
}

static int32_t allocate_create(const lsched_algorithm_env *env, void **self, lsched_error *err) {
    (void)err;
    *self = env->alloc(env->engine, sizeof(struct gang_memory));
    return *self ? LSCHED_OK : LSCHED_E_NOMEM;
}

static void allocate_destroy(const lsched_algorithm_env *env, void *self) {
    env->free(env->engine, self, sizeof(struct gang_memory));
}

static const lsched_act_ops allocate_ops = {sizeof(lsched_act_ops), 0, allocate_run};

extern const lsched_algorithm act_allocate;
const lsched_algorithm act_allocate = {.size = sizeof(lsched_algorithm),
                                       .api = LSCHED_ALGORITHM_API,
                                       .role = LSCHED_ROLE_ACT,
                                       .name = "allocate",
                                       .create = allocate_create,
                                       .destroy = allocate_destroy,
                                       .act = &allocate_ops};
