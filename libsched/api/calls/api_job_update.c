/*
 * api_job_update.c -- changes of jobs that exist.
 *
 * Each field is compared with the present value first, so that an update without a change costs
 * little and wakes nothing. Fields that any job can change are written in place. A job whose queue,
 * labels or groups change leaves its queue and enters it again (job_change.h); so does a waiting
 * job after a change of a field that the policy or the order of jobs can read.
 */
#include "api/dependencies/dependency_circle.h"
#include "api/dependencies/dependency_form.h"
#include "api/door/args.h"
#include "api/door/door.h"
#include "api/forms/job_form.h"
#include "api/forms/job_labels.h"
#include "api/forms/job_selectors.h"
#include "api/forms/job_update_counts.h"
#include "api/calls/soft_limit_form.h"
#include "api/forms/submit_queue.h"
#include "model/jobs/bundle.h"
#include "model/jobs/job_cost.h"
#include "model/demand/job_counts.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/refusal.h"
#include "model/jobs/retry.h"
#include "api/arrays/array_form.h"
#include "model/jobs/soft_limit.h"
#include "model/jobs/stops.h"
#include "model/jobs/task_row.h"
#include "model/life/job_change.h"
#include "model/life/job_rank.h"
#include "model/news/queue_news.h"
#include "model/queues/queue.h"

/* An update in progress. */
struct job_update {
    struct lsched_cluster *c;
    struct columns *k;
    const lsched_job_update *u;
    uint32_t job;
    int out;     /* 1: the job has left its queue */
    int visible; /* 1: a field changed that the policy or the order of jobs can read */
};

static int sets(const struct job_update *ch, uint32_t field) {
    return (ch->u->set & field) != 0;
}

/* Takes the job out of its queue, if it is not out yet. */
static int32_t job_update_leave(struct job_update *ch) {
    int32_t rc = ch->out ? LSCHED_OK : job_change_leave(ch->k, ch->job);
    ch->out = 1;
    return rc;
}

/* Fails if the job has tasks that keep the field from changing. */
static int32_t must_be_free(const struct job_update *ch, const char *field, lsched_error *err) {
    uint32_t placed = job_count(ch->k, ch->job).placed, leaving = job_releasing(ch->k, ch->job);
    if (placed + leaving == 0) return LSCHED_OK;
    return fail(err, LSCHED_E_STATE,
                "its %s cannot change now: its tasks have places (placed or nominated: %u, "
                "releasing: %u); reject their decisions, or wait for their end",
                field, placed, leaving);
}

/* ---- order keys ---- */

/* True if the order of jobs is by the priority that the orchestrator gave them, and no hook reads
 * jobs. */
static int orders_by_priority(const struct job_update *ch) {
    const struct policy_desc *d = &ch->c->policy.policy.desc;
    return !(d->hooks & LSCHED_HOOK_PRIORITY) &&
           (!d->order[0] || strcmp(d->order, "priority") == 0);
}

/* Lets the next cycle compute all order keys again and ask all hooks again. */
static void ask_all_again(struct columns *k) {
    set_meta(k, M_ORDER_POLICY, UINT64_MAX);
    set_meta(k, M_REFRESHED, 0);
}

/* ---- fields of any job ---- */

static int32_t set_priority(struct job_update *ch, lsched_error *err) {
    struct columns *k = ch->k;
    (void)err;
    int32_t priority = ch->u->priority;
    if (priority == k->c[C_JOB_PRIORITY].i32[ch->job]) return LSCHED_OK;
    set_i32(k, C_JOB_PRIORITY, ch->job, priority);
    int ranks = meta(k, M_RANKED) != 0;
    if (!ranks) job_rank_set(k, ch->job, priority);
    stops_forget(k, ch->job);
    int32_t rc = undo_room(k);
    uint8_t phase = k->c[C_JOB_PHASE].u8[ch->job];
    /* A job that is not admitted yet gets its order key at the admission. */
    if (rc != LSCHED_OK || phase == JOB_NEW || phase == JOB_REFUSED) return rc;
    if (orders_by_priority(ch)) bundle_reorder(k, ch->job, -(int64_t)priority);
    if (ranks || !orders_by_priority(ch)) ask_all_again(k);
    return undo_room(k);
}

static int32_t set_retries(struct job_update *ch, lsched_error *err) {
    struct columns *k = ch->k;
    uint32_t cost = k->c[C_JOB_COST].u32[ch->job], b = k->c[C_JOB_BUNDLE].u32[ch->job];
    int32_t rc = arg_time(ch->u->backoff_us, "backoff_us", err);
    if (rc != LSCHED_OK) return rc;
    uint32_t max = cost == NO_ROW ? 0 : k->c[C_COST_RETRIES_MAX].u32[cost];
    int64_t backoff = cost == NO_ROW ? 0 : k->c[C_COST_BACKOFF].i64[cost];
    if (max == ch->u->retries_max && backoff == ch->u->backoff_us) return LSCHED_OK;
    cost = job_cost(k, ch->job);
    if (cost == NO_ROW || undo_room(k) != LSCHED_OK) return LSCHED_E_NOMEM;
    set_u32(k, C_COST_RETRIES_MAX, cost, ch->u->retries_max);
    set_i64(k, C_COST_BACKOFF, cost, ch->u->backoff_us);
    if (b == NO_ROW) return LSCHED_OK;
    uint32_t code = k->c[C_BUNDLE_CODE].u8[b];
    if (code == LSCHED_WAIT_BACKOFF || code == LSCHED_WAIT_RETRIES) bundle_wake(k, b);
    return undo_room(k);
}

/* The time decides when room is expected, and not which tasks are evicted. Therefore no waiting job
 * is tried again. */
static int32_t set_release(struct job_update *ch, lsched_error *err) {
    struct columns *k = ch->k;
    int32_t rc = arg_time(ch->u->release_us, "release_us", err);
    if (rc != LSCHED_OK || job_cost_release(k, ch->job, 0) == ch->u->release_us) return rc;
    uint32_t cost = job_cost(k, ch->job);
    if (cost == NO_ROW || undo_room(k) != LSCHED_OK) return LSCHED_E_NOMEM;
    set_i64(k, C_COST_RELEASE, cost, ch->u->release_us);
    set_meta(k, M_MOVES_VAIN, 0);
    return undo_room(k);
}

/* The time decides when room is expected, as release_us does. */
static int32_t set_checkpoint(struct job_update *ch, lsched_error *err) {
    struct columns *k = ch->k;
    int32_t rc = arg_time(ch->u->checkpoint_us, "checkpoint_us", err);
    if (rc != LSCHED_OK || job_cost_checkpoint_wait(k, ch->job) == ch->u->checkpoint_us) return rc;
    uint32_t cost = job_cost(k, ch->job);
    if (cost == NO_ROW || undo_room(k) != LSCHED_OK) return LSCHED_E_NOMEM;
    set_i64(k, C_COST_CHECKPOINT_WAIT, cost, ch->u->checkpoint_us);
    set_meta(k, M_MOVES_VAIN, 0);
    return undo_room(k);
}

/* A new time limit is checked against the soft limit, too. */
static int32_t set_soft_limit(struct job_update *ch, lsched_error *err) {
    struct columns *k = ch->k;
    int64_t limit =
        sets(ch, LSCHED_JOB_SET_SOFT_LIMIT) ? ch->u->soft_limit_us : soft_limit(k, ch->job);
    int32_t rc = arg_time(limit, "soft_limit_us", err);
    if (rc == LSCHED_OK)
        rc = soft_limit_form_check(text_of(k, k->c[C_JOB_NAME].u32[ch->job]),
                                   k->c[C_JOB_FLAGS].u8[ch->job], limit,
                                   job_limit_submitted(k, ch->job), err);
    return rc == LSCHED_OK ? soft_limit_set(k, ch->job, limit) : rc;
}

static int32_t set_disruptions(struct job_update *ch, lsched_error *err) {
    struct columns *k = ch->k;
    uint32_t cost = k->c[C_JOB_COST].u32[ch->job];
    int32_t rc = arg_time(ch->u->disruption_window_us, "disruption_window_us", err);
    if (rc != LSCHED_OK) return rc;
    if (ch->u->disruption_window_us && !ch->u->disruptions_max)
        return fail(err, LSCHED_E_INVAL, "a disruption_window_us of %lld, but disruptions_max is 0",
                    (long long)ch->u->disruption_window_us);
    uint32_t max = cost == NO_ROW ? 0 : k->c[C_COST_DISRUPTIONS_MAX].u32[cost];
    int64_t window = cost == NO_ROW ? 0 : k->c[C_COST_WINDOW].i64[cost];
    if (max == ch->u->disruptions_max && window == ch->u->disruption_window_us) return LSCHED_OK;
    cost = job_cost(k, ch->job);
    if (cost == NO_ROW || undo_room(k) != LSCHED_OK) return LSCHED_E_NOMEM;
    set_u32(k, C_COST_DISRUPTIONS_MAX, cost, ch->u->disruptions_max);
    set_i64(k, C_COST_WINDOW, cost, ch->u->disruption_window_us);
    task_touch_all(k, ch->job);
    evict_news(k); /* the tasks of the job can be victims now */
    return undo_room(k);
}

/* Ends everything that keeps the job from starting at once. */
static int32_t try_again(struct job_update *ch, lsched_error *err) {
    struct columns *k = ch->k;
    (void)err;
    task_touch_all(k, ch->job);
    stops_forget(k, ch->job);
    retry_reset(k, ch->job);
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK) rc = job_unhold(k, ch->job);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    refusal_reset(k, ch->job);
    return undo_room(k);
}

static int32_t set_times(struct job_update *ch, lsched_error *err) {
    const lsched_job_update *u = ch->u;
    const struct {
        uint32_t bit, column;
        int64_t us;
        const char *name;
    } times[] = {{LSCHED_JOB_SET_DURATION, C_JOB_DURATION, u->duration_us, "duration_us"},
                 {LSCHED_JOB_SET_DEADLINE, C_JOB_DEADLINE, u->deadline_us, "deadline_us"}};
    struct columns *k = ch->k;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        if (!sets(ch, times[i].bit)) continue;
        int32_t rc = arg_time(times[i].us, times[i].name, err);
        if (rc != LSCHED_OK) return rc;
        if (k->c[times[i].column].i64[ch->job] == times[i].us) continue;
        set_i64(k, times[i].column, ch->job, times[i].us);
        ch->visible = 1;
    }
    /* Planned starts wait for the estimated end of running jobs. */
    if (ch->visible) {
        bundles_plan_again(k);
        task_touch_all(k, ch->job);
    }
    if (!sets(ch, LSCHED_JOB_SET_TIME_LIMIT)) return LSCHED_OK;
    int32_t rc = arg_time(u->time_limit_us, "time_limit_us", err);
    if (rc != LSCHED_OK || u->time_limit_us == job_limit_submitted(k, ch->job)) return rc;
    ch->visible = 1;
    if (ch->c->policy.policy.desc.hooks & LSCHED_HOOK_TIME_LIMIT) set_meta(k, M_LIMIT_LATE, 1);
    return job_change_limit(k, ch->job, u->time_limit_us);
}

/* ---- queue, labels, groups ---- */

static int32_t set_queue(struct job_update *ch, lsched_error *err) {
    struct columns *k = ch->k;
    uint32_t old = k->c[C_JOB_QUEUE].u32[ch->job], queue = NO_ROW;
    const lsched_job_desc d = {.size = sizeof d,
                               .queue = ch->u->queue,
                               .queue_name = ch->u->queue_name,
                               .user = ch->u->user,
                               .user_group = ch->u->user_group};
    int was_out = ch->out;
    /* The job does not count while the bound of the new queue on its jobs is checked. */
    int64_t jobs = array_weight(k, ch->job);
    if (!was_out) queue_count(k, old, -jobs, 0);
    int32_t rc = submit_queue(k, &d, &queue, err);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    if (!was_out) queue_count(k, old, jobs, 0);
    if (queue == old) return LSCHED_OK;
    rc = must_be_free(ch, "queue", err);
    if (rc == LSCHED_OK) rc = job_update_leave(ch);
    if (rc != LSCHED_OK) return rc;
    stops_forget(k, ch->job); /* the mark counts events of the old queue's branch */
    queue_news(k, old);
    set_u32(k, C_JOB_QUEUE, ch->job, queue);
    return undo_room(k);
}

/* Sets *equal to 1 if the canonical bytes are those of the row's text. */
static int same_bytes(const struct columns *k, uint32_t table, uint32_t row,
                      const struct bytes *b) {
    if (row == NO_ROW || !b) return row == NO_ROW && !b;
    uint32_t text = intern_text(k, table, row);
    return text_len(k, text) == b->n && memcmp(text_bytes(k, text), b->p, b->n) == 0;
}

static int32_t set_labels(struct job_update *ch, lsched_error *err) {
    struct columns *k = ch->k;
    lsched_job_desc d = {.size = sizeof d, .labels = ch->u->labels, .n_labels = ch->u->n_labels};
    struct bytes b;
    const struct bytes *labels;
    d.name = text_of(k, k->c[C_JOB_NAME].u32[ch->job]);
    bytes_init(&b, k->alloc);
    int32_t rc = job_labels_read(&d, &b, &labels, err);
    if (rc == LSCHED_OK && !same_bytes(k, T_LABELS, k->c[C_JOB_LABELS].u32[ch->job], labels)) {
        rc = must_be_free(ch, "labels", err);
        if (rc == LSCHED_OK) rc = job_update_leave(ch);
        if (rc == LSCHED_OK) rc = job_change_labels(k, ch->job, labels);
    }
    bytes_close(&b);
    return rc;
}

static int32_t range_of_tasks(int32_t rc, lsched_error *err) {
    if (rc != LSCHED_E_RANGE) return rc;
    return fail(err, rc, "its tasks together ask for more than 2^62 of a resource");
}

/* True if the job's shape as submitted has these bytes. */
static int same_shape(const struct job_update *ch, const struct bytes *b) {
    return !job_minimum_replaced(ch->k, ch->job) &&
           same_bytes(ch->k, T_JOBSHAPE, ch->k->c[C_JOB_SHAPE].u32[ch->job], b);
}

static int32_t change_shape(struct job_update *ch, const struct bytes *b, lsched_error *err) {
    struct columns *k = ch->k;
    if (same_shape(ch, b)) return LSCHED_OK;
    int32_t rc = must_be_free(ch, "groups", err);
    if (rc == LSCHED_OK && k->c[C_JOB_LEAVES].u32[ch->job] != NO_ROW)
        return fail(err, LSCHED_E_STATE,
                    "its groups cannot change now: %u of its tasks are done; change the numbers of "
                    "tasks with LSCHED_JOB_SET_COUNTS, or submit another job",
                    job_count(k, ch->job).done);
    if (rc == LSCHED_OK) rc = job_update_leave(ch); /* restores the minimum as submitted */
    if (rc == LSCHED_OK && same_shape(ch, b)) return LSCHED_OK;
    if (rc == LSCHED_OK) rc = range_of_tasks(job_change_shape(k, ch->job, b->p, b->n), err);
    return rc == LSCHED_OK ? job_selectors_of_job(ch->c, ch->job, err) : rc;
}

static int32_t set_groups(struct job_update *ch, lsched_error *err) {
    struct columns *k = ch->k;
    uint32_t cost = k->c[C_JOB_COST].u32[ch->job];
    struct bytes b;
    const lsched_job_desc d = {
        .size = sizeof d,
        .flags = k->c[C_JOB_FLAGS].u8[ch->job] &
                 (LSCHED_JOB_NON_PREEMPTIBLE | LSCHED_JOB_INTERACTIVE | LSCHED_JOB_NEVER_PREEMPTS),
        .name = text_of(k, k->c[C_JOB_NAME].u32[ch->job]),
        .preemption_delay_us = cost == NO_ROW ? 0 : k->c[C_COST_DELAY].i64[cost],
        .groups = ch->u->groups,
        .n_groups = ch->u->n_groups,
        .group_elem_size = ch->u->group_elem_size};
    bytes_init(&b, k->alloc);
    int32_t rc = job_form_encode(k, &d, &b, err);
    if (rc == LSCHED_OK) rc = change_shape(ch, &b, err);
    bytes_close(&b);
    return rc;
}

static int32_t set_counts(struct job_update *ch, lsched_error *err) {
    struct columns *k = ch->k;
    struct job_update_counts n;
    int32_t rc = job_update_counts_read(k, ch->job, ch->u, &n, err);
    if (rc != LSCHED_OK || !n.changed) return rc;
    if (k->c[C_JOB_LEAVES].u32[ch->job] == NO_ROW) rc = job_update_leave(ch);
    if (rc != LSCHED_OK) return rc;
    return range_of_tasks(job_change_counts(k, ch->job, n.of), err);
}

/* ---- what the job waits for ---- */

/* Sets the begin and the expiry, which are checked together. */
static int32_t set_gate_times(struct job_update *ch, lsched_error *err) {
    struct columns *k = ch->k;
    uint32_t g = gate_row(k, ch->job);
    int64_t begin = g == NO_ROW ? 0 : k->c[C_GATE_BEGIN].i64[g],
            expires = g == NO_ROW ? 0 : k->c[C_GATE_EXPIRES].i64[g], was = begin, then = expires;
    if (sets(ch, LSCHED_JOB_SET_BEGIN)) begin = ch->u->begin_us;
    if (sets(ch, LSCHED_JOB_SET_EXPIRY)) expires = ch->u->expires_us;
    int32_t rc =
        begin == was && expires == then ? LSCHED_OK : dependency_form_times(k, begin, expires, err);
    if (rc == LSCHED_OK && (begin != was || expires != then))
        rc = must_be_free(ch, begin != was ? "begin" : "expiry", err);
    if (rc == LSCHED_OK && begin != was) rc = job_update_leave(ch);
    if (rc == LSCHED_OK && begin != was) rc = gate_change_begin(k, ch->job, begin);
    if (rc == LSCHED_OK && expires != then) rc = gate_change_expiry(k, ch->job, expires);
    return rc;
}

static int32_t set_dependencies(struct job_update *ch, lsched_error *err) {
    struct columns *k = ch->k;
    struct dependency_form f = {.list = ch->u->dependencies,
                                .n = ch->u->n_dependencies,
                                .elem_size = ch->u->dependency_elem_size,
                                .on_never = ch->u->on_never};
    int32_t rc = dependency_form_read(k, &f, err);
    if (rc != LSCHED_OK || gate_change_has(k, ch->job, f.needs, f.n, (uint8_t)f.on_never))
        return rc;
    rc = dependency_circle_check(k, &f, ch->job, err);
    if (rc == LSCHED_OK) rc = must_be_free(ch, "dependencies", err);
    if (rc == LSCHED_OK) rc = job_update_leave(ch);
    return rc == LSCHED_OK ? gate_change_needs(k, ch->job, f.needs, f.n, (uint8_t)f.on_never) : rc;
}

/* ---- the update ---- */

/* Lets the policy see what has changed. */
static int32_t job_update_finish(struct job_update *ch) {
    struct columns *k = ch->k;
    uint8_t phase = k->c[C_JOB_PHASE].u8[ch->job];
    int32_t rc = LSCHED_OK;
    if (ch->visible && !ch->out) {
        if (phase == JOB_REFUSED)
            job_ask_again(k, ch->job);
        else if (phase == JOB_QUEUED && k->c[C_JOB_LEAVES].u32[ch->job] == NO_ROW)
            rc = job_update_leave(ch);
        else if (phase != JOB_NEW && (ch->c->policy.policy.desc.hooks || !orders_by_priority(ch)))
            ask_all_again(k);
    }
    if (rc == LSCHED_OK && ch->out) rc = job_change_enter(k, ch->job);
    return rc == LSCHED_OK ? undo_room(k) : rc;
}

static int32_t set_tag(struct job_update *ch, lsched_error *err) {
    (void)err;
    if (ch->k->c[C_JOB_TAG].u64[ch->job] != ch->u->tag)
        set_u64(ch->k, C_JOB_TAG, ch->job, ch->u->tag);
    return LSCHED_OK;
}

static int32_t apply_fields(struct job_update *ch, lsched_error *err) {
    static const struct {
        uint32_t bits;
        int32_t (*set)(struct job_update *ch, lsched_error *err);
    } fields[] = {
        {LSCHED_JOB_SET_TAG, set_tag},
        {LSCHED_JOB_SET_DURATION | LSCHED_JOB_SET_DEADLINE | LSCHED_JOB_SET_TIME_LIMIT, set_times},
        {LSCHED_JOB_SET_SOFT_LIMIT | LSCHED_JOB_SET_TIME_LIMIT, set_soft_limit},
        {LSCHED_JOB_SET_RETRIES, set_retries},
        {LSCHED_JOB_SET_DISRUPTIONS, set_disruptions},
        {LSCHED_JOB_SET_RELEASE, set_release},
        {LSCHED_JOB_SET_CHECKPOINT, set_checkpoint},
        {LSCHED_JOB_SET_PRIORITY, set_priority},
        {LSCHED_JOB_SET_AGAIN, try_again},
        {LSCHED_JOB_SET_QUEUE, set_queue},
        {LSCHED_JOB_SET_LABELS, set_labels},
        {LSCHED_JOB_SET_GROUPS, set_groups},
        {LSCHED_JOB_SET_COUNTS, set_counts},
        {LSCHED_JOB_SET_BEGIN | LSCHED_JOB_SET_EXPIRY, set_gate_times},
        {LSCHED_JOB_SET_DEPENDENCIES, set_dependencies}};
    int32_t rc = LSCHED_OK;
    for (size_t i = 0; rc == LSCHED_OK && i < sizeof fields / sizeof *fields; i++)
        if (sets(ch, fields[i].bits)) rc = fields[i].set(ch, err);
    return rc == LSCHED_OK ? job_update_finish(ch) : rc;
}

static int32_t element_job_update(struct lsched_cluster *c, const struct call *call, size_t i,
                                  const void *element, lsched_error *err) {
    lsched_job_update u;
    struct job_update ch = {.c = c, .k = &c->k, .u = &u};
    (void)i;
    int32_t rc = arg_struct(&u, sizeof u, element, call->elem_size, "job update", err);
    if (rc == LSCHED_OK) rc = arg_ref(&c->k, u.job, u.name, LSCHED_KIND_JOB, &ch.job, err);
    if (rc == LSCHED_OK) rc = arg_reserved(u.reserved_zero, "reserved_zero", "job update", err);
    if (rc == LSCHED_OK) rc = array_form_changes(&c->k, ch.job, err);
    if (rc != LSCHED_OK) return rc;
    if (u.set & ~(2u * LSCHED_JOB_SET_SOFT_LIMIT - 1))
        return fail(err, LSCHED_E_INVAL, "unknown bits %#x in set; expected LSCHED_JOB_SET_*",
                    u.set & ~(2u * LSCHED_JOB_SET_SOFT_LIMIT - 1));
    if ((u.set & LSCHED_JOB_SET_GROUPS) && (u.set & LSCHED_JOB_SET_COUNTS))
        return fail(err, LSCHED_E_INVAL,
                    "both LSCHED_JOB_SET_GROUPS and LSCHED_JOB_SET_COUNTS; the groups have numbers "
                    "of tasks already");
    rc = apply_fields(&ch, err);
    return rc == LSCHED_OK ? array_form_check(&c->k, ch.job, err) : rc;
}

static const struct call_kind call_jobs_update = {.op = CALL_JOBS_UPDATE,
                                                  .apply = element_job_update,
                                                  .what = "job",
                                                  .object = LSCHED_KIND_JOB,
                                                  .struct_size = sizeof(lsched_job_update),
                                                  .name_at = offsetof(lsched_job_update, name),
                                                  .id_at = offsetof(lsched_job_update, job)};

LSCHED_API int32_t lsched_jobs_update(lsched_cluster *c, const lsched_job_update *updates, size_t n,
                                      size_t elem_size, const lsched_batch_opts *opts,
                                      int32_t *status, lsched_error *err) {
    struct call call = {.kind = &call_jobs_update,
                        .n = n,
                        .elem_size = elem_size,
                        .elements = updates,
                        .status = status};
    return door_batch(c, &call, opts, err);
}

/* ---- the end of a job ---- */

static int32_t element_job_complete(struct lsched_cluster *c, const struct call *call, size_t i,
                                    const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    uint32_t job;
    (void)i;
    int32_t rc = arg_id(k, *(const lsched_id *)element, LSCHED_KIND_JOB, &job, err);
    if (rc == LSCHED_E_STALE && call_is_idempotent(call)) return LSCHED_UNCHANGED;
    if (rc != LSCHED_OK) return rc;
    struct job_counts n = job_count(k, job);
    if (n.running + n.done > 0) return job_change_complete(k, job);
    rc = array_form_refuse(k, job, "complete its elements, which are jobs", err);
    if (rc != LSCHED_OK) return rc;
    lsched_text name = text_of(k, k->c[C_JOB_NAME].u32[job]);
    return fail(err, LSCHED_E_STATE,
                "no task of job '%.*s' runs or is done, so that it has nothing to complete; remove "
                "it instead",
                (int)name.len, name.ptr);
}

static const struct call_kind call_jobs_complete = {
    .op = CALL_JOBS_COMPLETE, .apply = element_job_complete, .object = LSCHED_KIND_JOB, .is_id = 1};

LSCHED_API int32_t lsched_jobs_complete(lsched_cluster *c, const lsched_id *jobs, size_t n,
                                        const lsched_batch_opts *opts, int32_t *status,
                                        lsched_error *err) {
    struct call call = {.kind = &call_jobs_complete,
                        .n = n,
                        .elem_size = sizeof *jobs,
                        .elements = jobs,
                        .status = status};
    return door_batch(c, &call, opts, err);
}
