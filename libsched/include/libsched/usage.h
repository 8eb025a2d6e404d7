/*
 * usage.h -- what tasks use of what they hold, as the orchestrator measures it.
 *
 * This header is a part of libsched.h, which includes it and states the rules for structs, batches
 * and errors.
 */
#ifndef LIBSCHED_USAGE_H
#define LIBSCHED_USAGE_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A usage sample of a task. The cluster keeps the latest value per task and kind, with its time. */
typedef struct lsched_usage_sample {
    uint32_t size;
    uint32_t task_index;
    lsched_id job;
    uint32_t kind, reserved_zero;
    int64_t amount; /* in base units of the kind */
    int64_t at_us;  /* 0: the cluster's latest time, which the sample does not move */
    lsched_id run;  /* as in lsched_task_event; LSCHED_E_STALE: the task does not run this run */
} lsched_usage_sample;
/* Stores samples. Returns the number that was stored. LSCHED_E_STATE: the task has no place; a task
 * that is proposed or confirmed has one. LSCHED_E_RANGE: the amount, or the job has no such task;
 * LSCHED_E_KEY: unknown kind; LSCHED_E_UNSUPPORTED: a resource part; LSCHED_E_TIME: as in
 * lsched_tasks_report, or the sample is older than the latest one of this task and kind. */
LSCHED_API int32_t lsched_usage_report(lsched_cluster *cluster, const lsched_usage_sample *samples,
                                       size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                       int32_t *status, lsched_error *err);

#ifdef __cplusplus
}
#endif
#endif
