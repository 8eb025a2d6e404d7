/* arrays_world.c -- see arrays_world.h. */
#include "support/arrays_world.h"

#include "model/jobs/job.h"
#include "model/jobs/job_phase.h"
#include "model/life/array_begin.h"

/* Adds an array with the shape of the job. */
static int32_t add_array(struct model_world *w, uint32_t like, uint32_t *job) {
    struct columns *k = &w->k;
    struct array_spec array = {.count = 12, .next = 2, .succeeded = 1, .of = NO_ROW};
    struct job_spec spec = {
        .name = {"array", 5}, .queue = k->c[C_JOB_QUEUE].u32[like], .submit = 50, .array = &array};
    struct bytes shape;
    uint32_t text = intern_text(k, T_JOBSHAPE, k->c[C_JOB_SHAPE].u32[like]);
    bytes_init(&shape, &w->alloc);
    bytes_put(&shape, text_bytes(k, text), text_len(k, text));
    spec.shape_bytes = shape.p;
    spec.shape_n = shape.n;
    int32_t rc = shape.failed ? LSCHED_E_NOMEM : job_add(k, &spec, job);
    bytes_close(&shape);
    return rc;
}

int32_t arrays_fill(struct model_world *w) {
    struct columns *k = &w->k;
    uint32_t array, element;
    int32_t rc = undo_begin(k);
    if (rc != LSCHED_OK) return rc;
    rc = add_array(w, world_job_named(w, "gate-begin"), &array);
    if (rc == LSCHED_OK) rc = job_admit(k, array, NULL);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc == LSCHED_OK) bundle_wake(k, k->c[C_JOB_BUNDLE].u32[array]);
    if (rc == LSCHED_OK) rc = array_begin(k, array, &element);
    if (rc != LSCHED_OK) undo_rollback(k, 0);
    undo_end(k);
    return rc;
}
