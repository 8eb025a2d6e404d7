/*
 * updates.h -- changes of objects that exist: queues.
 *
 * This header is a part of libsched.h, which includes it and states the rules for structs, batches
 * and errors. An element of an update names its object by id, or by name if the id is 0. `set` says
 * which fields change; all other fields of the element are ignored, and the object keeps them.
 */
#ifndef LIBSCHED_UPDATES_H
#define LIBSCHED_UPDATES_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes fields of a queue. The fields have the meaning that they have in lsched_queue_desc. In a
 * list of amounts, kinds that are not named stay as they are; LSCHED_UNLIMITED lifts a limit. Name
 * and parent of a queue never change. A sub-queue of a user or group has the flags and the user and
 * group limits of the queue above it, so an update cannot set them there (LSCHED_E_STATE). The flags
 * do not change while a sub-queue of a user or group has an allowance (LSCHED_E_STATE). */
typedef struct lsched_queue_update {
    uint32_t size;
    uint32_t set;    /* LSCHED_QUEUE_SET_* */
    lsched_id queue; /* id, or 0 and `name` */
    lsched_text name;
    uint64_t tag;
    const lsched_amount *quota, *limit, *weight_milli, *lend_limit, *user_limit, *group_limit;
    uint32_t n_quota, n_limit, n_weight, n_lend_limit, n_user_limit, n_group_limit;
    uint32_t flags; /* LSCHED_QUEUE_PER_*: all flags of the queue */
    int32_t priority;
    int64_t reclaim_min_runtime_us, preempt_min_runtime_us, preemption_delay_us, created_us;
    uint32_t jobs_max, submitted_max;
    uint32_t user_jobs_max, user_submitted_max, group_jobs_max, group_submitted_max;
} lsched_queue_update;
enum lsched_queue_set {
    LSCHED_QUEUE_SET_QUOTA = 1,
    LSCHED_QUEUE_SET_LIMIT = 2,
    LSCHED_QUEUE_SET_WEIGHT = 4,
    LSCHED_QUEUE_SET_LEND_LIMIT = 8,
    LSCHED_QUEUE_SET_USER_LIMIT = 16,
    LSCHED_QUEUE_SET_GROUP_LIMIT = 32,
    LSCHED_QUEUE_SET_PRIORITY = 64,
    LSCHED_QUEUE_SET_TAG = 128,
    LSCHED_QUEUE_SET_FLAGS = 256,
    LSCHED_QUEUE_SET_RECLAIM_MIN_RUNTIME = 512,
    LSCHED_QUEUE_SET_PREEMPT_MIN_RUNTIME = 1024,
    LSCHED_QUEUE_SET_PREEMPTION_DELAY = 2048,
    LSCHED_QUEUE_SET_CREATED = 4096,
    LSCHED_QUEUE_SET_JOBS_MAX = 8192,
    LSCHED_QUEUE_SET_SUBMITTED_MAX = 16384,
    LSCHED_QUEUE_SET_USER_JOBS_MAX = 32768,
    LSCHED_QUEUE_SET_USER_SUBMITTED_MAX = 65536,
    LSCHED_QUEUE_SET_GROUP_JOBS_MAX = 131072,
    LSCHED_QUEUE_SET_GROUP_SUBMITTED_MAX = 262144
};
/* Returns the number of applied updates, also of those whose `set` is 0, which change nothing.
 * Errors: those of every call, and those of the fields in lsched_queues_add. */
LSCHED_API int32_t lsched_queues_update(lsched_cluster *cluster, const lsched_queue_update *updates,
                                        size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                        int32_t *status, lsched_error *err);

#ifdef __cplusplus
}
#endif
#endif
