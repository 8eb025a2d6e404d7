/*
 * job_life.h -- what an orchestrator can change of a job after its submission.
 *
 * libsched.h includes this header and states the rules for all calls.
 */
#ifndef LIBSCHED_JOB_LIFE_H
#define LIBSCHED_JOB_LIFE_H

#include <libsched/libsched.h>
#include <libsched/arrays.h>

#ifdef __cplusplus
extern "C" {
#endif

/* New numbers of tasks of one group of a job. A field that is 0 keeps the present value. */
typedef struct lsched_group_count {
    uint32_t size;
    uint32_t group;      /* index of the group in the job's groups */
    uint32_t max_count;  /* leaf group: number of tasks */
    uint32_t min_count;  /* leaf group: minimum of tasks; LSCHED_MIN_NONE: no minimum */
    uint32_t min_groups; /* inner group: minimum of child groups */
    /* leaf group: number of tasks that exist; max_count: all; LSCHED_NO_MEMBERS: none. At least the
     * number of tasks that have a place, also while they are being stopped, or are done */
    uint32_t members;
    /* leaf group whose size was chosen at its start (LSCHED_GROUP_FIXED_AT_START): number of tasks
     * with which it really started, not more than that size and not fewer than the tasks that have
     * a place, also while they are being stopped, or are done. It becomes the size */
    uint32_t started;
    uint32_t reserved2_zero;
} lsched_group_count;

/* Changes fields of a job that exists. The job keeps its id, its time of submission, its count of
 * failures and its count of disruptions; only LSCHED_JOB_SET_AGAIN changes the count of failures.
 * A field that already has the new value is no change, and an update without a change wakes no
 * job. A job that waits is admitted again by the policy after a change of any field but priority,
 * tag, retries and disruptions. The comment of each field says what can change while the job has
 * tasks. If a field cannot change now, the error is LSCHED_E_STATE. */
typedef struct lsched_job_update {
    uint32_t size;
    uint32_t set;  /* LSCHED_JOB_SET_*: the fields that change */
    lsched_id job; /* id, or 0 and `name` */
    lsched_text name;
    uint64_t tag;                 /* TAG, at any time */
    int32_t priority;             /* PRIORITY, at any time */
    uint32_t retries_max;         /* RETRIES, at any time */
    int64_t backoff_us;           /* RETRIES, at any time */
    int64_t duration_us;          /* DURATION, at any time */
    int64_t deadline_us;          /* DEADLINE, at any time */
    int64_t time_limit_us;        /* TIME_LIMIT, at any time; it counts from the start of the run */
    int64_t disruption_window_us; /* DISRUPTIONS, at any time */
    uint32_t disruptions_max;     /* DISRUPTIONS, at any time */
    uint32_t n_labels;
    /* LABELS: the complete new list. No task of the job may be placed, nominated or releasing */
    const lsched_label *labels;
    /* QUEUE: id or name of the new queue. `user` and `user_group` say in which sub-queue of it the
     * job is. No task of the job may be placed, nominated or releasing */
    lsched_id queue;
    lsched_text queue_name;
    lsched_text user, user_group;
    /* GROUPS: the complete new tree. The job may have no task that is placed, nominated,
     * releasing or done */
    const lsched_group_desc *groups;
    /* COUNTS: groups with other numbers of tasks. If the job has tasks, a maximum must leave room
     * for every task that was ever placed, the indexes of tasks that have a place must stay, and a
     * minimum must not exceed the number of placed and done tasks of its group */
    const lsched_group_count *counts;
    uint32_t n_groups, group_elem_size;
    uint32_t n_counts, count_elem_size;
    int64_t release_us;    /* RELEASE, at any time; tasks that stop already keep their time */
    int64_t checkpoint_us; /* CHECKPOINT, at any time; open CHECKPOINT decisions keep their time */
    /* BEGIN, EXPIRY, DEPENDENCIES (the complete new list, and on_never): see lsched_job_desc. No
     * task of the job may be placed, nominated or releasing */
    int64_t begin_us, expires_us;
    const lsched_dependency *dependencies;
    uint32_t n_dependencies, dependency_elem_size;
    uint32_t on_never;
    uint32_t reserved_zero;
    int64_t soft_limit_us; /* SOFT_LIMIT, at any time; it counts from the start of the run */
} lsched_job_update;

enum lsched_job_set {
    LSCHED_JOB_SET_TAG = 1,
    LSCHED_JOB_SET_PRIORITY = 2,
    LSCHED_JOB_SET_RETRIES = 4, /* retries_max and backoff_us */
    LSCHED_JOB_SET_DURATION = 8,
    LSCHED_JOB_SET_DEADLINE = 16,
    LSCHED_JOB_SET_TIME_LIMIT = 32,
    LSCHED_JOB_SET_DISRUPTIONS = 64, /* disruptions_max and disruption_window_us */
    LSCHED_JOB_SET_LABELS = 128,
    LSCHED_JOB_SET_QUEUE = 256,
    LSCHED_JOB_SET_GROUPS = 512,
    LSCHED_JOB_SET_COUNTS = 1024,
    /* No field: the job can start at once. Its count of failures becomes 0, its backoff ends, and
     * so do the refusals of its placements and a hold because of the time limit or idleness. A hold
     * by lsched_jobs_hold() stays */
    LSCHED_JOB_SET_AGAIN = 2048,
    LSCHED_JOB_SET_RELEASE = 4096,
    LSCHED_JOB_SET_CHECKPOINT = 8192,
    LSCHED_JOB_SET_BEGIN = 16384,
    LSCHED_JOB_SET_EXPIRY = 32768,
    LSCHED_JOB_SET_DEPENDENCIES = 65536, /* dependencies and on_never */
    LSCHED_JOB_SET_SOFT_LIMIT = 131072
};

/* Updates jobs. Returns the number of updates that were applied. Source of the rule for fields of
 * running jobs: docs/semantics.md, 24. Errors of an element: LSCHED_E_STALE, LSCHED_E_NOENT (no
 * such job or queue), LSCHED_E_STATE (see the fields), LSCHED_E_LIMIT (the queue has too many
 * jobs), LSCHED_E_CYCLE (jobs that would wait for each other), and the errors of
 * lsched_jobs_submit() for the new values. */
LSCHED_API int32_t lsched_jobs_update(lsched_cluster *cluster, const lsched_job_update *updates,
                                      size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                      int32_t *status, lsched_error *err);

/* Ends jobs that have done their work, whatever number of tasks they wanted: an elastic job that ran
 * with fewer tasks than its maximum is over without having had all of them. The running tasks of
 * the job end well and give their room back, its open decisions are withdrawn, and the job no longer
 * exists, as after the end of its last task. Returns the number of jobs that were completed.
 * LSCHED_E_STATE: no task of the job runs or is done, so that the job has done nothing; remove it
 * with lsched_jobs_remove(). IDEMPOTENT: a job that no longer exists is LSCHED_UNCHANGED. Source of
 * the rule: docs/semantics.md, 24. */
LSCHED_API int32_t lsched_jobs_complete(lsched_cluster *cluster, const lsched_id *jobs, size_t n,
                                        const lsched_batch_opts *opts, int32_t *status,
                                        lsched_error *err);

/* The hold of one job by the orchestrator. */
typedef struct lsched_job_hold {
    uint32_t size;
    uint32_t reserved_zero;
    lsched_id job; /* id, or 0 and `name` */
    lsched_text name;
    /* The hold ends with the first cycle at or after this time. 0 and LSCHED_NEVER_US: it ends only
     * with lsched_jobs_release() */
    int64_t until_us;
    lsched_text reason; /* words for people, at most 255 bytes; can be empty */
} lsched_job_hold;

/* Holds jobs: no task of a held job starts until the hold ends. Running tasks and confirmed
 * placements stay; proposals that are not confirmed, nominations and proposed moves are withdrawn,
 * and the change feed names each with a cause: LSCHED_BECAUSE_HOST_HOLD, LSCHED_BECAUSE_GANG if the
 * gang rule withdraws it, LSCHED_BECAUSE_GROUP if it goes with another decision of its group, or
 * LSCHED_BECAUSE_ROOM if it is of another job that was to get the room. A job that is held already
 * gets the new time and the new reason; equal ones change nothing. IDEMPOTENT: such an element is
 * LSCHED_UNCHANGED. The hold is independent of other reasons to wait: LSCHED_JOB_SET_AGAIN does not
 * end it. Returns the number of holds that were applied. Source of the rule: docs/semantics.md, 24.
 * Errors of an element: LSCHED_E_STALE, LSCHED_E_NOENT (no such job), LSCHED_E_TIME (until_us is
 * not after the cluster's latest time), LSCHED_E_RANGE (until_us, the length of the reason),
 * LSCHED_E_NULL (reason), LSCHED_E_INVAL. Cost: O(tasks of the job). */
LSCHED_API int32_t lsched_jobs_hold(lsched_cluster *cluster, const lsched_job_hold *holds, size_t n,
                                    size_t elem_size, const lsched_batch_opts *opts,
                                    int32_t *status, lsched_error *err);

/* Ends the holds of jobs before their time: the jobs wait for their turn again. Returns the number
 * of jobs that were released. LSCHED_E_STATE: the job is not held by lsched_jobs_hold(). IDEMPOTENT:
 * such a job, and a job that no longer exists, is LSCHED_UNCHANGED. Source of the rule:
 * docs/semantics.md, 24. Cost: O(log n) for a job without running tasks, else O(tasks). */
LSCHED_API int32_t lsched_jobs_release(lsched_cluster *cluster, const lsched_id *jobs, size_t n,
                                       const lsched_batch_opts *opts, int32_t *status,
                                       lsched_error *err);

/* clang-format off */
#define LSCHED_GROUP_COUNT_INIT LSCHED_INIT(lsched_group_count)
#define LSCHED_JOB_UPDATE_INIT LSCHED_INIT(lsched_job_update)
#define LSCHED_JOB_HOLD_INIT LSCHED_INIT(lsched_job_hold)
/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
