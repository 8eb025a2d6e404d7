/*
 * readback.h -- reads back what a cluster holds, so that an orchestrator needs no database of its
 * own: open decisions with their content, why each job waits, how running work will end, and the
 * difference between the orchestrator's list of objects and the cluster's.
 *
 * No function of this header changes the cluster. libsched.h includes this header and states the
 * rules; orchestrators include libsched.h.
 */
#ifndef LIBSCHED_READBACK_H
#define LIBSCHED_READBACK_H

#include <libsched/plans.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- open decisions ---- */

/* Writes the content of an open decision to *out, as the plan had it when the decision was made: a
 * plan of an earlier process, or one that the orchestrator has destroyed. The state and until_us are
 * those of now, and MIGRATE becomes EVICT when the task has lost its new place. LSCHED_E_STALE: the
 * decision is closed: its task started or ended, or the decision was rejected or withdrawn. A
 * confirmed decision is still open. */
LSCHED_API int32_t lsched_decision_get(const lsched_cluster *cluster, lsched_id decision,
                                       lsched_decision *out, lsched_error *err);
/* Writes the next open decision to *out, the oldest first, and returns 1; 0 at the end. The
 * decisions of a group come one after the other. Before the first call, set *cursor to 0.
 * LSCHED_E_STATE: the decision that would come next was closed since the latest call; begin
 * again. */
LSCHED_API int32_t lsched_decisions_next(const lsched_cluster *cluster, uint64_t *cursor,
                                         lsched_decision *out, lsched_error *err);

/* ---- waiting jobs ---- */

/* Writes why the job waits to *out and returns 1; returns 0, with the code LSCHED_WAIT_NONE, if the
 * job waits for nothing, or if the next cycle tries it. The record is that of the job's shape and
 * queue, as in lsched_plan_waiting_at, but `job` is this job. Cost: independent of the number of jobs;
 * lsched_waiting_text writes the record as text. Errors: those of every call. */
LSCHED_API int32_t lsched_waiting_get(const lsched_cluster *cluster, lsched_id job,
                                      lsched_waiting *out, lsched_error *err);
/* Writes the record of the next job that waits to *out, job by job in no particular order, and
 * returns 1; 0 at the end. Before the first call, set *cursor to 0. Errors: those of every call. */
LSCHED_API int32_t lsched_waiting_next(const lsched_cluster *cluster, uint64_t *cursor,
                                       lsched_waiting *out, lsched_error *err);

/* ---- running jobs ---- */

/* How the running tasks of a job will end, as far as the cluster knows at its present time and if
 * what runs now runs on. All times are in microseconds and LSCHED_NEVER_US if there is no such end.
 * Work that can be stopped for other jobs is not told here. */
typedef struct lsched_job_end {
    uint32_t size;
    uint32_t tasks_running; /* tasks that run and are not being stopped; 0: all else is as never */
    /* the last of these tasks ends by the estimate or the time limit of the job, whichever is
     * shorter; not after the cluster's time: the job has run for longer */
    int64_t expected_us;
    int64_t limit_us; /* the policy stops the job, because it reaches its time limit */
    /* Queue of the allowance that decides: of the job's queue and all queues above, the one that
     * stops the job first; else one that is or will be spent in its period, with
     * LSCHED_SPENT_FIRST_VICTIM before LSCHED_SPENT_RUN_ON; 0: no allowance will be spent */
    lsched_id allowance_queue;
    int64_t spent_us; /* all of this allowance is used; not after the cluster's time: it is spent */
    int64_t spent_stop_us; /* a cycle stops the job because of this allowance */
    uint32_t spent;        /* LSCHED_SPENT_* of this allowance */
    uint32_t reserved_zero;
    lsched_id leaving_node; /* the node of the job's tasks that leaves first; 0: none leaves */
    int64_t leaves_us;      /* when it leaves; not after the cluster's time: it is away */
    int64_t back_us;        /* when it is back */
    /* end of the soft limit: from then on other jobs evict the job before other work; not after the
     * cluster's time: its soft limit is over */
    int64_t soft_us;
} lsched_job_end;
/* Writes to *out how the running tasks of the job will end. lsched_explain() says the same in words.
 * Cost: O(tasks of the job + tasks of the allowances on the path of its queue). Errors: those of
 * every call. */
LSCHED_API int32_t lsched_job_end_get(const lsched_cluster *cluster, lsched_id job,
                                      lsched_job_end *out, lsched_error *err);

/* ---- comparing lists ---- */

/* A task of lsched_sync_tasks: of a job by id or, if the id is 0, by name. */
typedef struct lsched_task_ref {
    uint32_t size;
    uint32_t task_index;
    lsched_id job;
    lsched_text job_name;
    lsched_id run; /* the run that goes on, as in lsched_task_event; 0: any */
} lsched_task_ref;

/* What lsched_sync and lsched_sync_tasks find. The arrays are input and can be NULL. */
typedef struct lsched_sync_report {
    uint32_t size;
    uint32_t reserved_zero;
    /* [n] by element of the list: LSCHED_OK: the cluster has it; LSCHED_E_NOENT: it is missing in
     * the cluster; LSCHED_E_EXISTS: an earlier element is the same; LSCHED_E_STATE: the cluster has
     * the task, but not this run of it, or no run; LSCHED_E_INVAL: no valid name */
    int32_t *status;
    lsched_id *ids; /* [n] by element: the id of the object, or of the task's job; 0: missing */
    /* [extra_capacity] objects of the cluster that the list lacks; lsched_sync_tasks: their jobs */
    lsched_id *extra;
    uint32_t *extra_tasks; /* [extra_capacity] lsched_sync_tasks: the index of each such task */
    uint64_t extra_capacity;
    uint64_t n_missing, n_duplicates; /* elements of these kinds; `missing` includes E_STATE */
    uint64_t n_extra;                 /* number of extra objects, also if it exceeds the capacity */
} lsched_sync_report;

/* Compares the complete list of the orchestrator's names of one kind (LSCHED_KIND_NODE, _QUEUE,
 * _JOB, _TOPOLOGY) with the objects of the cluster. Returns 0 also if they differ. Sub-queues of
 * users that the library made are never extra. Cost: linear in the list and the objects. Errors: those
 * of every call; LSCHED_E_LIMIT: the list has too many names. */
LSCHED_API int32_t lsched_sync(const lsched_cluster *cluster, uint32_t kind,
                               const lsched_text *names, size_t n, lsched_sync_report *report,
                               lsched_error *err);
/* Compares the complete list of the tasks that run for the orchestrator with the tasks that run in
 * the cluster or are to stop (LSCHED_TASK_RUNNING, _RELEASING). A task that is missing in
 * the cluster has to be reported as started if its decision is open, and imported otherwise. A task
 * that is extra no longer runs: report LSCHED_EVENT_ENDED or LSCHED_EVENT_FAILED for it. If the list
 * names runs, one task can be extra with its old run and missing with its new run. First report the
 * old run as LSCHED_EVENT_FAILED, then import the new run: the task must not end. Errors as for
 * lsched_sync. */
LSCHED_API int32_t lsched_sync_tasks(const lsched_cluster *cluster, const lsched_task_ref *tasks,
                                     size_t n, size_t elem_size, lsched_sync_report *report,
                                     lsched_error *err);

/* clang-format off */
#define LSCHED_JOB_END_INIT LSCHED_INIT(lsched_job_end)
/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
