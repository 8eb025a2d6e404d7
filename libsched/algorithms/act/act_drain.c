/*
 * act_drain.c -- the action "drain": stops tasks on nodes that are being drained, or that have a
 * taint which the tasks do not tolerate. Tasks that find a new place move, and all other stopped
 * tasks are evicted.
 *
 * For each job, the action first stops only the tasks on these nodes. If all these tasks find new
 * places, the action continues with the next job. Otherwise the action also stops the tasks of the
 * job that cannot run without them, and moves as many of the stopped tasks as possible. The engine
 * says which tasks must be stopped, and how many tasks one cycle can stop.
 */
#include "algorithms/builtin.h"
#include "algorithms/support/replace_victims.h"

static int32_t drain_job(struct gang *g, uint32_t job) {
    for (uint32_t whole = 0, moved; whole < 2; whole++) {
        int32_t rc = g->act->drain_job(g->cycle, job, whole);
        if (rc < 0) return rc;
        if (rc == 0) continue;
        rc = replace_victims(g, &moved);
        if (rc < 0) return rc;
        if ((rc == 1 && moved) || whole) return g->act->keep_drained(g->cycle);
    }
    return 0;
}

static int32_t drain_run(void *self, const lsched_act *act, lsched_cycle *cycle) {
    struct gang g = {act, cycle, self, LSCHED_NO_ROW, NULL, 0, gang_seat_free, UINT32_MAX, 0};
    uint32_t job;
    int32_t rc = act->drain_begin(cycle);
    if (rc != 1) return rc;
    while ((rc = act->next_drained(cycle, &job)) == 1) {
        rc = drain_job(&g, job);
        if (rc < 0) return rc;
    }
    return rc < 0 ? rc : act->drain_end(cycle);
}

static const lsched_act_ops drain_ops = {sizeof(lsched_act_ops), 0, drain_run};

const lsched_algorithm act_drain = {BUILTIN(ACT), .name = "drain", .create = gang_memory_create,
                                    .destroy = gang_memory_destroy, .act = &drain_ops};
