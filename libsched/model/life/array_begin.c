/* array_begin.c -- see array_begin.h. */
#include "model/life/array_begin.h"

#include "model/jobs/job.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/job_phase.h"
#include "model/life/gate_change.h"

/* The less common fields, which a job without a row of COST does not have. */
static void read_cost(const struct columns *k, uint32_t array, struct job_spec *spec) {
    uint32_t cost = k->c[C_JOB_COST].u32[array];
    if (cost == NO_ROW) return;
    spec->restart = k->c[C_COST_RESTART].i64[cost];
    spec->checkpoint = k->c[C_COST_CHECKPOINT].i64[cost];
    spec->delay = k->c[C_COST_DELAY].i64[cost];
    spec->grace = k->c[C_COST_GRACE].i64[cost];
    spec->window = k->c[C_COST_WINDOW].i64[cost];
    spec->backoff = k->c[C_COST_BACKOFF].i64[cost];
    spec->release = k->c[C_COST_RELEASE].i64[cost];
    spec->checkpoint_wait = k->c[C_COST_CHECKPOINT_WAIT].i64[cost];
    spec->soft_limit = k->c[C_COST_SOFT_LIMIT].i64[cost];
    spec->disruptions_max = k->c[C_COST_DISRUPTIONS_MAX].u32[cost];
    spec->retries_max = k->c[C_COST_RETRIES_MAX].u32[cost];
}

/* The shape and the labels are copied, because texts can move while the job is added. */
static int32_t add_element(struct columns *k, uint32_t array, const struct job_spec *of,
                           uint32_t *job) {
    struct job_spec spec = *of;
    struct bytes shape, labels;
    uint32_t text = intern_text(k, T_JOBSHAPE, k->c[C_JOB_SHAPE].u32[array]),
             row = k->c[C_JOB_LABELS].u32[array];
    bytes_init(&shape, k->alloc);
    bytes_init(&labels, k->alloc);
    bytes_put(&shape, text_bytes(k, text), text_len(k, text));
    if (row != NO_ROW) {
        text = intern_text(k, T_LABELS, row);
        bytes_put(&labels, text_bytes(k, text), text_len(k, text));
        spec.labels = &labels;
    }
    int32_t rc = shape.failed || labels.failed ? LSCHED_E_NOMEM : LSCHED_OK;
    spec.shape_bytes = shape.p;
    spec.shape_n = shape.n;
    if (rc == LSCHED_OK) rc = job_add(k, &spec, job);
    bytes_close(&shape);
    bytes_close(&labels);
    return rc;
}

/* Copies what the policy has decided about the array. */
static int32_t follow_policy(struct columns *k, uint32_t array, uint32_t job) {
    uint32_t from = k->c[C_JOB_WATCH].u32[array];
    set_i64(k, C_JOB_ORDER, job, k->c[C_JOB_ORDER].i64[array]);
    set_i32(k, C_JOB_RANK, job, k->c[C_JOB_RANK].i32[array]);
    if (k->c[C_JOB_FLAGS].u8[array] & JOB_MIN_LATE) job_minimum_late(k, job, 1);
    if (from == NO_ROW) return LSCHED_OK;
    int32_t rc = job_limits_set(k, job, job_limit(k, array));
    if (rc != LSCHED_OK || k->c[C_WATCH_MIN].u32[from] == 0) return rc;
    uint32_t watch = job_limits_get(k, job);
    if (watch == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_WATCH_MIN, watch, k->c[C_WATCH_MIN].u32[from]);
    return LSCHED_OK;
}

int32_t array_begin(struct columns *k, uint32_t array, uint32_t *job) {
    uint32_t a = k->c[C_JOB_ARRAY].u32[array], watch = k->c[C_JOB_WATCH].u32[array],
             gate = gate_row(k, array);
    struct array_spec of = {.of = a};
    struct array_name name;
    assert(array_is(k, array) && array_weight(k, array) > 0);
    array_name_of(k, a, k->c[C_ARRAY_NEXT].u32[a], &name);
    struct job_spec spec = {
        .name = {name.text, name.n},
        .tag = k->c[C_JOB_TAG].u64[array],
        .queue = k->c[C_JOB_QUEUE].u32[array],
        .priority = k->c[C_JOB_PRIORITY].i32[array],
        .flags = k->c[C_JOB_FLAGS].u8[array] &
                 (LSCHED_JOB_NON_PREEMPTIBLE | LSCHED_JOB_INTERACTIVE | LSCHED_JOB_NEVER_PREEMPTS),
        .submit = k->c[C_JOB_SUBMIT].i64[array],
        .duration = k->c[C_JOB_DURATION].i64[array],
        .deadline = k->c[C_JOB_DEADLINE].i64[array],
        .limit = watch == NO_ROW ? 0 : k->c[C_WATCH_LIMIT].i64[watch],
        .array = &of};
    read_cost(k, array, &spec);
    int32_t rc = job_array_next(k, array);
    if (rc == LSCHED_OK) rc = add_element(k, array, &spec, job);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc == LSCHED_OK) rc = follow_policy(k, array, *job);
    if (rc == LSCHED_OK && gate != NO_ROW)
        rc = gate_change_expiry(k, *job, k->c[C_GATE_EXPIRES].i64[gate]);
    if (rc == LSCHED_OK) rc = job_admit(k, *job, NULL);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc == LSCHED_OK && array_weight(k, array) == 0) job_array_all_begun(k, array);
    return rc == LSCHED_OK ? undo_room(k) : rc;
}
