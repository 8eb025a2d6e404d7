/* job_change.c -- see job_change.h. */
#include "model/life/job_change.h"

#include "model/arrays/array.h"
#include "model/dependencies/gate.h"
#include "model/demand/job_counts.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/job_sizes.h"
#include "model/jobs/losses.h"
#include "model/jobs/task.h"
#include "model/jobs/task_row.h"
#include "model/news/queue_news.h"
#include "model/queues/nonpreemptible_use.h"
#include "model/queues/queue.h"
#include "model/shapes/pool.h"
#include "model/told/tally.h"

int job_change_is_free(const struct columns *k, uint32_t job) {
    return job_count(k, job).placed == 0 && job_releasing(k, job) == 0;
}

int32_t job_change_leave(struct columns *k, uint32_t job) {
    int32_t rc = undo_room(k);
    /* The next admission asks the policy for the minimum again, and the hook reads the minimum
     * as submitted. */
    if (rc == LSCHED_OK && job_takes_minimum(k, job)) rc = job_set_minimum(k, job, 0);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    job_minimum_late(k, job, 0);
    int64_t seen[KINDS_MAX];
    demand_see(k, job, seen);
    demand_drop(k, job);
    if (demand_fell(k, job, seen)) evict_news(k);
    job_phase_end(k, job);
    queue_count(k, k->c[C_JOB_QUEUE].u32[job], -(int64_t)array_weight(k, job), 0);
    set_u8(k, C_JOB_PHASE, job, JOB_NEW);
    return undo_room(k);
}

int32_t job_change_enter(struct columns *k, uint32_t job) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    queue_count(k, k->c[C_JOB_QUEUE].u32[job], array_weight(k, job), 0);
    job_phase_begin(k, job);
    return undo_room(k);
}

int32_t job_change_labels(struct columns *k, uint32_t job, const struct bytes *labels) {
    int created;
    uint32_t old = k->c[C_JOB_LABELS].u32[job],
             row = labels ? intern_get(k, T_LABELS, labels->p, labels->n, &created) : NO_ROW;
    if (labels && row == NO_ROW) return LSCHED_E_NOMEM;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    set_u32(k, C_JOB_LABELS, job, row);
    if (row != NO_ROW) pool_fill(k, row); /* a node can have the same label set */
    if (old != NO_ROW) intern_drop(k, T_LABELS, old);
    return undo_room(k);
}

int32_t job_change_shape(struct columns *k, uint32_t job, const void *bytes, size_t n) {
    uint32_t shape;
    assert(k->c[C_JOB_LEAVES].u32[job] == NO_ROW);
    int32_t rc = jobshape_get(k, bytes, n, &shape);
    return rc == LSCHED_OK ? job_sizes_take_shape(k, job, shape) : rc;
}

/* ---- numbers of tasks ---- */

/* Adds the rows of all tasks of the job to the index of tasks (add 1), or removes them. */
static int32_t index_tasks(struct columns *k, uint32_t job, int add) {
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        const uint32_t lists[3] = {k->c[C_LEAF_TASK_FIRST].u32[l], k->c[C_LEAF_AGAIN_FIRST].u32[l],
                                   k->c[C_LEAF_LEAVING_FIRST].u32[l]};
        for (int i = 0; i < 3; i++)
            for (uint32_t t = lists[i]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t]) {
                int32_t rc = undo_room(k);
                if (rc == LSCHED_OK && add) rc = index_reserve(k, T_IX_TASK, 1);
                if (rc != LSCHED_OK) return rc;
                if (add)
                    index_add(k, T_IX_TASK, t);
                else
                    index_remove(k, T_IX_TASK, t);
            }
    }
    return LSCHED_OK;
}

/* Exchanges the shape of a job with task rows for one that differs only in numbers of tasks. */
static int32_t reshape(struct columns *k, uint32_t job, uint32_t shape) {
    int was = task_is_indexed(k, job), is = jobshape_indexes(k, shape) > LIMIT_LISTED_TASKS;
    int32_t rc = was && !is ? index_tasks(k, job, 0) : LSCHED_OK;
    if (rc == LSCHED_OK) rc = job_sizes_reshape(k, job, shape);
    if (rc == LSCHED_OK && is && !was) rc = index_tasks(k, job, 1);
    return rc == LSCHED_OK ? job_settle_losses(k, job, (int64_t)meta(k, M_NOW), NULL, NULL) : rc;
}

int32_t job_change_counts(struct columns *k, uint32_t job, struct group_sizes *counts) {
    uint32_t shape, old = k->c[C_JOB_SHAPE].u32[job], watch = k->c[C_JOB_WATCH].u32[job];
    int has_rows = k->c[C_JOB_LEAVES].u32[job] != NO_ROW;
    /* The minimum that the policy has set stays in force while the job has tasks. */
    if (has_rows && job_minimum_replaced(k, job)) {
        uint32_t now = k->c[C_GROUP_LEAST].u32[group_row(k, old, 0)], given = counts[0].min;
        counts[0].min = now < counts[0].max ? now : counts[0].max;
        /* a chosen size can be below the policy's minimum, after tasks were refused */
        if (counts[0].size && counts[0].min > counts[0].size) counts[0].min = counts[0].size;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        set_u32(k, C_WATCH_MIN, watch, counts[0].min == given ? 0 : given + 1);
    }
    int32_t rc = jobshape_with_counts(k, old, counts, &shape);
    if (rc != LSCHED_OK) return rc;
    return has_rows ? reshape(k, job, shape) : job_sizes_take_shape(k, job, shape);
}

/* ---- the end ---- */

/* Ends the running tasks of a leaf as done. */
static int32_t end_running(struct columns *k, uint32_t leaf) {
    for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[leaf], next; t != NO_ROW; t = next) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        next = k->c[C_TASK_NEXT].u32[t];
        if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING) continue;
        tally_add(k, k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[t]], TALLY_ENDED);
        task_release(k, t, LSCHED_TASK_DONE);
    }
    return LSCHED_OK;
}

int32_t job_change_complete(struct columns *k, uint32_t job) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    queue_news(k, k->c[C_JOB_QUEUE].u32[job]);
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW && rc == LSCHED_OK;
         l = k->c[C_LEAF_NEXT].u32[l])
        rc = end_running(k, l);
    if (rc == LSCHED_OK) rc = tasks_drop_all(k, job, NULL, NULL);
    if (rc == LSCHED_OK) rc = job_remove_room(k, job);
    if (rc != LSCHED_OK) return rc;
    gate_succeeds(k, job, (int64_t)meta(k, M_NOW));
    job_remove(k, job);
    return LSCHED_OK;
}

/* ---- time limit ---- */

int32_t job_change_limit(struct columns *k, uint32_t job, int64_t limit) {
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK) rc = job_limits_set(k, job, limit);
    uint32_t watch = k->c[C_JOB_WATCH].u32[job];
    if (rc == LSCHED_OK && watch != NO_ROW) set_i64(k, C_WATCH_LIMIT, watch, limit);
    return rc;
}
