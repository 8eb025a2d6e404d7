/*
 * job_limit_calls.c -- the calls of lsched_act that end jobs although no other job needs their
 * room: jobs that ran beyond their time limit, and idle jobs.
 *
 * Such a job is stopped as a whole and then held. Guarantees, minimum run times and disruption
 * budgets do not protect it, and neither does being non-preemptible. Tasks of the job that have a
 * placement or a nomination and do not run are withdrawn first. A heap orders the jobs by the time
 * when they are due (job_limits.h). The policy named the idle jobs at the refresh of this cycle
 * (hook_jobs.c). Cost: the tasks of the stopped jobs.
 */
#include "base/times.h"
#include "engine/state/transaction.h"
#include "engine/actions/evict_calls.h"
#include "engine/policy_hooks/hook_jobs.h"
#include "model/jobs/releasing.h"
#include "model/jobs/job_limits.h"
#include "engine/state/withdraw_decision.h"

/* Returns until when the job is not stopped because the orchestrator refused to stop it a short
 * while ago; 0 if the orchestrator did not refuse. */
static int64_t spared_until(const lsched_cycle *y, uint32_t job) {
    uint32_t c = y->k->c[C_JOB_COST].u32[job];
    int64_t at = c == NO_ROW ? 0 : y->k->c[C_COST_REFUSED_AT].i64[c];
    return at ? time_after_at_most(at, cycle_eviction(y)->grace_us) : 0;
}

/* True if this cycle moves a task of the job. The plan already names the task's new node,
 * therefore a later cycle stops the job. */
static int is_moved_now(const lsched_cycle *y, uint32_t job) {
    const struct columns *k = y->k;
    for (uint32_t i = 0; y->moves && i < y->n_fresh; i++) {
        uint32_t d = y->fresh[i]; /* the decision may have been withdrawn since */
        if (row_is_live(k, T_DECISION, d) && k->c[C_DECISION_KIND].u8[d] == LSCHED_MIGRATE &&
            k->c[C_TASK_JOB].u32[k->c[C_DECISION_TASK].u32[d]] == job)
            return 1;
    }
    return 0;
}

static int32_t next_idle(lsched_cycle *y, uint32_t *job) {
    while (y->idle_at < y->n_idle) {
        uint32_t j = y->idle[y->idle_at++];
        if (job_count(y->k, j).running == 0 || spared_until(y, j) > y->now || is_moved_now(y, j))
            continue;
        *job = j;
        return 1;
    }
    return 0;
}

static int32_t job_limit_calls_next_due(lsched_cycle *y, uint32_t *job) {
    struct columns *k = y->k;
    for (;;) {
        int64_t due;
        uint32_t j = job_limits_first(k, &due);
        if (j == NO_ROW || due > y->now) return 0;
        /* the hook that sets time limits failed: no job is stopped */
        if (y->hooks_off & LSCHED_HOOK_TIME_LIMIT) return 0;
        int64_t spared = is_moved_now(y, j) ? y->now + 1 : spared_until(y, j);
        if (spared <= y->now) {
            *job = j;
            return 1;
        }
        int32_t rc = undo_room(k);
        if (rc == LSCHED_OK) rc = job_limits_spare(k, j, spared);
        if (rc != LSCHED_OK) return rc;
    }
}

int32_t call_next_overdue(lsched_cycle *y, uint32_t reason, uint32_t *job) {
    if ((reason != LSCHED_FOR_TIME_LIMIT && reason != LSCHED_FOR_IDLE) || y->search)
        return LSCHED_E_INVAL;
    y->overdue = NO_ROW;
    if (y->stop) return 0;
    int32_t rc = undo_room(y->k);
    if (rc == LSCHED_OK)
        rc = reason == LSCHED_FOR_IDLE ? next_idle(y, job) : job_limit_calls_next_due(y, job);
    if (rc == 1) {
        y->overdue = *job;
        y->overdue_for = reason;
    }
    return rc;
}

/* Returns a task of the job that has a nomination or an unsettled placement; NO_ROW if there is
 * none. A task whose placement is confirmed is not returned: the orchestrator may be starting it,
 * so the task counts as running and is stopped like a running task. */
static uint32_t not_yet_settled(const struct columns *k, uint32_t job) {
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t])
            if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED ||
                k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_PROPOSED)
                return t;
    return NO_ROW;
}

static int32_t withdraw_rest(lsched_cycle *y, uint32_t job) {
    int32_t rc = LSCHED_OK;
    for (uint32_t t = not_yet_settled(y->k, job); t != NO_ROW && rc == LSCHED_OK;
         t = not_yet_settled(y->k, job))
        rc = withdraw_decision(y, t);
    return rc;
}

/* Evicts at most this many running tasks of the job. */
static int32_t evict_running(lsched_cycle *y, uint32_t job, uint32_t reason, uint64_t most) {
    struct columns *k = y->k;
    int32_t rc = LSCHED_OK;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l], next; t != NO_ROW && most > 0; t = next) {
            uint32_t releasing;
            next = k->c[C_TASK_NEXT].u32[t];
            if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING) continue;
            rc = undo_room(k);
            if (rc == LSCHED_OK) rc = evict_task(y, t, 0, reason, 0, &releasing);
            if (rc != LSCHED_OK) return rc;
            y->evictions++;
            y->decisions_left--;
            most--;
        }
    }
    return rc;
}

/* Holds the job. A job that is held already, but still runs, keeps the reason for which it was
 * held. */
static int32_t hold(lsched_cycle *y, uint32_t job, uint32_t *reason) {
    uint8_t held = job_held(y->k, job);
    if (held) {
        *reason = held == LSCHED_HELD_IDLE ? LSCHED_FOR_IDLE : LSCHED_FOR_TIME_LIMIT;
        return LSCHED_OK;
    }
    return *reason == LSCHED_FOR_IDLE
               ? job_hold(y->k, job, LSCHED_HELD_IDLE, job_idle_us(y->k, job, y->now))
               : job_hold(y->k, job, LSCHED_HELD_TIME_LIMIT, job_limit(y->k, job));
}

/* Returns how many tasks of the job this cycle may stop: all, if enough decisions are left.
 * Otherwise 0 if a later cycle can stop all of them, or the decisions that are left if the job is
 * too large for every cycle. */
static uint64_t stop_at_most(const lsched_cycle *y, uint64_t tasks) {
    if (y->decisions_left >= tasks) return tasks;
    return y->bound < tasks ? y->decisions_left : 0;
}

int32_t call_stop_job(lsched_cycle *y, uint32_t job) {
    struct columns *k = y->k;
    if (job == NO_ROW || job != y->overdue) return LSCHED_E_STATE;
    uint32_t reason = y->overdue_for, tasks = job_count(k, job).running;
    y->overdue = NO_ROW;
    uint64_t most = stop_at_most(y, tasks);
    act_spend(y, most);
    if (most < tasks && most == 0) act_is_full(y);
    if (y->stop) return 0;
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK) rc = hold(y, job, &reason);
    if (rc == LSCHED_OK) rc = withdraw_rest(y, job);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    y->group_serial = meta(k, M_GROUP_SERIAL) + 1;
    set_meta(k, M_GROUP_SERIAL, y->group_serial);
    rc = evict_running(y, job, reason, most);
    y->ended++;
    if (most < tasks) act_is_full(y);
    if (rc == LSCHED_OK) rc = job_settle_losses(k, job, y->now, withdraw_decision_note, y);
    if (rc == LSCHED_OK) rc = share_update(&y->c->share, k, k->c[C_JOB_QUEUE].u32[job]);
    return rc == LSCHED_OK ? 1 : rc;
}
