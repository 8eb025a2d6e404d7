/* job.c -- see job.h. */
#include "model/jobs/job.h"

#include "model/dependencies/gate.h"
#include "model/jobs/job_cost.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/job_phase.h"
#include "model/news/queue_news.h"
#include "model/told/change_feed.h"
#include "model/queues/nonpreemptible_use.h"
#include "model/queues/queue.h"
#include "model/shapes/pool.h"

/* Stores the less common values of a job; a job that has none of them gets no COST row. */
static int32_t cost_add(struct columns *k, uint32_t job, const struct job_spec *spec) {
    if (!spec->restart && !spec->checkpoint && !spec->delay && !spec->grace && !spec->window &&
        !spec->backoff && !spec->release && !spec->checkpoint_wait && !spec->disruptions_max &&
        !spec->soft_limit && !spec->retries_max)
        return LSCHED_OK;
    uint32_t cost = job_cost(k, job);
    if (cost == NO_ROW) return LSCHED_E_NOMEM;
    set_i64(k, C_COST_RESTART, cost, spec->restart);
    set_i64(k, C_COST_CHECKPOINT, cost, spec->checkpoint);
    set_i64(k, C_COST_DELAY, cost, spec->delay);
    set_i64(k, C_COST_GRACE, cost, spec->grace);
    set_i64(k, C_COST_WINDOW, cost, spec->window);
    set_i64(k, C_COST_BACKOFF, cost, spec->backoff);
    set_i64(k, C_COST_RELEASE, cost, spec->release);
    set_i64(k, C_COST_CHECKPOINT_WAIT, cost, spec->checkpoint_wait);
    set_i64(k, C_COST_SOFT_LIMIT, cost, spec->soft_limit);
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
    /* A node can have the same label set, now or later. Therefore the pools of the label set are
     * computed. */
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
    set_i32(k, C_JOB_RANK, job, spec->priority);
    set_u8(k, C_JOB_FLAGS, job, (uint8_t)spec->flags);
    set_i64(k, C_JOB_SUBMIT, job, spec->submit);
    set_i64(k, C_JOB_DURATION, job, spec->duration);
    set_i64(k, C_JOB_DEADLINE, job, spec->deadline);
    SET_NONE(k, job, C_JOB_COST, C_JOB_WATCH, C_JOB_REASON, C_JOB_BUNDLE, C_JOB_LEAVES);
    rc = array_add(k, job, spec->array);
    if (rc == LSCHED_OK) rc = labels_add(k, job, spec->labels);
    if (rc == LSCHED_OK) rc = demand_ask(k, job);
    if (rc != LSCHED_OK) return rc;
    index_add(k, T_IX_JOB, job);
    queue_count(k, spec->queue, array_weight(k, job), 0);
    job_phase_begin(k, job);
    rc = cost_add(k, job, spec);
    if (rc == LSCHED_OK) rc = limit_add(k, job, spec->limit);
    if (rc != LSCHED_OK) return rc;
    *out = job;
    return LSCHED_OK;
}

static size_t remove_records(const struct columns *k, uint32_t job) {
    return jobshape_drop_records(k, k->c[C_JOB_SHAPE].u32[job]) +
           gate_drop_records(k, gate_row(k, job));
}

int32_t job_remove_room(struct columns *k, uint32_t job) {
    uint32_t array = array_ends_with(k, job);
    return undo_room_for(k,
                         remove_records(k, job) +
                             (array == NO_ROW ? 0 : LIMIT_UNDO_SPARE + remove_records(k, array)));
}

/* Removes one job, and returns the array that ends with it. */
static uint32_t remove_one(struct columns *k, uint32_t job) {
    assert(k->c[C_JOB_LEAVES].u32[job] == NO_ROW);
    change_feed_note_job(k, LSCHED_CHANGE_ENDED, job, NO_ROW, 0, 0);
    int64_t seen[KINDS_MAX];
    demand_see(k, job, seen);
    demand_drop(k, job);
    if (demand_fell(k, job, seen)) evict_news(k);
    job_phase_end(k, job);
    set_u8(k, C_JOB_PHASE, job, JOB_NEW); /* the end of its holds changes no demand */
    queue_count(k, k->c[C_JOB_QUEUE].u32[job], -(int64_t)array_weight(k, job), 0);
    job_limits_drop(k, job);
    if (k->c[C_JOB_COST].u32[job] != NO_ROW) row_free(k, T_COST, k->c[C_JOB_COST].u32[job]);
    uint32_t array = array_leave(k, job);
    index_remove(k, T_IX_JOB, job);
    if (k->c[C_JOB_LABELS].u32[job] != NO_ROW)
        intern_drop(k, T_LABELS, k->c[C_JOB_LABELS].u32[job]);
    jobshape_drop(k, k->c[C_JOB_SHAPE].u32[job]);
    text_free(k, k->c[C_JOB_NAME].u32[job]);
    row_free(k, T_JOB, job);
    return array;
}

void job_remove(struct columns *k, uint32_t job) {
    uint32_t array = remove_one(k, job);
    if (array == NO_ROW) return;
    if (array_failed(k, k->c[C_JOB_ARRAY].u32[array]) == 0)
        gate_succeeds(k, array, (int64_t)meta(k, M_NOW));
    (void)remove_one(k, array);
}
