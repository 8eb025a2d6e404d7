/* job_limit_calls.c -- see job_limit_calls.h. */
#include "engine/upkeep/job_limit_calls.h"
#include "engine/upkeep/stop_whole.h"
#include "base/times.h"
#include "engine/waits/pass.h"
#include "engine/state/decision_kinds.h"
#include "engine/state/transaction.h"
#include "engine/actions/act_state.h"
#include "engine/policy_hooks/hook_jobs.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/job_cost.h"
#include "model/demand/job_counts.h"

/* Returns the time before which the job is not stopped again, because the orchestrator refused to
 * stop it a short while ago. Returns 0 if there is no such refusal. */
static int64_t spared_until(const struct lsched_cycle *cy, uint32_t job) {
    return job_cost_refused_until(cy->k, job, cy->now, cycle_eviction(cy)->grace_us);
}

/* True if this cycle moves a task of the job. In that case a later cycle stops the job, because
 * the plan of this cycle already names the task's new node. */
static int is_moved_now(const lsched_cycle *cy, uint32_t job) {
    const struct columns *k = cy->k;
    for (uint32_t i = 0; cy->counts.moves && i < cy->decisions.n_fresh; i++) {
        uint32_t d = cy->decisions.fresh[i]; /* the decision can have been withdrawn since */
        if (row_is_live(k, T_DECISION, d) && k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_MIGRATE &&
            k->c[C_TASK_JOB].u32[k->c[C_DECISION_TASK].u32[d]] == job)
            return 1;
    }
    return 0;
}

static int32_t next_idle(lsched_cycle *cy, uint32_t *job) {
    while (cy->policy.idle_at < cy->policy.n_idle) {
        uint32_t j = cy->policy.idle[cy->policy.idle_at++];
        if (job_count(cy->k, j).running == 0 || spared_until(cy, j) > cy->now ||
            is_moved_now(cy, j))
            continue;
        *job = j;
        return 1;
    }
    return 0;
}

static int32_t job_limit_calls_next_due(lsched_cycle *cy, uint32_t *job) {
    struct columns *k = cy->k;
    for (;;) {
        int64_t due;
        uint32_t j = job_limits_first(k, &due);
        if (j == NO_ROW || due > cy->now) return 0;
        /* if the hook that sets time limits has failed, no job is stopped */
        if (cy->policy.hooks_off & LSCHED_HOOK_TIME_LIMIT) return 0;
        int64_t spared = is_moved_now(cy, j) ? cy->now + 1 : spared_until(cy, j);
        if (spared <= cy->now) {
            *job = j;
            return 1;
        }
        int32_t rc = undo_room(k);
        if (rc == LSCHED_OK) rc = job_limits_spare(k, j, spared);
        if (rc != LSCHED_OK) return rc;
    }
}

int32_t call_next_overdue(lsched_cycle *cy, uint32_t reason, uint32_t *job) {
    if ((reason != LSCHED_FOR_TIME_LIMIT && reason != LSCHED_FOR_IDLE) || cy->victims)
        return LSCHED_E_INVAL;
    cy->act->overdue = NO_ROW;
    if (cy->spend.stop || !decision_kinds_allow(cy, KINDS_TO_STOP)) return 0;
    int32_t rc = undo_room(cy->k);
    if (rc == LSCHED_OK)
        rc = reason == LSCHED_FOR_IDLE ? next_idle(cy, job) : job_limit_calls_next_due(cy, job);
    if (rc == 1) {
        cy->act->overdue = *job;
        cy->act->overdue_for = reason;
    }
    return rc;
}

/* Holds the job. If the job is held already but still runs, it keeps the reason for which it was
 * held, and *reason is set to that reason. */
static int32_t hold(lsched_cycle *cy, uint32_t job, uint32_t *reason) {
    uint8_t held = job_held(cy->k, job);
    if (held) {
        *reason = held == LSCHED_HELD_IDLE ? LSCHED_FOR_IDLE : LSCHED_FOR_TIME_LIMIT;
        return LSCHED_OK;
    }
    return *reason == LSCHED_FOR_IDLE
               ? job_hold(cy->k, job, LSCHED_HELD_IDLE, job_idle_us(cy->k, job, cy->now))
               : job_hold(cy->k, job, LSCHED_HELD_TIME_LIMIT, job_limit(cy->k, job));
}

int32_t call_stop_job(lsched_cycle *cy, uint32_t job) {
    struct columns *k = cy->k;
    if (job == NO_ROW || job != cy->act->overdue) return LSCHED_E_STATE;
    uint32_t reason = cy->act->overdue_for, tasks = job_count(k, job).running;
    cy->act->overdue = NO_ROW;
    uint64_t most = stop_whole_most(cy, job);
    act_spend(cy, most);
    if (most < tasks && most == 0) act_is_full(cy);
    if (cy->spend.stop) return 0;
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK) rc = hold(cy, job, &reason);
    if (rc == LSCHED_OK) rc = stop_whole_withdraw(cy, job, LSCHED_BECAUSE_STOP);
    if (rc == LSCHED_OK) rc = stop_whole_evict(cy, job, reason, most);
    cy->pass->ended++;
    if (most < tasks) act_is_full(cy);
    if (rc == LSCHED_OK) rc = share_update(&cy->c->share, k, k->c[C_JOB_QUEUE].u32[job]);
    return rc == LSCHED_OK ? 1 : rc;
}
