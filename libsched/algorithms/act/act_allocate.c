/*
 * act_allocate.c -- the action "allocate": places waiting jobs.
 *
 * The action tries the jobs in the order of the share and order algorithms. A gang gets room for at
 * least its minimum, or for no task (gang_walk.h). If a job cannot be placed now, the action looks
 * for room that comes free later and nominates the job there. A job that cannot be nominated either
 * is parked; the engine determines its wait reason. Cost: the tasks that are placed, plus one
 * failed attempt for each bundle that was woken.
 */
#include "algorithms/builtin.h"
#include "algorithms/support/gang_walk.h"

static int32_t allocate_run(void *self, const lsched_act *act, lsched_cycle *cycle) {
    struct gang g = {act, cycle, self, LSCHED_NO_ROW, NULL, 0, gang_seat_free, UINT32_MAX, 0};
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

static const lsched_act_ops allocate_ops = {sizeof(lsched_act_ops), 0, allocate_run};

const lsched_algorithm act_allocate = {BUILTIN(ACT), .name = "allocate",
                                       .create = gang_memory_create, .destroy = gang_memory_destroy,
                                       .act = &allocate_ops};
