/*
 * act_evict_stale.c -- the action "evict-stale-gangs": stops gangs that have been below their
 * minimum for longer than their grace period.
 *
 * The tasks of a stale gang that still run hold resources without making progress. After the
 * eviction, the whole gang waits again. If allocate is earlier in the pipeline, it has already
 * tried to place the missing tasks of the gang.
 */
#include "algorithms/builtin.h"

static int32_t evict_stale_run(void *self, const lsched_act *act, lsched_cycle *cycle) {
    uint32_t job;
    int32_t rc;
    (void)self;
    while ((rc = act->next_stale(cycle, &job)) == 1) {
        rc = act->evict_job(cycle, job);
        if (rc < 0) return rc;
    }
    return rc;
}

static const lsched_act_ops evict_stale_ops = {sizeof(lsched_act_ops), 0, evict_stale_run};

const lsched_algorithm act_evict_stale = {BUILTIN(ACT), .name = "evict-stale-gangs",
                                          .act = &evict_stale_ops};
