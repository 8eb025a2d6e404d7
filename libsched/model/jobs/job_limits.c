/* job_limits.c -- see job_limits.h. */
#include "model/told/change_feed.h"
#include "model/told/warning_ops.h"
#include "model/jobs/job_limits.h"

#include "base/times.h"
#include "model/demand/host_end.h"
#include "model/dependencies/gate.h"
#include "model/demand/job_counts.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/job_cost.h"
#include "model/jobs/task_row.h"
#include "model/jobs/bundle.h"
#include "model/news/queue_news.h"
#include "model/demand/demand.h"

#define IDLE_SHARE 20 /* a task is busy if it uses more than a twentieth of its GPU amount */

static int due_before(const struct columns *k, uint32_t a, uint32_t b) {
    int64_t x = k->c[C_WATCH_DUE].i64[a], y = k->c[C_WATCH_DUE].i64[b];
    if (x != y) return x < y;
    return text_compare(k, k->c[C_JOB_NAME].u32[k->c[C_WATCH_JOB].u32[a]],
                        k->c[C_JOB_NAME].u32[k->c[C_WATCH_JOB].u32[b]]) < 0;
}

/* Heap of WATCH rows; the row with the earliest due time is at the top. */
static const struct heap_kind due_heap = {C_WATCH_HEAP_L, C_WATCH_HEAP_R, C_WATCH_HEAP_P,
                                          C_WATCH_HEAP_D, due_before};

uint32_t job_limits_get(struct columns *k, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job];
    if (w != NO_ROW) return w;
    w = row_new(k, T_WATCH);
    if (w == NO_ROW) return NO_ROW;
    set_u32(k, C_WATCH_JOB, w, job);
    SET_NONE(k, w, C_WATCH_HEAP_L, C_WATCH_HEAP_R, C_WATCH_HEAP_P, C_WATCH_HOST_REASON,
             C_WATCH_HOST_L, C_WATCH_HOST_R, C_WATCH_HOST_P);
    set_u32(k, C_JOB_WATCH, job, w);
    return w;
}

void job_limits_drop(struct columns *k, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job];
    job_minimum_late(k, job, 0);
    if (w == NO_ROW) return;
    host_end_drop(k, job);
    gate_end(k, job);
    if (k->warnings) k->warnings->watch_ends(k, w);
    assert(k->c[C_WATCH_HEAP_D].u8[w] == 0);
    row_free(k, T_WATCH, w);
    set_u32(k, C_JOB_WATCH, job, NO_ROW);
}

/* ---- start of the current run ---- */

int64_t job_since(const struct columns *k, uint32_t job) {
    int64_t since = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        int64_t s = k->c[C_LEAF_SINCE].i64[l];
        if (s != 0 && (since == 0 || s < since)) since = s;
    }
    return since;
}

int64_t job_runtime_us(const struct columns *k, uint32_t job, int64_t now) {
    int64_t since = job_since(k, job);
    if (k->c[C_JOB_LEAVES].u32[job] == NO_ROW || job_count(k, job).running == 0) return 0;
    if (since < 0) since = 0;
    return now > since ? now - since : 0;
}

static int64_t job_limits_due_of(const struct columns *k, uint32_t job, uint32_t w) {
    int64_t since = job_since(k, job), limit = k->c[C_WATCH_LIMIT_NOW].i64[w];
    int64_t due = since;
    if (!k->c[C_WATCH_HELD].u8[w]) due = time_after_at_most(since, limit);
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    int64_t spared = cost == NO_ROW ? 0 : k->c[C_COST_SPARED_TO].i64[cost];
    return due < spared ? spared : due;
}

/* Computes the job's due time, and inserts the job's WATCH row into the heap or takes the row
 * out. */
static void rank(struct columns *k, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job], root = (uint32_t)meta(k, M_DUE_HEAD);
    if (w == NO_ROW) return;
    int watched = k->c[C_WATCH_LIMIT_NOW].i64[w] > 0 || k->c[C_WATCH_HELD].u8[w];
    int wanted = watched && job_count(k, job).running > 0, inside = k->c[C_WATCH_HEAP_D].u8[w] != 0;
    int64_t due = wanted ? job_limits_due_of(k, job, w) : 0;
    if (inside == wanted && due == k->c[C_WATCH_DUE].i64[w]) return;
    if (inside) root = heap_remove(k, &due_heap, root, w);
    set_i64(k, C_WATCH_DUE, w, due);
    if (wanted) root = heap_insert(k, &due_heap, root, w);
    set_meta(k, M_DUE_HEAD, root);
    set_meta(k, M_DUE_TRIED, 0);
}

/* Does the same, and tells the warnings: tasks of the job can run that have another end now. */
static void due_changed(struct columns *k, uint32_t job) {
    int64_t was = job_due(k, job);
    rank(k, job);
    if (k->warnings && job_due(k, job) != was)
        k->warnings->due_moved(k, k->c[C_JOB_WATCH].u32[job]);
}

void job_limits_moved(struct columns *k, uint32_t job) {
    rank(k, job);
}

void job_limits_began(struct columns *k, uint32_t task) {
    uint32_t leaf = k->c[C_TASK_LEAF].u32[task];
    int64_t since = k->c[C_TASK_SINCE].i64[task], first = k->c[C_LEAF_SINCE].i64[leaf];
    /* 0 means "no task runs" in LEAF.SINCE, and a clock can begin at 0 */
    if (since == 0) since = 1;
    if (first == 0 || since < first) set_i64(k, C_LEAF_SINCE, leaf, since);
    uint32_t job = k->c[C_TASK_JOB].u32[task];
    if (job_due(k, job) == LSCHED_NEVER_US)
        rank(k, job); /* no other task of the job has another end now */
    else
        due_changed(k, job);
    gate_started(k, k->c[C_TASK_JOB].u32[task], since);
}

void job_limits_ended(struct columns *k, uint32_t job) {
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    if (job_count(k, job).running == 0 && job_releasing(k, job) == 0) {
        for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
            set_i64(k, C_LEAF_SINCE, l, 0);
        if (cost != NO_ROW) set_i64(k, C_COST_SPARED_TO, cost, 0);
    }
    rank(k, job);
}

/* ---- limits ---- */

int32_t job_limits_set(struct columns *k, uint32_t job, int64_t limit_now) {
    if (limit_now == job_limit(k, job)) return LSCHED_OK;
    uint32_t w = job_limits_get(k, job);
    if (w == NO_ROW) return LSCHED_E_NOMEM;
    set_i64(k, C_WATCH_LIMIT_NOW, w, limit_now);
    /* planned starts wait for the expected end of running jobs; a new job without tasks is in no
     * plan yet */
    if (k->c[C_JOB_PHASE].u8[job] != JOB_NEW || k->c[C_JOB_LEAVES].u32[job] != NO_ROW)
        bundles_plan_again(k);
    task_touch_all(k, job); /* plans over time keep the expected ends of tasks */
    touch_job(k, job);
    due_changed(k, job);
    return LSCHED_OK;
}

int64_t job_due(const struct columns *k, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job];
    return w == NO_ROW || k->c[C_WATCH_HEAP_D].u8[w] == 0 ? LSCHED_NEVER_US
                                                          : k->c[C_WATCH_DUE].i64[w];
}

uint32_t job_limits_first(const struct columns *k, int64_t *due) {
    uint32_t w = (uint32_t)meta(k, M_DUE_HEAD);
    *due = w == NO_ROW ? LSCHED_NEVER_US : k->c[C_WATCH_DUE].i64[w];
    return w == NO_ROW ? NO_ROW : k->c[C_WATCH_JOB].u32[w];
}

int32_t job_limits_spare(struct columns *k, uint32_t job, int64_t until) {
    uint32_t cost = job_cost(k, job);
    if (cost == NO_ROW) return LSCHED_E_NOMEM;
    set_i64(k, C_COST_SPARED_TO, cost, until);
    due_changed(k, job);
    return LSCHED_OK;
}

/* ---- held jobs ---- */

/* Sets why a job with a WATCH row is held. Its waiting tasks do not count in the demand then. */
static void held_set(struct columns *k, uint32_t job, uint8_t why) {
    struct demand_note demand;
    demand_begin(k, job, NO_ROW, &demand);
    set_u8(k, C_WATCH_HELD, k->c[C_JOB_WATCH].u32[job], why);
    demand_end(k, job, &demand);
    evict_news(k); /* fair shares can have changed */
}

int32_t job_hold(struct columns *k, uint32_t job, uint8_t why, int64_t us) {
    uint32_t w = job_limits_get(k, job), cost = w == NO_ROW ? NO_ROW : job_cost(k, job);
    if (cost == NO_ROW) return LSCHED_E_NOMEM;
    change_feed_note_job(k, LSCHED_CHANGE_HELD, job, NO_ROW, why, 0);
    held_set(k, job, why);
    set_i64(k, C_COST_HELD_US, cost, us);
    rank(k, job);
    return LSCHED_OK;
}

int32_t job_unhold(struct columns *k, uint32_t job) {
    if (!job_held(k, job)) return LSCHED_OK;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    uint32_t why = change_feed_because(k, LSCHED_BECAUSE_REQUEST);
    change_feed_note_job(k, LSCHED_CHANGE_RELEASED, job, NO_ROW, 0, 0);
    change_feed_because(k, why);
    held_set(k, job, 0);
    set_i64(k, C_COST_HELD_US, k->c[C_JOB_COST].u32[job], 0);
    due_changed(k, job);
    if (b == NO_ROW || k->c[C_BUNDLE_CODE].u8[b] != LSCHED_WAIT_HELD) return LSCHED_OK;
    if (!job_satisfied(k, job)) {
        bundle_wake(k, b);
        return LSCHED_OK;
    }
    /* a job without a minimum grows from its first task on, and a held job has no such bundle */
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    bundle_leave(k, job);
    return job_rejoin(k, job);
}

/* ---- another minimum ---- */

void job_minimum_late(struct columns *k, uint32_t job, int late) {
    uint8_t flags = k->c[C_JOB_FLAGS].u8[job];
    if (!(flags & JOB_MIN_LATE) == !late) return;
    set_u8(k, C_JOB_FLAGS, job, (uint8_t)(flags ^ JOB_MIN_LATE));
    set_meta(k, M_MIN_LATE, meta(k, M_MIN_LATE) + (late ? 1 : UINT64_MAX));
}

int job_takes_minimum(const struct columns *k, uint32_t job) {
    return k->c[C_JOB_LEAVES].u32[job] == NO_ROW &&
           k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_JOB_SHAPE].u32[job]] == 1;
}

int job_minimum_replaced(const struct columns *k, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job];
    return w != NO_ROW && k->c[C_WATCH_MIN].u32[w] != 0;
}

uint32_t job_minimum_submitted(const struct columns *k, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job], given = w == NO_ROW ? 0 : k->c[C_WATCH_MIN].u32[w];
    return given ? given - 1 : jobshape_least(k, k->c[C_JOB_SHAPE].u32[job]);
}

int32_t job_set_minimum(struct columns *k, uint32_t job, uint32_t min) {
    uint32_t old = k->c[C_JOB_SHAPE].u32[job], given = job_minimum_submitted(k, job), shape;
    assert(job_takes_minimum(k, job));
    uint32_t row = group_row(k, old, 0), whole = k->c[C_GROUP_SLICE_TASKS0].u32[row];
    if (min == 0) min = given;
    if (whole) min = (min + whole - 1) / whole * whole; /* a task block starts only as a whole */
    if (min == k->c[C_GROUP_MIN].u32[row]) return LSCHED_OK;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t w = job_limits_get(k, job);
    if (w == NO_ROW) return LSCHED_E_NOMEM;
    rc = jobshape_with_minimum(k, old, min, &shape);
    if (rc == LSCHED_OK) rc = undo_room_for(k, jobshape_drop_records(k, old));
    if (rc != LSCHED_OK) return rc;
    int queued = k->c[C_JOB_PHASE].u8[job] == JOB_QUEUED;
    if (queued) bundle_leave(k, job);
    struct demand_note demand;
    demand_begin(k, job, NO_ROW, &demand);
    set_u32(k, C_JOB_SHAPE, job, shape);
    demand_end(k, job, &demand);
    set_u32(k, C_WATCH_MIN, w, min == given ? 0 : given + 1);
    jobshape_drop(k, old);
    return queued ? job_rejoin(k, job) : LSCHED_OK;
}

/* ---- use of devices ---- */

static int64_t gpu_of(const struct columns *k, uint32_t task) {
    return task_amount(k, task, LSCHED_GPU);
}

void usage_busy(struct columns *k, uint32_t task, uint32_t usage) {
    int64_t at = k->c[C_USAGE_AT].i64[usage];
    if (k->c[C_USAGE_AMOUNT].i64[usage] > gpu_of(k, task) / IDLE_SHARE)
        set_i64(k, C_USAGE_BUSY_AT, usage, at);
}

static uint32_t gpu_sample(const struct columns *k, uint32_t task) {
    uint32_t u = k->c[C_TASK_USAGE].u32[task];
    while (u != NO_ROW && k->c[C_USAGE_KIND].u32[u] != LSCHED_GPU) u = k->c[C_USAGE_NEXT].u32[u];
    return u;
}

/* The GPU amounts that the job's running tasks hold and use, in sum. A task without a usage
 * sample counts as using its whole GPU amount. */
struct device_use {
    int64_t held, used, busy_at;
    uint32_t samples;
};

static struct device_use device_use(const struct columns *k, uint32_t job) {
    struct device_use d = {0, 0, 0, 0};
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            int64_t held = gpu_of(k, t);
            if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING || held == 0) continue;
            uint32_t u = gpu_sample(k, t);
            int64_t amount = u == NO_ROW ? held : k->c[C_USAGE_AMOUNT].i64[u];
            d.held += held;
            d.used += amount < held ? amount : held;
            if (u == NO_ROW) continue;
            d.samples++;
            if (k->c[C_USAGE_BUSY_AT].i64[u] > d.busy_at) d.busy_at = k->c[C_USAGE_BUSY_AT].i64[u];
        }
    }
    return d;
}

int64_t job_gpu_used_milli(const struct columns *k, uint32_t job) {
    struct device_use d = device_use(k, job);
    if (d.samples == 0) return 1000;
    return d.used / d.held * 1000 + d.used % d.held * 1000 / d.held;
}

int64_t job_idle_us(const struct columns *k, uint32_t job, int64_t now) {
    struct device_use d = device_use(k, job);
    int64_t since = job_since(k, job), from = d.busy_at > since ? d.busy_at : since;
    if (from < 0) from = 0;
    return d.samples == 0 || now <= from ? 0 : now - from;
}
