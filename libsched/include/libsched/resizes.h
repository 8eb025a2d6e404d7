/*
 * resizes.h -- other amounts for tasks that run: more or less cpu, memory, or another kind that is
 * counted, without a restart.
 *
 * This header is a part of libsched.h, which includes it and states the rules for structs, batches,
 * errors and threads.
 *
 * Source of the rules: in-place resize of pods in Kubernetes (docs/semantics.md, 27).
 */
#ifndef LIBSCHED_RESIZES_H
#define LIBSCHED_RESIZES_H

#include <libsched/plans.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The amounts that one running task is to have. */
typedef struct lsched_task_resize {
    uint32_t size;
    uint32_t task_index;
    lsched_id job; /* id, or 0 and `job_name` */
    lsched_text job_name;
    /* the new amounts. A kind that is not named stays as it is wanted now; gpu is not allowed */
    const lsched_amount *request;
    uint32_t n_request;
    uint32_t reserved_zero;
} lsched_task_resize;

/* Asks for other amounts for running tasks. A later cycle decides LSCHED_DECIDE_RESIZE for the task,
 * if the orchestrator asks for that kind of decisions (lsched_schedule_opts.decision_kinds): at once
 * if the task gets more of no kind, otherwise when its node has the difference free and its queues
 * allow it. Until then the task runs on with what it has, and the wish waits; see
 * lsched_resizes_next(). The orchestrator settles the decision: CONFIRMED says that the task has the
 * new amounts, REJECTED that it keeps the old ones, and the wish ends.
 *
 * From the decision until its settlement, the node and the queues are charged the larger amount of
 * old and new for each kind. If the library withdraws the decision, the wish waits again. A task
 * that stops loses its amounts and its wish: a task that starts again has what its job requests. A
 * new request replaces the wish, and withdraws an open decision for other amounts; a request for
 * what the task has ends the wish.
 *
 * Returns the number of elements that were applied. IDEMPOTENT: amounts that are wanted already are
 * LSCHED_UNCHANGED; otherwise they change nothing, too. Errors of an element: LSCHED_E_STALE,
 * LSCHED_E_NOENT (no such job or task), LSCHED_E_STATE (the task does not run; it was told to stop;
 * it is pinned to NUMA nodes, or its demand changes with time, so that it must be restarted to get
 * other amounts), LSCHED_E_INVAL (gpu: devices need a restart; no amounts; nothing would be left),
 * LSCHED_E_RANGE. Not thread-safe: one call at a time for each cluster. Cost: O(queue depth x
 * kinds), and O(bytes of the task's request). */
LSCHED_API int32_t lsched_tasks_resize(lsched_cluster *cluster, const lsched_task_resize *resizes,
                                       size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                       int32_t *status, lsched_error *err);

/* A task that has, or is to have, other amounts than its job requests. */
typedef struct lsched_resize_info {
    uint32_t size;
    uint32_t state; /* LSCHED_RESIZE_STATE_* */
    lsched_id job;
    uint32_t task_index;
    uint32_t code;      /* WAITING: LSCHED_WAIT_*: why; LSCHED_WAIT_NONE: the next cycle tries it */
    lsched_id node;     /* where the task runs */
    lsched_id decision; /* PROPOSED: the open decision; else 0 */
    int64_t since_us;   /* time of the latest request */
    lsched_id limiting_queue; /* of `code`, as in lsched_waiting; 0: none */
    /* WAITING: what `code` says, in base units of `kind`: the amount that the task is to get more,
     * and the amount of it that is there (on its node for ROOM, else in limiting_queue) */
    int64_t need, have;
    uint32_t kind; /* resource kind of need and have; LSCHED_ANY_RESOURCE: code is NONE */
    uint32_t reserved_zero;
} lsched_resize_info;
enum lsched_resize_state {
    LSCHED_RESIZE_STATE_NONE = 0,     /* the task has the amounts that its job requests */
    LSCHED_RESIZE_STATE_DONE = 1,     /* it has other amounts, and is to keep them */
    LSCHED_RESIZE_STATE_WAITING = 2,  /* it is to get other amounts, and no decision is open */
    LSCHED_RESIZE_STATE_PROPOSED = 3, /* a RESIZE decision is open */
    LSCHED_RESIZE_STATE_STOPPING = 4  /* it was told to stop; if it runs on, it has these amounts */
};

/* Writes the next task that has, or is to have, other amounts than its job requests to *out, in no
 * particular order, and returns 1; 0 at the end. Before the first call, set *cursor to 0. Errors:
 * those of every call. */
LSCHED_API int32_t lsched_resizes_next(const lsched_cluster *cluster, uint64_t *cursor,
                                       lsched_resize_info *out, lsched_error *err);
/* Writes the record of one task to *out: also of a task with the amounts of its job, whose state is
 * LSCHED_RESIZE_STATE_NONE. LSCHED_E_STATE: the task does not run; LSCHED_E_NOENT: the job has no such
 * task; LSCHED_E_STALE, LSCHED_E_KIND: `job` is no job. */
LSCHED_API int32_t lsched_resize_get(const lsched_cluster *cluster, lsched_id job,
                                     uint32_t task_index, lsched_resize_info *out,
                                     lsched_error *err);
/* Which amount of a running task lsched_resize_amount() returns. */
enum lsched_resize_amount_of {
    LSCHED_RESIZE_AMOUNT_HAS = 0,   /* what it has */
    LSCHED_RESIZE_AMOUNT_WANTS = 1, /* what it is to have: for a decision, the new amount */
    LSCHED_RESIZE_AMOUNT_CHARGED =
        2 /* what its node and queues are charged; its node alone if it stops */
};
/* Returns the amount, in base units of the kind, of a task that runs or was told to stop. Amounts
 * are never negative; errors are: LSCHED_E_INVAL for gpu or an unknown `which`, LSCHED_E_KEY for an
 * unknown kind, LSCHED_E_UNSUPPORTED for a resource part, LSCHED_E_STATE if the task does not run,
 * LSCHED_E_NOENT if the job has no such task, LSCHED_E_STALE if the job does not exist. */
LSCHED_API int64_t lsched_resize_amount(const lsched_cluster *cluster, lsched_id job,
                                        uint32_t task_index, uint32_t kind, uint32_t which,
                                        lsched_error *err);

/* clang-format off */
#define LSCHED_TASK_RESIZE_INIT LSCHED_INIT(lsched_task_resize)
#define LSCHED_RESIZE_INFO_INIT LSCHED_INIT(lsched_resize_info)
/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
