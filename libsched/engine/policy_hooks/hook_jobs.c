/* hook_jobs.c -- see hook_jobs.h. */
#include "engine/policy_hooks/hook_jobs.h"

#include "base/bisect.h"
#include "base/vec.h"
#include "engine/state/by_name.h"
#include "engine/state/object_words.h"
#include "model/jobs/job_limits.h"
#include "model/life/job_rank.h"
#include "model/demand/job_counts.h"
#include "engine/policy_hooks/hook_call.h"

enum { BATCH = 256 };

/* Jobs for which one call of a hook returns the answers. */
struct hook_batch {
    uint32_t jobs[BATCH], queues[BATCH];
    uint32_t n;
};
typedef int32_t (*ask_fn)(struct lsched_cycle *cy, struct hook_batch *b);

static int32_t batch_ask(struct lsched_cycle *cy, struct hook_batch *b, ask_fn ask) {
    for (uint32_t i = 0; i < b->n; i++) b->queues[i] = cy->k->c[C_JOB_QUEUE].u32[b->jobs[i]];
    int32_t rc = b->n ? ask(cy, b) : LSCHED_OK;
    b->n = 0;
    return rc;
}

static int32_t batch_add(struct lsched_cycle *cy, struct hook_batch *b, uint32_t job, ask_fn ask) {
    b->jobs[b->n++] = job;
    return b->n == BATCH ? batch_ask(cy, b, ask) : LSCHED_OK;
}

static int has_hook(const struct lsched_cluster *c, uint32_t hook) {
    return c->policy.policy.ops && (c->policy.policy.desc.hooks & hook);
}

/* ---- time limits ---- */

/* Converts a time limit from seconds to microseconds. Returns 0 if there is no limit. */
static int64_t limit_of(double seconds) {
    if (seconds >= (double)LSCHED_AMOUNT_MAX / 1e6) return 0;
    int64_t us = (int64_t)(seconds * 1e6 + 0.5);
    return us > 0 ? us : 1;
}

static int32_t ask_limits(struct lsched_cycle *cy, struct hook_batch *b) {
    struct hook_call h;
    double seconds[BATCH] = {0};
    hook_begin(cy, &h);
    int32_t rc = h.ops->time_limit(h.self, &h.view, b->jobs, b->queues, b->n, seconds, &h.err);
    if (rc != LSCHED_OK) return hook_fail(cy, LSCHED_HOOK_TIME_LIMIT, rc, &h.err);
    for (uint32_t i = 0; i < b->n && rc == LSCHED_OK; i++) {
        rc = undo_room(cy->k);
        if (rc == LSCHED_OK) rc = job_limits_set(cy->k, b->jobs[i], limit_of(seconds[i]));
    }
    return rc;
}

static int32_t limit_as_submitted(struct lsched_cycle *cy, uint32_t job) {
    uint32_t w = cy->k->c[C_JOB_WATCH].u32[job];
    int32_t rc = undo_room(cy->k);
    if (rc != LSCHED_OK || w == NO_ROW) return rc;
    return job_limits_set(cy->k, job, cy->k->c[C_WATCH_LIMIT].i64[w]);
}

/* Refreshes the time limits of jobs that have placed tasks, or of all jobs if the policy may have
 * changed since the answers were given. */
static int32_t refresh_limits(struct lsched_cycle *cy, int changed) {
    struct columns *k = cy->k;
    struct hook_batch b = {.n = 0};
    int hook = has_hook(cy->c, LSCHED_HOOK_TIME_LIMIT), all = changed || meta(k, M_LIMIT_LATE);
    if (hook && !hook_on(cy, LSCHED_HOOK_TIME_LIMIT)) {
        if (changed) set_meta(k, M_LIMIT_LATE, 1);
        return LSCHED_OK;
    }
    if (!hook && !all) return LSCHED_OK;
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++) {
        if (!row_is_live(k, T_JOB, j) || (!all && k->c[C_JOB_LEAVES].u32[j] == NO_ROW)) continue;
        int32_t rc = hook ? batch_add(cy, &b, j, ask_limits) : limit_as_submitted(cy, j);
        if (rc != LSCHED_OK) return rc;
    }
    set_meta(k, M_LIMIT_LATE, 0);
    return batch_ask(cy, &b, ask_limits);
}

/* ---- gang minimums ---- */

static int32_t ask_minimums(struct lsched_cycle *cy, struct hook_batch *b) {
    struct hook_call h;
    uint32_t min[BATCH] = {0};
    int32_t rc = LSCHED_OK;
    /* Restores the submitted minimums, because the hook must read the submitted minimum and not
     * its own earlier answer. */
    for (uint32_t i = 0; i < b->n && rc == LSCHED_OK; i++)
        rc = job_set_minimum(cy->k, b->jobs[i], 0);
    if (rc != LSCHED_OK) return rc;
    hook_begin(cy, &h);
    rc = h.ops->gang_minimum(h.self, &h.view, b->jobs, b->queues, b->n, min, &h.err);
    if (rc != LSCHED_OK) return hook_fail(cy, LSCHED_HOOK_GANG_MINIMUM, rc, &h.err);
    for (uint32_t i = 0; i < b->n && rc == LSCHED_OK; i++) {
        rc = undo_room(cy->k);
        if (rc != LSCHED_OK) return rc;
        job_minimum_late(cy->k, b->jobs[i], 0);
        uint32_t most = cy->k->c[C_JOBSHAPE_TASKS].u32[cy->k->c[C_JOB_SHAPE].u32[b->jobs[i]]];
        rc = job_set_minimum(cy->k, b->jobs[i], min[i] < most ? min[i] : most);
    }
    return rc;
}

/* Adds the job to the batch for the hook, or sets the submitted minimum if the policy has no such
 * hook. If the hook has failed, sets the submitted minimum and marks the job, so that the hook is
 * called for the job later. */
static int32_t minimum_for(struct lsched_cycle *cy, uint32_t job, struct hook_batch *b) {
    int32_t rc = undo_room(cy->k);
    if (rc != LSCHED_OK) return rc;
    if (hook_on(cy, LSCHED_HOOK_GANG_MINIMUM)) return batch_add(cy, b, job, ask_minimums);
    job_minimum_late(cy->k, job, has_hook(cy->c, LSCHED_HOOK_GANG_MINIMUM));
    return job_set_minimum(cy->k, job, 0);
}

/* Refreshes the minimums of admitted jobs. For other jobs, the hook is called when they are about
 * to be admitted. */
static int32_t refresh_minimums(struct lsched_cycle *cy, int changed) {
    struct columns *k = cy->k;
    struct hook_batch b = {.n = 0};
    int hook = has_hook(cy->c, LSCHED_HOOK_GANG_MINIMUM);
    if (!changed && meta(k, M_MIN_LATE) == 0) return LSCHED_OK;
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++) {
        if (!row_is_live(k, T_JOB, j) || k->c[C_JOB_PHASE].u8[j] == JOB_NEW ||
            k->c[C_JOB_PHASE].u8[j] == JOB_REFUSED)
            continue;
        int late = k->c[C_JOB_FLAGS].u8[j] & JOB_MIN_LATE;
        if (!changed && !late) continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        /* if the minimum of a job cannot change now, the hook is called when the job waits again */
        if (job_takes_minimum(k, j))
            rc = minimum_for(cy, j, &b);
        else if (k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_JOB_SHAPE].u32[j]] == 1)
            job_minimum_late(k, j, hook || job_minimum_replaced(k, j));
        if (rc != LSCHED_OK) return rc;
    }
    return batch_ask(cy, &b, ask_minimums);
}

/* ---- ranks ---- */

/* Rounds the answer of the hook. An answer that is too large for a priority counts as the greatest
 * one: work that has run for a very long time must not make the hook fail. */
static int32_t rounded_rank(double v) {
    if (v >= INT32_MAX) return INT32_MAX;
    return v <= -INT32_MAX ? -INT32_MAX : (int32_t)(v < 0 ? v - 0.5 : v + 0.5);
}

static int32_t ask_ranks(struct lsched_cycle *cy, struct hook_batch *b) {
    struct hook_call h;
    double ranks[BATCH] = {0};
    hook_begin(cy, &h);
    int32_t rc = h.ops->preempt_priority(h.self, &h.view, b->jobs, b->queues, b->n, ranks, &h.err);
    if (rc != LSCHED_OK) return hook_fail(cy, LSCHED_HOOK_PREEMPT_PRIORITY, rc, &h.err);
    for (uint32_t i = 0; i < b->n && rc == LSCHED_OK; i++) {
        rc = undo_room(cy->k);
        if (rc == LSCHED_OK) job_rank_set(cy->k, b->jobs[i], rounded_rank(ranks[i]));
    }
    return rc;
}

/* Refreshes the ranks of all jobs, because running jobs are compared with waiting ones. If the hook
 * is off, sets the ranks to the submitted priorities. The hook was never called for whole jobs that
 * were imported (M_UNKEYED). */
static int32_t refresh_ranks(struct lsched_cycle *cy, int changed) {
    struct columns *k = cy->k;
    const struct policy_desc *d = &cy->c->policy.policy.desc;
    struct hook_batch b = {.n = 0};
    int on = hook_on(cy, LSCHED_HOOK_PREEMPT_PRIORITY);
    int due = on ? changed || !meta(k, M_RANKED) || meta(k, M_UNKEYED) ||
                       hook_answer_changes(d, POLICY_HOOK_PREEMPT_PRIORITY)
                 : meta(k, M_RANKED) != 0;
    for (uint32_t j = 0; due && j < table_rows(k, T_JOB); j++) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        if (!row_is_live(k, T_JOB, j)) continue;
        if (on)
            rc = batch_add(cy, &b, j, ask_ranks);
        else
            job_rank_set(k, j, k->c[C_JOB_PRIORITY].i32[j]);
        if (rc != LSCHED_OK) return rc;
    }
    set_meta(k, M_RANKED, (uint64_t)on);
    return batch_ask(cy, &b, ask_ranks);
}

/* ---- idle jobs ---- */

static int32_t idle_add(struct lsched_cycle *cy, uint32_t job) {
    if (!VEC_ROOM(cy->k->alloc, cy->policy.idle, cy->policy.cap_idle, cy->policy.n_idle + 1))
        return LSCHED_E_NOMEM;
    cy->policy.idle[cy->policy.n_idle++] = job;
    return LSCHED_OK;
}

static int32_t ask_idle(struct lsched_cycle *cy, struct hook_batch *b) {
    struct hook_call h;
    uint8_t stop[BATCH] = {0};
    hook_begin(cy, &h);
    int32_t rc = h.ops->idle(h.self, &h.view, b->jobs, b->queues, b->n, stop, &h.err);
    if (rc != LSCHED_OK) return hook_fail(cy, LSCHED_HOOK_IDLE, rc, &h.err);
    for (uint32_t i = 0; i < b->n && rc == LSCHED_OK; i++)
        if (stop[i]) rc = idle_add(cy, b->jobs[i]);
    return rc;
}

/* Calls the hook `idle` for running jobs. If a job is already held because it was idle, but still
 * has running tasks, the function adds the job to the list of idle jobs without a call of the
 * hook. */
static int32_t refresh_idle(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    struct hook_batch b = {.n = 0};
    int32_t rc = LSCHED_OK;
    cy->policy.n_idle = cy->policy.idle_at = 0;
    if (!hook_on(cy, LSCHED_HOOK_IDLE)) return LSCHED_OK;
    for (uint32_t j = 0; j < table_rows(k, T_JOB) && rc == LSCHED_OK; j++) {
        if (!row_is_live(k, T_JOB, j) || k->c[C_JOB_LEAVES].u32[j] == NO_ROW ||
            job_count(k, j).running == 0)
            continue;
        rc = job_held(k, j) == LSCHED_HELD_IDLE ? idle_add(cy, j) : batch_add(cy, &b, j, ask_idle);
    }
    if (rc == LSCHED_OK) rc = batch_ask(cy, &b, ask_idle);
    if (rc == LSCHED_OK) by_name_sort(k, cy->policy.idle, cy->policy.n_idle);
    return rc;
}

/* ---- minimums, time limits, ranks and idle jobs together ---- */

int32_t hook_jobs_refresh(struct lsched_cycle *cy, int changed) {
    int32_t rc = refresh_minimums(cy, changed);
    if (rc == LSCHED_OK) rc = refresh_limits(cy, changed);
    if (rc == LSCHED_OK) rc = refresh_ranks(cy, changed);
    return rc == LSCHED_OK ? refresh_idle(cy) : rc;
}

int32_t hook_jobs_arrive(struct lsched_cycle *cy, const uint32_t *jobs, uint32_t n) {
    struct hook_batch minimums = {.n = 0}, limits = {.n = 0}, ranks = {.n = 0};
    int32_t rc = LSCHED_OK;
    for (uint32_t i = 0; i < n && rc == LSCHED_OK; i++)
        if (job_takes_minimum(cy->k, jobs[i])) rc = minimum_for(cy, jobs[i], &minimums);
    if (rc == LSCHED_OK) rc = batch_ask(cy, &minimums, ask_minimums);
    int hook = has_hook(cy->c, LSCHED_HOOK_TIME_LIMIT), ask = hook_on(cy, LSCHED_HOOK_TIME_LIMIT);
    if (hook && !ask) set_meta(cy->k, M_LIMIT_LATE, 1);
    for (uint32_t i = 0; i < n && rc == LSCHED_OK; i++) {
        if (ask)
            rc = batch_add(cy, &limits, jobs[i], ask_limits);
        else if (!hook)
            rc = limit_as_submitted(cy, jobs[i]);
    }
    if (rc == LSCHED_OK) rc = batch_ask(cy, &limits, ask_limits);
    int rank = hook_on(cy, LSCHED_HOOK_PREEMPT_PRIORITY);
    for (uint32_t i = 0; rank && i < n && rc == LSCHED_OK; i++)
        rc = batch_add(cy, &ranks, jobs[i], ask_ranks);
    return rc == LSCHED_OK ? batch_ask(cy, &ranks, ask_ranks) : rc;
}

int hook_jobs_overlong(const struct lsched_cycle *cy, uint32_t job, char *text, size_t cap) {
    const struct columns *k = cy->k;
    int64_t limit = job_limit(k, job), asks = k->c[C_JOB_DURATION].i64[job];
    if (limit == 0 || asks <= limit || k->c[C_JOB_LEAVES].u32[job] != NO_ROW) return 0;
    struct text_out o = {.p = text, .cap = cap};
    text_put(&o, "asks for ");
    put_span(&o, asks);
    text_put(&o, ", may run ");
    put_span(&o, limit);
    return 1;
}

void hook_jobs_acted(struct lsched_cycle *cy) {
    int64_t due;
    job_limits_first(cy->k, &due);
    if (due <= cy->now && !cy->spend.stop) set_meta(cy->k, M_DUE_TRIED, (uint64_t)due + 1);
}

int64_t hook_jobs_wake(const struct lsched_cluster *c, int64_t refresh) {
    const struct columns *k = &c->k;
    int64_t due, wake = LSCHED_NEVER_US;
    int asks = has_hook(c, LSCHED_HOOK_IDLE) || has_hook(c, LSCHED_HOOK_TIME_LIMIT);
    if (asks && table_live(k, T_LEAF) > 0) wake = refresh;
    if (!pipeline_has(c, "evict-overdue") && !has_hook(c, LSCHED_HOOK_PIPELINE)) return wake;
    job_limits_first(k, &due);
    if (due == LSCHED_NEVER_US) return wake;
    if (due > (int64_t)meta(k, M_SCHEDULED)) return due < wake ? due : wake;
    /* The job has reached its time limit. If the latest cycle already failed to stop the job, the
     * next cycle is at the refresh. Otherwise the next cycle is at once. */
    return meta(k, M_DUE_TRIED) == (uint64_t)due + 1 ? refresh : (int64_t)meta(k, M_SCHEDULED);
}

/* True if the job is in the list cy->policy.idle, which is in the order of job names. */
static int is_idle(const lsched_cycle *cy, uint32_t job) {
    const struct columns *k = cy->k;
    uint32_t low = cy->policy.idle_at, high = cy->policy.n_idle;
    const uint32_t *names = k->c[C_JOB_NAME].u32, *idle = cy->policy.idle;
    BISECT_FIRST(low, high, mid, text_compare(k, names[idle[mid]], names[job]) >= 0);
    return low < cy->policy.n_idle && idle[low] == job;
}

int hook_jobs_stops(const lsched_cycle *cy, uint32_t job) {
    int due = job_due(cy->k, job) <= cy->now && !(cy->policy.hooks_off & LSCHED_HOOK_TIME_LIMIT);
    return (due && cycle_has_action(cy, "evict-overdue")) ||
           (is_idle(cy, job) && cycle_has_action(cy, "evict-idle"));
}
