/*
 * api_jobs.c -- calls about jobs: submitting, removing, and setting the task mix.
 *
 * A job description is converted to the canonical bytes of its shape (lists are sorted, defaults
 * are filled in, names are used instead of rows). Then one call of the model adds the job. Two
 * descriptions with the same meaning have the same bytes. Therefore their jobs share one shape
 * and, in the same queue, one bundle.
 */
#include "api/arrays/array_form.h"
#include "api/dependencies/dependency_form.h"
#include "api/door/args.h"
#include "api/door/door.h"
#include "api/forms/job_selectors.h"
#include "api/forms/job_form.h"
#include "api/forms/job_labels.h"
#include "api/calls/soft_limit_form.h"
#include "api/forms/submit_queue.h"
#include "model/jobs/job.h"
#include "model/life/job_leave.h"
#include "model/told/tally.h"

/* Checks the ranges of the numbers in a job description. */
static int32_t check_numbers(const lsched_job_desc *d, lsched_error *err) {
    const struct {
        int64_t us;
        const char *name;
    } times[] = {{d->duration_us, "duration_us"},
                 {d->deadline_us, "deadline_us"},
                 {d->restart_cost_us, "restart_cost_us"},
                 {d->checkpoint_period_us, "checkpoint_period_us"},
                 {d->preemption_delay_us, "preemption_delay_us"},
                 {d->disruption_window_us, "disruption_window_us"},
                 {d->backoff_us, "backoff_us"},
                 {d->time_limit_us, "time_limit_us"},
                 {d->release_us, "release_us"},
                 {d->checkpoint_us, "checkpoint_us"},
                 {d->soft_limit_us, "soft_limit_us"}};
    if (d->flags & ~7u)
        return fail(err, LSCHED_E_INVAL, "job '%.*s': unknown flags %#x; expected LSCHED_JOB_*",
                    (int)d->name.len, d->name.ptr, d->flags);
    int32_t rc = arg_instant(d->submit_us, "submit_us", err);
    for (size_t i = 0; rc == LSCHED_OK && i < sizeof times / sizeof *times; i++)
        rc = arg_time(times[i].us, times[i].name, err);
    if (rc == LSCHED_OK && d->stale_grace_us != LSCHED_NEVER_US &&
        (d->stale_grace_us < 0 || d->stale_grace_us > LIMIT_TIME_US))
        return fail(err, LSCHED_E_RANGE,
                    "stale_grace_us: %lld; expected 0 to 2^61, or LSCHED_NEVER_US for ever",
                    (long long)d->stale_grace_us);
    if (rc == LSCHED_OK && d->disruption_window_us && !d->disruptions_max)
        return fail(err, LSCHED_E_INVAL,
                    "job '%.*s': a disruption_window_us of %lld, but disruptions_max is 0",
                    (int)d->name.len, d->name.ptr, (long long)d->disruption_window_us);
    return rc == LSCHED_OK
               ? soft_limit_form_check(d->name, d->flags, d->soft_limit_us, d->time_limit_us, err)
               : rc;
}

static struct job_spec spec_of(const lsched_job_desc *d, uint32_t queue, const struct bytes *b) {
    return (struct job_spec){.name = d->name,
                             .tag = d->tag,
                             .queue = queue,
                             .priority = d->priority,
                             .flags = d->flags,
                             .submit = d->submit_us,
                             .duration = d->duration_us,
                             .deadline = d->deadline_us,
                             .restart = d->restart_cost_us,
                             .checkpoint = d->checkpoint_period_us,
                             .delay = d->preemption_delay_us,
                             .grace = d->stale_grace_us == LSCHED_NEVER_US ? -1 : d->stale_grace_us,
                             .window = d->disruption_window_us,
                             .backoff = d->backoff_us,
                             .limit = d->time_limit_us,
                             .release = d->release_us,
                             .checkpoint_wait = d->checkpoint_us,
                             .soft_limit = d->soft_limit_us,
                             .disruptions_max = d->disruptions_max,
                             .retries_max = d->retries_max,
                             .shape_bytes = b->p,
                             .shape_n = b->n};
}

static int32_t element_job_submit(struct lsched_cluster *c, const struct call *call, size_t i,
                                  const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    lsched_job_desc d;
    uint32_t queue = NO_ROW;
    int32_t rc = arg_struct(&d, sizeof d, element, call->elem_size, "job", err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(d.reserved_zero, "reserved_zero", NULL, "job", i, err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(d.reserved2_zero, "reserved2_zero", NULL, "job", i, err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(d.reserved3_zero, "reserved3_zero", NULL, "job", i, err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(d.reserved4_zero, "reserved4_zero", NULL, "job", i, err);
    if (rc == LSCHED_OK) rc = arg_new_name(k, &d.name, LSCHED_KIND_JOB, err);
    if (rc != LSCHED_OK) return rc;
    rc = submit_queue(k, &d, &queue, err);
    if (rc != LSCHED_OK) return rc;
    struct array_spec array;
    rc = check_numbers(&d, err);
    if (rc == LSCHED_OK) rc = array_form_read(k, &d, &array, err);
    if (rc != LSCHED_OK) return rc;
    struct bytes b, labels;
    const struct bytes *has_labels;
    bytes_init(&b, k->alloc);
    bytes_init(&labels, k->alloc);
    rc = job_labels_read(&d, &labels, &has_labels, err);
    if (rc == LSCHED_OK) rc = job_form_encode(k, &d, &b, err);
    if (rc == LSCHED_OK) {
        struct job_spec spec = spec_of(&d, queue, &b);
        spec.labels = has_labels;
        spec.array = &array;
        uint32_t row;
        rc = job_add(k, &spec, &row);
        if (rc == LSCHED_E_RANGE)
            fail(err, rc, "job '%.*s': its tasks together ask for more than 2^62 of a resource",
                 (int)d.name.len, d.name.ptr);
        if (rc == LSCHED_OK) rc = job_selectors_of_job(c, row, err);
        if (rc == LSCHED_OK) rc = dependency_form_submit(k, &d, row, err);
        if (rc == LSCHED_OK) rc = array_form_added(k, row, err);
        if (rc == LSCHED_OK)
            tally_add_many(k, k->c[C_JOB_QUEUE].u32[row], TALLY_SUBMITTED, array_weight(k, row));
        if (rc == LSCHED_OK && call->ids) call->ids[i] = arg_id_of(k, LSCHED_KIND_JOB, row);
    }
    bytes_close(&b);
    bytes_close(&labels);
    return rc;
}

static const struct call_kind call_jobs_submit = {.op = CALL_JOBS_SUBMIT,
                                                  .apply = element_job_submit,
                                                  .what = "job",
                                                  .struct_size = sizeof(lsched_job_desc),
                                                  .name_at = offsetof(lsched_job_desc, name)};

LSCHED_API int32_t lsched_jobs_submit(lsched_cluster *c, const lsched_job_desc *jobs, size_t n,
                                      size_t elem_size, const lsched_batch_opts *opts,
                                      lsched_id *ids, int32_t *status, lsched_error *err) {
    struct call call = {.kind = &call_jobs_submit,
                        .n = n,
                        .elem_size = elem_size,
                        .elements = jobs,
                        .ids = ids,
                        .status = status};
    return door_batch(c, &call, opts, err);
}

static int32_t element_job_remove(struct lsched_cluster *c, const struct call *call, size_t i,
                                  const void *element, lsched_error *err) {
    uint32_t job;
    (void)i;
    int32_t rc = arg_id(&c->k, *(const lsched_id *)element, LSCHED_KIND_JOB, &job, err);
    if (rc == LSCHED_E_STALE && call_is_idempotent(call)) return LSCHED_UNCHANGED;
    return rc == LSCHED_OK ? job_leave(&c->k, job, NULL, NULL) : rc;
}

static const struct call_kind call_jobs_remove = {
    .op = CALL_JOBS_REMOVE, .apply = element_job_remove, .object = LSCHED_KIND_JOB, .is_id = 1};

LSCHED_API int32_t lsched_jobs_remove(lsched_cluster *c, const lsched_id *jobs, size_t n,
                                      const lsched_batch_opts *opts, int32_t *status,
                                      lsched_error *err) {
    struct call call = {.kind = &call_jobs_remove,
                        .n = n,
                        .elem_size = sizeof *jobs,
                        .elements = jobs,
                        .status = status};
    return door_batch(c, &call, opts, err);
}

/* ---- the expected mix of tasks ---- */

static int32_t element_mix_add(struct lsched_cluster *c, const struct call *call, size_t i,
                               const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    lsched_mix_entry e;
    int32_t rc = arg_struct(&e, sizeof e, element, call->elem_size, "mix entry", err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(e.reserved_zero, "reserved_zero", NULL, "mix entry", i, err);
    if (rc != LSCHED_OK) return rc;
    if (e.count <= 0 || e.count > LSCHED_AMOUNT_MAX / (1 << 20))
        return fail(err, LSCHED_E_RANGE, "mix entry: count %lld; expected 1 to 2^42",
                    (long long)e.count);
    struct bytes b;
    bytes_init(&b, k->alloc);
    rc = job_form_encode_task(k, e.task, &b, err);
    uint32_t shape, row = NO_ROW;
    if (rc == LSCHED_OK) rc = shape_get(k, b.p, b.n, &shape);
    if (rc == LSCHED_OK) rc = job_selectors_of_shape(c, shape, err);
    bytes_close(&b);
    if (rc != LSCHED_OK) return rc;
    /* equal tasks are counted in one entry of the mix */
    for (uint32_t m = 0; m < table_rows(k, T_MIX); m++) {
        if (!row_is_live(k, T_MIX, m) || k->c[C_MIX_SHAPE].u32[m] != shape) continue;
        set_i64(k, C_MIX_COUNT, m, k->c[C_MIX_COUNT].i64[m] + e.count);
        shape_drop(k, shape);
        return LSCHED_OK;
    }
    row = row_new(k, T_MIX);
    if (row == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_MIX_SHAPE, row, shape);
    set_i64(k, C_MIX_COUNT, row, e.count);
    structure_raise(k);
    return LSCHED_OK;
}

static const struct call_kind call_task_mix_set = {.op = CALL_TASK_MIX_SET,
                                                   .apply = element_mix_add};

static int32_t mix_clear(struct columns *k) {
    for (uint32_t m = 0; m < table_rows(k, T_MIX); m++) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        if (!row_is_live(k, T_MIX, m)) continue;
        shape_drop(k, k->c[C_MIX_SHAPE].u32[m]);
        row_free(k, T_MIX, m);
    }
    structure_raise(k);
    return LSCHED_OK;
}

LSCHED_API int32_t lsched_task_mix_set(lsched_cluster *c, const lsched_mix_entry *mix, size_t n,
                                       size_t elem_size, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c) return fail(err, LSCHED_E_NULL, "cluster is NULL");
    if (c->busy) return arg_busy(err);
    struct call call = {.kind = &call_task_mix_set, .n = n, .elements = mix};
    rc = arg_stride(mix, n, elem_size, "the mix", &call.elem_size, err);
    if (rc != LSCHED_OK) return rc;
    /* an outer undo scope, so that clearing the old mix and setting the new one are one change */
    rc = undo_begin(&c->k);
    if (rc != LSCHED_OK) return fail_plain(err, rc);
    rc = mix_clear(&c->k);
    if (rc == LSCHED_OK) rc = door_apply(c, &call, err);
    if (rc < 0) undo_rollback(&c->k, 0);
    undo_end(&c->k);
    return rc < 0 ? fail_plain(err, rc) : LSCHED_OK;
}
