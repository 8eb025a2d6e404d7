/* hook_jobs.c -- see hook_jobs.h. */
#include "engine/policy_hooks/hook_jobs.h"

#include "base/vec.h"
#include "engine/state/by_name.h"
#include "engine/state/object_words.h"
#include "model/jobs/job_limits.h"
#include "engine/policy_hooks/hook_call.h"

enum { BATCH = 256 };

/* Jobs for which a hook is called together. */
struct hook_batch {
    uint32_t jobs[BATCH], queues[BATCH];
    uint32_t n;
};
typedef int32_t (*ask_fn)(struct lsched_cycle *y, struct hook_batch *b);

static int32_t batch_ask(struct lsched_cycle *y, struct hook_batch *b, ask_fn ask) {
    for (uint32_t i = 0; i < b->n; i++) b->queues[i] = y->k->c[C_JOB_QUEUE].u32[b->jobs[i]];
    int32_t rc = b->n ? ask(y, b) : LSCHED_OK;
    b->n = 0;
    return rc;
}

static int32_t batch_add(struct lsched_cycle *y, struct hook_batch *b, uint32_t job, ask_fn ask) {
    b->jobs[b->n++] = job;
    return b->n == BATCH ? batch_ask(y, b, ask) : LSCHED_OK;
}

static int has_hook(const struct lsched_cluster *c, uint32_t hook) {
    return c->policy.policy.ops && (c->policy.policy.desc.hooks & hook);
}

/* ---- time limits ---- */

/* Converts seconds to microseconds; 0: no limit. */
static int64_t limit_of(double seconds) {
    if (seconds >= (double)LSCHED_AMOUNT_MAX / 1e6) return 0;
    int64_t us = (int64_t)(seconds * 1e6 + 0.5);
    return us > 0 ? us : 1;
}

static int32_t ask_limits(struct lsched_cycle *y, struct hook_batch *b) {
    const struct policy *p = &y->c->policy.policy;
    struct policy_view view;
    lsched_error err = LSCHED_ERROR_INIT;
    double seconds[BATCH] = {0};
    hooks_view(y, &view);
    int32_t rc = p->ops->time_limit(p->self, &view, b->jobs, b->queues, b->n, seconds, &err);
    if (rc != LSCHED_OK) return hook_fail(y, LSCHED_HOOK_TIME_LIMIT, rc, &err);
    for (uint32_t i = 0; i < b->n && rc == LSCHED_OK; i++) {
        rc = undo_room(y->k);
        if (rc == LSCHED_OK) rc = job_limits_set(y->k, b->jobs[i], limit_of(seconds[i]));
    }
    return rc;
}

static int32_t limit_as_submitted(struct lsched_cycle *y, uint32_t job) {
    uint32_t w = y->k->c[C_JOB_WATCH].u32[job];
    int32_t rc = undo_room(y->k);
    if (rc != LSCHED_OK || w == NO_ROW) return rc;
    return job_limits_set(y->k, job, y->k->c[C_WATCH_LIMIT].i64[w]);
}

/* Refreshes the time limits of jobs that hold something; of all jobs, if the answers can come from
 * another policy. */
static int32_t refresh_limits(struct lsched_cycle *y, int changed) {
    struct columns *k = y->k;
    struct hook_batch b = {.n = 0};
    int hook = has_hook(y->c, LSCHED_HOOK_TIME_LIMIT), all = changed || meta(k, M_LIMIT_LATE);
    if (hook && !hook_on(y, LSCHED_HOOK_TIME_LIMIT)) {
        if (changed) set_meta(k, M_LIMIT_LATE, 1);
        return LSCHED_OK;
    }
    if (!hook && !all) return LSCHED_OK;
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++) {
        if (!row_is_live(k, T_JOB, j) || (!all && k->c[C_JOB_LEAVES].u32[j] == NO_ROW)) continue;
        int32_t rc = hook ? batch_add(y, &b, j, ask_limits) : limit_as_submitted(y, j);
        if (rc != LSCHED_OK) return rc;
    }
    set_meta(k, M_LIMIT_LATE, 0);
    return batch_ask(y, &b, ask_limits);
}

/* ---- gang minimums ---- */

static int32_t ask_minimums(struct lsched_cycle *y, struct hook_batch *b) {
    const struct policy *p = &y->c->policy.policy;
    struct policy_view view;
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t min[BATCH] = {0};
    int32_t rc = LSCHED_OK;
    /* The hook gets the submitted minimum, not its own earlier answer. */
    for (uint32_t i = 0; i < b->n && rc == LSCHED_OK; i++)
        rc = job_set_minimum(y->k, b->jobs[i], 0);
    if (rc != LSCHED_OK) return rc;
    hooks_view(y, &view);
    rc = p->ops->gang_minimum(p->self, &view, b->jobs, b->queues, b->n, min, &err);
    if (rc != LSCHED_OK) return hook_fail(y, LSCHED_HOOK_GANG_MINIMUM, rc, &err);
    for (uint32_t i = 0; i < b->n && rc == LSCHED_OK; i++) {
        rc = undo_room(y->k);
        if (rc != LSCHED_OK) return rc;
        job_minimum_late(y->k, b->jobs[i], 0);
        uint32_t most = y->k->c[C_JOBSHAPE_TASKS].u32[y->k->c[C_JOB_SHAPE].u32[b->jobs[i]]];
        rc = job_set_minimum(y->k, b->jobs[i], min[i] < most ? min[i] : most);
    }
    return rc;
}

/* Asks the hook for the minimum, or takes the submitted one; if the hook has failed, the job is
 * marked to be asked later. */
static int32_t minimum_for(struct lsched_cycle *y, uint32_t job, struct hook_batch *b) {
    int32_t rc = undo_room(y->k);
    if (rc != LSCHED_OK) return rc;
    if (hook_on(y, LSCHED_HOOK_GANG_MINIMUM)) return batch_add(y, b, job, ask_minimums);
    job_minimum_late(y->k, job, has_hook(y->c, LSCHED_HOOK_GANG_MINIMUM));
    return job_set_minimum(y->k, job, 0);
}

/* Refreshes the minimums. New and refused jobs are asked when they are admitted. */
static int32_t refresh_minimums(struct lsched_cycle *y, int changed) {
    struct columns *k = y->k;
    struct hook_batch b = {.n = 0};
    int hook = has_hook(y->c, LSCHED_HOOK_GANG_MINIMUM);
    if (!changed && meta(k, M_MIN_LATE) == 0) return LSCHED_OK;
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++) {
        if (!row_is_live(k, T_JOB, j) || k->c[C_JOB_PHASE].u8[j] == JOB_NEW ||
            k->c[C_JOB_PHASE].u8[j] == JOB_REFUSED)
            continue;
        int late = k->c[C_JOB_FLAGS].u8[j] & JOB_MIN_LATE;
        if (!changed && !late) continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        /* a job whose minimum cannot change now is asked when it waits again */
        if (job_takes_minimum(k, j))
            rc = minimum_for(y, j, &b);
        else if (k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_JOB_SHAPE].u32[j]] == 1)
            job_minimum_late(k, j, hook || job_minimum_replaced(k, j));
        if (rc != LSCHED_OK) return rc;
    }
    return batch_ask(y, &b, ask_minimums);
}

/* ---- idle jobs ---- */

static int32_t idle_add(struct lsched_cycle *y, uint32_t job) {
    if (!VEC_ROOM(y->k->alloc, y->idle, y->cap_idle, y->n_idle + 1)) return LSCHED_E_NOMEM;
    y->idle[y->n_idle++] = job;
    return LSCHED_OK;
}

static int32_t ask_idle(struct lsched_cycle *y, struct hook_batch *b) {
    const struct policy *p = &y->c->policy.policy;
    struct policy_view view;
    lsched_error err = LSCHED_ERROR_INIT;
    uint8_t stop[BATCH] = {0};
    hooks_view(y, &view);
    int32_t rc = p->ops->idle(p->self, &view, b->jobs, b->queues, b->n, stop, &err);
    if (rc != LSCHED_OK) return hook_fail(y, LSCHED_HOOK_IDLE, rc, &err);
    for (uint32_t i = 0; i < b->n && rc == LSCHED_OK; i++)
        if (stop[i]) rc = idle_add(y, b->jobs[i]);
    return rc;
}

/* Asks the hook which running jobs are idle. A job that is held as idle but still runs is not
 * asked again. */
static int32_t refresh_idle(struct lsched_cycle *y) {
    struct columns *k = y->k;
    struct hook_batch b = {.n = 0};
    int32_t rc = LSCHED_OK;
    y->n_idle = y->idle_at = 0;
    if (!hook_on(y, LSCHED_HOOK_IDLE)) return LSCHED_OK;
    for (uint32_t j = 0; j < table_rows(k, T_JOB) && rc == LSCHED_OK; j++) {
        if (!row_is_live(k, T_JOB, j) || k->c[C_JOB_LEAVES].u32[j] == NO_ROW ||
            job_count(k, j).running == 0)
            continue;
        rc = job_held(k, j) == LSCHED_HELD_IDLE ? idle_add(y, j) : batch_add(y, &b, j, ask_idle);
    }
    if (rc == LSCHED_OK) rc = batch_ask(y, &b, ask_idle);
    if (rc == LSCHED_OK) by_name_sort(k, y->idle, y->n_idle);
    return rc;
}

/* ---- minimums, time limits and idle jobs together ---- */

int32_t hook_jobs_refresh(struct lsched_cycle *y, int changed) {
    int32_t rc = refresh_minimums(y, changed);
    if (rc == LSCHED_OK) rc = refresh_limits(y, changed);
    return rc == LSCHED_OK ? refresh_idle(y) : rc;
}

int32_t hook_jobs_arrive(struct lsched_cycle *y, const uint32_t *jobs, uint32_t n) {
    struct hook_batch minimums = {.n = 0}, limits = {.n = 0};
    int32_t rc = LSCHED_OK;
    for (uint32_t i = 0; i < n && rc == LSCHED_OK; i++)
        if (job_takes_minimum(y->k, jobs[i])) rc = minimum_for(y, jobs[i], &minimums);
    if (rc == LSCHED_OK) rc = batch_ask(y, &minimums, ask_minimums);
    int hook = has_hook(y->c, LSCHED_HOOK_TIME_LIMIT), ask = hook_on(y, LSCHED_HOOK_TIME_LIMIT);
    if (hook && !ask) set_meta(y->k, M_LIMIT_LATE, 1);
    for (uint32_t i = 0; i < n && rc == LSCHED_OK; i++) {
        if (ask)
            rc = batch_add(y, &limits, jobs[i], ask_limits);
        else if (!hook)
            rc = limit_as_submitted(y, jobs[i]);
    }
    return rc == LSCHED_OK ? batch_ask(y, &limits, ask_limits) : rc;
}

int hook_jobs_overlong(const struct lsched_cycle *y, uint32_t job, char *text, size_t cap) {
    const struct columns *k = y->k;
    int64_t limit = job_limit(k, job), asks = k->c[C_JOB_DURATION].i64[job];
    if (limit == 0 || asks <= limit || k->c[C_JOB_LEAVES].u32[job] != NO_ROW) return 0;
    struct text_out o = {.p = text, .cap = cap};
    text_put(&o, "asks for ");
    put_span(&o, asks);
    text_put(&o, ", may run ");
    put_span(&o, limit);
    return 1;
}

void hook_jobs_acted(struct lsched_cycle *y) {
    int64_t due;
    job_limits_first(y->k, &due);
    if (due <= y->now && !y->stop) set_meta(y->k, M_DUE_TRIED, (uint64_t)due + 1);
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
    /* The job was due in the last cycle, which did not stop it; or it became due since. */
    return meta(k, M_DUE_TRIED) == (uint64_t)due + 1 ? refresh : (int64_t)meta(k, M_SCHEDULED);
}

/* Searches y->idle, which is in name order. */
static int is_idle(const lsched_cycle *y, uint32_t job) {
    const struct columns *k = y->k;
    uint32_t low = y->idle_at, high = y->n_idle;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        int by = text_compare(k, k->c[C_JOB_NAME].u32[job], k->c[C_JOB_NAME].u32[y->idle[mid]]);
        if (by == 0) return 1;
        if (by < 0)
            high = mid;
        else
            low = mid + 1;
    }
    return 0;
}

int hook_jobs_stops(const lsched_cycle *y, uint32_t job) {
    int due = job_due(y->k, job) <= y->now && !(y->hooks_off & LSCHED_HOOK_TIME_LIMIT);
    return (due && cycle_has_action(y, "evict-overdue")) ||
           (is_idle(y, job) && cycle_has_action(y, "evict-idle"));
}
