/*
 * dependencies.h -- what a job waits for before its first start: other jobs, and a begin time.
 *
 * This header is a part of libsched.h, which includes it and states the rules for structs, batches
 * and errors. lsched_job_desc and lsched_job_update have the lists. A job whose dependencies or
 * begin time do not allow its start counts in no demand, as a held job does.
 *
 * Source of the rules: dependencies of Slurm (docs/semantics.md, 30).
 */
#ifndef LIBSCHED_DEPENDENCIES_H
#define LIBSCHED_DEPENDENCIES_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LSCHED_DEPENDENCIES_MAX 64 /* dependencies of one job */

/* The event of another job that a dependency waits for. SUCCESS: the job ends with its last task or
 * by lsched_jobs_complete(). FAILURE: the job ends in any other way, such as by
 * lsched_jobs_remove(). A job whose retries are used up has not ended yet. */
enum lsched_after {
    LSCHED_AFTER_SUCCESS = 0,
    LSCHED_AFTER_FAILURE = 1,
    LSCHED_AFTER_END = 2,  /* success or failure */
    LSCHED_AFTER_START = 3 /* a task of the job has started to run, now or earlier */
};

/* What becomes of a job of which a dependency can never be met, because the other job ended
 * otherwise. */
enum lsched_on_never {
    LSCHED_ON_NEVER_WAIT = 0,  /* the job waits with the reason LSCHED_WAIT_DEPENDENCY_NEVER */
    LSCHED_ON_NEVER_REMOVE = 1 /* a cycle removes the job when no task of it has a place */
};

/* One dependency of a job. The other job must exist, unless happened_us says what became of it.
 * Earlier jobs of the same batch exist. */
typedef struct lsched_dependency {
    uint32_t size;
    uint32_t after; /* LSCHED_AFTER_* */
    lsched_id job;  /* id, or 0 and `name` */
    lsched_text name;
    int64_t delay_us; /* the dependency is met this time after the event; 0: at once */
    /* Time of the event, if it has happened; LSCHED_NEVER_US if it cannot happen any more; 0: the
     * cluster learns of it. If it is not 0, `job` is 0, and `name` is only shown: no job needs to have
     * it. Descriptions of jobs (lsched_describe()) use it. */
    int64_t happened_us;
} lsched_dependency;

/* clang-format off */
#define LSCHED_DEPENDENCY_INIT LSCHED_INIT(lsched_dependency)
/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
