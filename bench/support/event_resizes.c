/* event_resizes.c -- see event_resizes.h. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "support/event_resizes.h"

#include "bench_support.h"

#define GIB (INT64_C(1) << 30)

int event_resize_is_none(const lsched_cluster *c, lsched_id job) {
    lsched_resize_info info = LSCHED_RESIZE_INFO_INIT;
    return lsched_resize_get(c, job, 0, &info, NULL) == LSCHED_OK &&
           info.state == LSCHED_RESIZE_STATE_NONE;
}

/* Describes a resize of the task of the job to the amount of memory. */
static void describe(lsched_id job, int64_t bytes, lsched_amount *amount,
                     lsched_task_resize *resize) {
    const lsched_task_resize init = LSCHED_TASK_RESIZE_INIT;
    *amount = (lsched_amount){LSCHED_MEMORY, 0, bytes};
    *resize = init;
    resize->job = job;
    resize->request = amount;
    resize->n_request = 1;
}

void event_resize_describe(const lsched_cluster *c, lsched_id job, lsched_amount *amount,
                           lsched_task_resize *resize) {
    lsched_error err = LSCHED_ERROR_INIT;
    int64_t has = lsched_resize_amount(c, job, 0, LSCHED_MEMORY, LSCHED_RESIZE_AMOUNT_HAS, &err);
    bench_check(has < 0 ? err.code : LSCHED_OK, &err, "resize_amount");
    describe(job, has + GIB, amount, resize);
}

static void ask(lsched_cluster *c, lsched_id job, int64_t bytes) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount amount;
    lsched_task_resize resize;
    describe(job, bytes, &amount, &resize);
    bench_check(lsched_tasks_resize(c, &resize, 1, sizeof resize, NULL, NULL, &err), &err,
                "tasks_resize");
}

void event_resize_undo(lsched_cluster *c, lsched_id job) {
    lsched_error err = LSCHED_ERROR_INIT;
    ask(c, job,
        lsched_resize_amount(c, job, 0, LSCHED_MEMORY, LSCHED_RESIZE_AMOUNT_HAS, &err) - GIB);
}

void event_resizes_wait(lsched_cluster *c, const lsched_id *jobs, uint32_t n) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < n; i++) {
        lsched_task_info info = {.size = sizeof info};
        uint64_t cursor = 0;
        int64_t all = 0;
        lsched_tasks_next(c, jobs[i], 0, &cursor, &info, &err);
        bench_check(lsched_node_amount(c, info.node, LSCHED_MEMORY, &all, NULL, &err), &err,
                    "node_amount");
        ask(c, jobs[i], all - GIB);
    }
}
