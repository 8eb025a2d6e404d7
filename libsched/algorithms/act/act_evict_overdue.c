/*
 * act_evict_overdue.c -- two actions that stop jobs for other reasons than to make room:
 * "evict-overdue" stops jobs that ran longer than their time limit, and "evict-idle" stops jobs
 * that the policy calls idle.
 *
 * Each job is stopped as a whole and held until the orchestrator lets it be tried again. The engine
 * says which jobs are to be stopped: it keeps the jobs with a time limit in a heap, and it has
 * asked the policy which jobs are idle. Cost: the number of tasks that are stopped.
 */
#include "algorithms/builtin.h"

static int32_t act_evict_overdue_stop_all(const lsched_act *act, lsched_cycle *cycle,
                                          uint32_t reason) {
    uint32_t job;
    int32_t rc;
    while ((rc = act->next_overdue(cycle, reason, &job)) == 1) {
        rc = act->stop_job(cycle, job);
        if (rc <= 0) return rc;
    }
    return rc;
}

static int32_t evict_overdue_run(void *self, const lsched_act *act, lsched_cycle *cycle) {
    (void)self;
    return act_evict_overdue_stop_all(act, cycle, LSCHED_FOR_TIME_LIMIT);
}

static int32_t evict_idle_run(void *self, const lsched_act *act, lsched_cycle *cycle) {
    (void)self;
    return act_evict_overdue_stop_all(act, cycle, LSCHED_FOR_IDLE);
}

static const lsched_act_ops overdue_ops = {sizeof(lsched_act_ops), 0, evict_overdue_run};
static const lsched_act_ops idle_ops = {sizeof(lsched_act_ops), 0, evict_idle_run};

extern const lsched_algorithm act_evict_overdue, act_evict_idle;
const lsched_algorithm act_evict_overdue = {BUILTIN(ACT), .name = "evict-overdue",
                                            .act = &overdue_ops};
const lsched_algorithm act_evict_idle = {BUILTIN(ACT), .name = "evict-idle", .act = &idle_ops};
