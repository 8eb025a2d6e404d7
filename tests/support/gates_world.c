/* gates_world.c -- see gates_world.h. */
#include "support/gates_world.h"

#include "model/life/gate_change.h"
#include "model/life/gate_review.h"

#define TRY(call)                             \
    do {                                      \
        int32_t code_ = (call);               \
        if (code_ != LSCHED_OK) return code_; \
    } while (0)

/* Adds a job with dependencies, and a begin and an expiry or none, and admits it. */
static int32_t add_gated(struct model_world *w, const char *name, int64_t begin,
                         const struct gate_need *needs, uint32_t n) {
    struct columns *k = &w->k;
    uint32_t job;
    struct job_form form = {.name = name,
                            .queue = world_queue_named(w, "research"),
                            .n_groups = 1,
                            .groups = {{.min = 1, .max = 1, .cpu = 1000}},
                            .submit = 40};
    TRY(world_job(w, &form, &job));
    TRY(undo_begin(k));
    int32_t rc = gate_change_begin(k, job, begin);
    if (rc == LSCHED_OK) rc = gate_change_expiry(k, job, begin ? 2 * begin : 0);
    if (rc == LSCHED_OK) rc = gate_change_needs(k, job, needs, n, LSCHED_ON_NEVER_WAIT);
    if (rc != LSCHED_OK) undo_rollback(k, 0);
    undo_end(k);
    TRY(rc);
    return world_admit(w, job);
}

static int32_t review(struct model_world *w) {
    TRY(undo_begin(&w->k));
    int32_t rc = gate_review(&w->k, (int64_t)meta(&w->k, M_NOW), NULL, NULL);
    if (rc != LSCHED_OK) undo_rollback(&w->k, 0);
    undo_end(&w->k);
    return rc;
}

int32_t gates_fill(struct model_world *w) {
    struct gate_need need[2] = {{0}};
    TRY(add_gated(w, "gate-begin", INT64_C(4000000000), NULL, 0));
    TRY(add_gated(w, "gate-gone", 0, NULL, 0));
    TRY(add_gated(w, "gate-last", 0, NULL, 0));
    need[0] = (struct gate_need){
        .job = world_job_named(w, "gate-begin"), .kind = LSCHED_AFTER_SUCCESS, .delay = 5};
    TRY(add_gated(w, "gate-waits", 0, need, 1));
    need[1] = (struct gate_need){.job = world_job_named(w, "licensed"),
                                 .kind = LSCHED_AFTER_START,
                                 .delay = INT64_C(7000000000)};
    TRY(add_gated(w, "gate-both", 0, need, 2));
    TRY(add_gated(w, "gate-delay", 0, need + 1, 1));
    need[0].job = world_job_named(w, "gate-gone");
    TRY(add_gated(w, "gate-never", 0, need, 1));
    need[0] = (struct gate_need){.job = world_job_named(w, "gate-last"), .kind = LSCHED_AFTER_END};
    TRY(add_gated(w, "gate-untold", 0, need, 1));
    TRY(world_remove_job(w, world_job_named(w, "gate-gone")));
    TRY(review(w));
    return world_remove_job(w, world_job_named(w, "gate-last"));
}
