/* job.c -- see job.h. */
#include "model/jobs/job.h"

#include "model/queues/nonpreemptible_use.h"
#include "model/jobs/releasing.h"
#include "model/shapes/pool.h"
#include "model/queues/queue.h"
#include "model/jobs/job_limits.h"

/* ---- lists of jobs that are not admitted; linked through the heap columns, which these jobs do
 * not need yet ---- */

static void wait_link(struct columns *k, uint32_t job, uint32_t head, uint32_t tail) {
    uint32_t last = (uint32_t)meta(k, tail);
    set_u32(k, C_JOB_HEAP_L, job, NO_ROW);
    set_u32(k, C_JOB_HEAP_R, job, last);
    if (last != NO_ROW)
        set_u32(k, C_JOB_HEAP_L, last, job);
    else
        set_meta(k, head, job);
    set_meta(k, tail, job);
}

static void wait_unlink(struct columns *k, uint32_t job, uint32_t head, uint32_t tail) {
    uint32_t next = k->c[C_JOB_HEAP_L].u32[job], prev = k->c[C_JOB_HEAP_R].u32[job];
    if (next != NO_ROW)
        set_u32(k, C_JOB_HEAP_R, next, prev);
    else
        set_meta(k, tail, prev);
    if (prev != NO_ROW)
        set_u32(k, C_JOB_HEAP_L, prev, next);
    else
        set_meta(k, head, next);
}

static void list_leave(struct columns *k, uint32_t job) {
    uint8_t phase = k->c[C_JOB_PHASE].u8[job];
    if (phase == JOB_NEW) wait_unlink(k, job, M_WAIT_HEAD, M_WAIT_TAIL);
    if (phase != JOB_REFUSED) return;
    wait_unlink(k, job, M_REFUSED_HEAD, M_REFUSED_TAIL);
    set_meta(k, M_REFUSED_JOBS, meta(k, M_REFUSED_JOBS) - 1);
}

static void pending_add(struct columns *k, uint32_t job, int64_t d) {
    set_meta(k, M_PENDING_JOBS, meta(k, M_PENDING_JOBS) + (uint64_t)d);
    queue_count(k, k->c[C_JOB_QUEUE].u32[job], 0, d);
}

static void reason_drop(struct columns *k, uint32_t job) {
    uint32_t reason = k->c[C_JOB_REASON].u32[job];
    if (reason == NO_ROW) return;
    set_u8(k, C_JOB_FLAGS, job, (uint8_t)(k->c[C_JOB_FLAGS].u8[job] & ~JOB_HOOK_FAILED));
    intern_drop(k, T_STRING, reason);
    set_u32(k, C_JOB_REASON, job, NO_ROW);
}

/* Stores the less common values of a job; a job that has none of them gets no COST row. */
static int32_t cost_add(struct columns *k, uint32_t job, const struct job_spec *spec) {
    if (!spec->restart && !spec->checkpoint && !spec->delay && !spec->grace && !spec->window &&
        !spec->backoff && !spec->disruptions_max && !spec->retries_max)
        return LSCHED_OK;
    uint32_t cost = job_cost(k, job);
    if (cost == NO_ROW) return LSCHED_E_NOMEM;
    set_i64(k, C_COST_RESTART, cost, spec->restart);
    set_i64(k, C_COST_CHECKPOINT, cost, spec->checkpoint);
    set_i64(k, C_COST_DELAY, cost, spec->delay);
    set_i64(k, C_COST_GRACE, cost, spec->grace);
    set_i64(k, C_COST_WINDOW, cost, spec->window);
    set_i64(k, C_COST_BACKOFF, cost, spec->backoff);
    set_u32(k, C_COST_DISRUPTIONS_MAX, cost, spec->disruptions_max);
    set_u32(k, C_COST_RETRIES_MAX, cost, spec->retries_max);
    return LSCHED_OK;
}

static int32_t limit_add(struct columns *k, uint32_t job, int64_t limit) {
    if (limit == 0) return LSCHED_OK;
    int32_t rc = job_limits_set(k, job, limit);
    if (rc == LSCHED_OK) set_i64(k, C_WATCH_LIMIT, k->c[C_JOB_WATCH].u32[job], limit);
    return rc;
}

static int32_t labels_add(struct columns *k, uint32_t job, const struct bytes *labels) {
    int created;
    uint32_t row = labels ? intern_get(k, T_LABELS, labels->p, labels->n, &created) : NO_ROW;
    set_u32(k, C_JOB_LABELS, job, row);
    /* A node can have the same set of labels, now or later, so its pools are computed. */
    if (row != NO_ROW) pool_fill(k, row);
    return labels && row == NO_ROW ? LSCHED_E_NOMEM : undo_room(k);
}

int32_t job_add(struct columns *k, const struct job_spec *spec, uint32_t *out) {
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK) rc = index_reserve(k, T_IX_JOB, 1);
    if (rc != LSCHED_OK) return rc;
    uint32_t text = text_new(k, spec->name.ptr, (size_t)spec->name.len);
    uint32_t job = text == NO_ROW ? NO_ROW : row_new(k, T_JOB);
    if (job == NO_ROW) return LSCHED_E_NOMEM;
    uint32_t shape;
    rc = jobshape_get(k, spec->shape_bytes, spec->shape_n, &shape);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    set_u32(k, C_JOB_NAME, job, text);
    set_u64(k, C_JOB_TAG, job, spec->tag);
    set_u32(k, C_JOB_QUEUE, job, spec->queue);
    set_u32(k, C_JOB_SHAPE, job, shape);
    set_i32(k, C_JOB_PRIORITY, job, spec->priority);
    set_u8(k, C_JOB_FLAGS, job, (uint8_t)spec->flags);
    set_i64(k, C_JOB_SUBMIT, job, spec->submit);
    set_i64(k, C_JOB_DURATION, job, spec->duration);
    set_i64(k, C_JOB_DEADLINE, job, spec->deadline);
    set_u32(k, C_JOB_COST, job, NO_ROW);
    set_u32(k, C_JOB_WATCH, job, NO_ROW);
    set_u32(k, C_JOB_REASON, job, NO_ROW);
    set_u32(k, C_JOB_BUNDLE, job, NO_ROW);
    set_u32(k, C_JOB_LEAVES, job, NO_ROW);
    set_u8(k, C_JOB_PHASE, job, JOB_NEW);
    rc = labels_add(k, job, spec->labels);
    if (rc == LSCHED_OK) rc = demand_ask(k, job);
    if (rc != LSCHED_OK) return rc;
    wait_link(k, job, M_WAIT_HEAD, M_WAIT_TAIL);
    index_add(k, T_IX_JOB, job);
    queue_count(k, spec->queue, 1, 0);
    pending_add(k, job, 1);
    rc = cost_add(k, job, spec);
    if (rc == LSCHED_OK) rc = limit_add(k, job, spec->limit);
    if (rc != LSCHED_OK) return rc;
    *out = job;
    return LSCHED_OK;
}

uint32_t job_cost(struct columns *k, uint32_t job) {
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    if (cost != NO_ROW) return cost;
    cost = row_new(k, T_COST);
    if (cost == NO_ROW) return NO_ROW;
    set_u32(k, C_COST_JOB, cost, job);
    set_i64(k, C_COST_STALE_SINCE, cost, LSCHED_NEVER_US);
    set_u32(k, C_JOB_COST, job, cost);
    return cost;
}

void job_remove(struct columns *k, uint32_t job) {
    assert(k->c[C_JOB_LEAVES].u32[job] == NO_ROW);
    uint8_t phase = k->c[C_JOB_PHASE].u8[job];
    demand_end(k, job);
    list_leave(k, job);
    if (phase == JOB_QUEUED) bundle_leave(k, job);
    reason_drop(k, job);
    if (phase != JOB_FULL) pending_add(k, job, -1);
    queue_count(k, k->c[C_JOB_QUEUE].u32[job], -1, 0);
    job_limits_drop(k, job);
    if (k->c[C_JOB_COST].u32[job] != NO_ROW) row_free(k, T_COST, k->c[C_JOB_COST].u32[job]);
    index_remove(k, T_IX_JOB, job);
    if (k->c[C_JOB_LABELS].u32[job] != NO_ROW)
        intern_drop(k, T_LABELS, k->c[C_JOB_LABELS].u32[job]);
    jobshape_drop(k, k->c[C_JOB_SHAPE].u32[job]);
    text_free(k, k->c[C_JOB_NAME].u32[job]);
    row_free(k, T_JOB, job);
}

void job_set_order(struct columns *k, uint32_t job, int64_t order) {
    bundle_reorder(k, job, order);
}

void job_refuse(struct columns *k, uint32_t job, uint32_t reason, int failed) {
    list_leave(k, job);
    reason_drop(k, job);
    if (failed) set_u8(k, C_JOB_FLAGS, job, (uint8_t)(k->c[C_JOB_FLAGS].u8[job] | JOB_HOOK_FAILED));
    set_u32(k, C_JOB_REASON, job, reason);
    set_u8(k, C_JOB_PHASE, job, JOB_REFUSED);
    wait_link(k, job, M_REFUSED_HEAD, M_REFUSED_TAIL);
    set_meta(k, M_REFUSED_JOBS, meta(k, M_REFUSED_JOBS) + 1);
}

void job_ask_again(struct columns *k, uint32_t job) {
    list_leave(k, job);
    reason_drop(k, job);
    set_u8(k, C_JOB_PHASE, job, JOB_NEW);
    wait_link(k, job, M_WAIT_HEAD, M_WAIT_TAIL);
}

/* ---- counts ---- */

uint32_t job_leaf_held(const struct columns *k, uint32_t job, uint32_t group) {
    uint32_t l = job_leaf(k, job, group);
    return l == NO_ROW ? 0 : k->c[C_LEAF_PLACED].u32[l] + k->c[C_LEAF_DONE].u32[l];
}

struct job_counts job_count(const struct columns *k, uint32_t job) {
    struct job_counts n = {0, 0, 0};
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        n.placed += k->c[C_LEAF_PLACED].u32[l];
        n.running += k->c[C_LEAF_RUNNING].u32[l];
        n.done += k->c[C_LEAF_DONE].u32[l];
    }
    return n;
}

/* Says which tasks of a leaf group count as members. */
enum members { MEMBERS_DONE, MEMBERS_WITHOUT_NOMINATIONS, MEMBERS_ALL };

static uint32_t members(const struct columns *k, uint32_t job, uint32_t group, enum members which) {
    uint32_t l = job_leaf(k, job, group);
    if (l == NO_ROW) return 0;
    if (which == MEMBERS_DONE) return k->c[C_LEAF_DONE].u32[l];
    uint32_t held = k->c[C_LEAF_PLACED].u32[l] + k->c[C_LEAF_DONE].u32[l];
    return which == MEMBERS_ALL ? held : held - k->c[C_LEAF_NOMINATED].u32[l];
}

static int satisfied_by(const struct columns *k, uint32_t job, enum members which) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job], n = k->c[C_JOBSHAPE_N_GROUPS].u32[shape];
    uint32_t first = group_row(k, shape, 0), satisfied[LSCHED_GROUPS_PER_JOB_MAX];
    memset(satisfied, 0, n * sizeof *satisfied); /* clears only the groups that the job has */
    for (uint32_t g = n; g-- > 0;) {
        uint32_t need = k->c[C_GROUP_MIN].u32[first + g];
        int leaf = k->c[C_GROUP_CHILDREN].u32[first + g] == 0;
        int good = leaf ? members(k, job, g, which) >= need : satisfied[g] >= need;
        if (g == 0) return good;
        if (good) satisfied[k->c[C_GROUP_PARENT].u32[first + g]]++;
    }
    return 0;
}

uint32_t job_leaf_stands(const struct columns *k, uint32_t job, uint32_t group) {
    return members(k, job, group, MEMBERS_WITHOUT_NOMINATIONS);
}

int job_satisfied(const struct columns *k, uint32_t job) {
    return satisfied_by(k, job, MEMBERS_ALL);
}

int job_stands(const struct columns *k, uint32_t job) {
    return satisfied_by(k, job, MEMBERS_WITHOUT_NOMINATIONS);
}

int job_stands_done(const struct columns *k, uint32_t job) {
    return satisfied_by(k, job, MEMBERS_DONE);
}

uint32_t job_group_of_task(const struct columns *k, uint32_t job, uint32_t index) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job], n = k->c[C_JOBSHAPE_N_GROUPS].u32[shape];
    uint32_t first = group_row(k, shape, 0);
    for (uint32_t g = 0; g < n; g++) {
        if (k->c[C_GROUP_CHILDREN].u32[first + g]) continue;
        uint32_t base = k->c[C_GROUP_BASE].u32[first + g];
        if (index >= base && index - base < k->c[C_GROUP_MAX].u32[first + g]) return g;
    }
    return NO_ROW;
}

static void need_add(const struct columns *k, uint32_t shape, int64_t n, int64_t *need) {
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        need[r] += k->c[C_SHAPE_REQ + r].i64[shape] * n;
}

/* Keeps as many of a group's children as the group needs: satisfied children first, then those
 * that lack the fewest tasks. The other children are dropped, and their missing tasks do not
 * count. */
static void drop_needless(const struct columns *k, uint32_t first, uint32_t n, uint32_t group,
                          const uint32_t *sum, uint8_t *dropped) {
    uint32_t kept = 0, need = k->c[C_GROUP_MIN].u32[first + group];
    for (; kept < need; kept++) {
        uint32_t best = NO_ROW;
        for (uint32_t g = group + 1; g < n; g++)
            if (k->c[C_GROUP_PARENT].u32[first + g] == group && dropped[g] == 2 &&
                (best == NO_ROW || sum[g] < sum[best]))
                best = g;
        if (best == NO_ROW) break;
        dropped[best] = 0;
    }
    for (uint32_t g = group + 1; g < n; g++)
        if (k->c[C_GROUP_PARENT].u32[first + g] == group && dropped[g] == 2) dropped[g] = 1;
}

void group_lacks(const struct columns *k, uint32_t job, uint32_t group,
                 uint32_t lacks[LSCHED_GROUPS_PER_JOB_MAX]) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job], n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape],
             first = group_row(k, jobshape, 0), sum[LSCHED_GROUPS_PER_JOB_MAX];
    uint8_t dropped[LSCHED_GROUPS_PER_JOB_MAX];
    memset(lacks, 0, LSCHED_GROUPS_PER_JOB_MAX * sizeof *lacks);
    memset(dropped, 2, sizeof dropped); /* 2: not decided yet */
    for (uint32_t g = n; g-- > 0;) {
        sum[g] = 0;
        if (k->c[C_GROUP_CHILDREN].u32[first + g] == 0) {
            uint32_t held = job_leaf_held(k, job, g), min = k->c[C_GROUP_MIN].u32[first + g];
            sum[g] = lacks[g] = held < min ? min - held : 0;
            continue;
        }
        drop_needless(k, first, n, g, sum, dropped);
        for (uint32_t c = g + 1; c < n; c++)
            if (k->c[C_GROUP_PARENT].u32[first + c] == g && !dropped[c]) sum[g] += sum[c];
    }
    for (uint32_t g = 0; g < n; g++) { /* a parent has a lower index than its children */
        if (g <= group)
            dropped[g] = g < group;
        else
            dropped[g] |= dropped[k->c[C_GROUP_PARENT].u32[first + g]];
        if (dropped[g]) lacks[g] = 0;
    }
}

void job_lacks(const struct columns *k, uint32_t job, uint32_t lacks[LSCHED_GROUPS_PER_JOB_MAX]) {
    group_lacks(k, job, 0, lacks);
}

void job_next_need(const struct columns *k, uint32_t job, int64_t *need) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job], n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape],
             first = group_row(k, jobshape, 0), lacks[LSCHED_GROUPS_PER_JOB_MAX];
    int satisfied = job_satisfied(k, job);
    if (!satisfied) job_lacks(k, job, lacks);
    for (uint32_t g = 0; g < n; g++) {
        uint32_t shape = leaf_shape(k, job, g);
        if (shape == NO_ROW) continue;
        if (!satisfied && lacks[g]) need_add(k, shape, lacks[g], need);
        if (!satisfied || job_leaf_held(k, job, g) >= k->c[C_GROUP_MAX].u32[first + g]) continue;
        need_add(k, shape, 1, need);
        return;
    }
}

/* ---- bundles ---- */

static uint32_t bundle_kind_of(const struct columns *k, uint32_t job, struct job_counts n) {
    if (job_held(k, job)) return BUNDLE_ALONE;
    if (n.placed + n.done == 0 && k->c[C_JOBSHAPE_TASKS_MIN].u32[k->c[C_JOB_SHAPE].u32[job]] > 0)
        return BUNDLE_START;
    return job_satisfied(k, job) ? BUNDLE_GROW : BUNDLE_REPAIR;
}

int32_t job_park_alone(struct columns *k, uint32_t job, int64_t until,
                       const struct park_reason *why) {
    int32_t rc = undo_room(k);
    /* The only job of a shared bundle leaves the bundle, too. Otherwise an equal job that comes
     * later would join the parked bundle. */
    if (rc == LSCHED_OK && k->c[C_BUNDLE_JOB].u32[k->c[C_JOB_BUNDLE].u32[job]] == NO_ROW)
        rc = job_isolate(k, job);
    if (rc != LSCHED_OK) return rc;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    bundle_park_until(k, b, until, why);
    set_u64(k, C_BUNDLE_TRIED, b, meta(k, M_CYCLE));
    return LSCHED_OK;
}

int32_t job_rejoin(struct columns *k, uint32_t job) {
    int32_t rc = bundle_join(k, job, bundle_kind_of(k, job, job_count(k, job)));
    if (rc != LSCHED_OK || !job_held(k, job)) return rc;
    struct park_reason why = {.code = LSCHED_WAIT_HELD, .limiting_queue = NO_ROW};
    bundle_park_until(k, k->c[C_JOB_BUNDLE].u32[job], LSCHED_NEVER_US, &why);
    return LSCHED_OK;
}

int32_t job_admit(struct columns *k, uint32_t job) {
    demand_admit(k, job);
    list_leave(k, job);
    reason_drop(k, job);
    int leaves = job_releasing(k, job) > 0;
    set_u8(k, C_JOB_PHASE, job, leaves ? JOB_RELEASING : JOB_QUEUED);
    return leaves ? LSCHED_OK : job_rejoin(k, job);
}

int32_t job_requeue(struct columns *k, uint32_t job) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint8_t phase = k->c[C_JOB_PHASE].u8[job];
    struct job_counts n = job_count(k, job);
    int full = n.placed + n.done == k->c[C_JOBSHAPE_TASKS].u32[k->c[C_JOB_SHAPE].u32[job]];
    if (phase == JOB_NEW || phase == JOB_REFUSED) {
        if (!full) return LSCHED_OK; /* imported tasks can be placed before the job is admitted */
        set_meta(k, M_UNKEYED, 1);
        demand_admit(k, job);
        list_leave(k, job);
        reason_drop(k, job);
    }
    if (full) {
        if (phase == JOB_QUEUED) bundle_leave(k, job);
        if (phase != JOB_FULL) pending_add(k, job, -1);
        set_u8(k, C_JOB_PHASE, job, JOB_FULL);
        return LSCHED_OK;
    }
    if (phase == JOB_FULL) pending_add(k, job, 1);
    if (job_releasing(k, job)) {
        if (phase == JOB_QUEUED) bundle_leave(k, job);
        set_u8(k, C_JOB_PHASE, job, JOB_RELEASING);
        return LSCHED_OK;
    }
    uint32_t kind = bundle_kind_of(k, job, n);
    if (phase == JOB_QUEUED) {
        uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
        if (k->c[C_BUNDLE_KIND].u8[b] == kind && !job_held(k, job)) {
            /* A parked job is tried again, because it can need less now. */
            if (k->c[C_BUNDLE_JOB].u32[b] != NO_ROW) bundle_wake(k, b);
            return LSCHED_OK;
        }
        bundle_leave(k, job);
    }
    set_u8(k, C_JOB_PHASE, job, JOB_QUEUED);
    return job_rejoin(k, job);
}

int32_t job_isolate(struct columns *k, uint32_t job) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    bundle_leave(k, job);
    return bundle_join(k, job, BUNDLE_ALONE);
}
