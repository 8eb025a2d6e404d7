/*
 * job_priority.h -- sets the priority of a job and lets the job be tried at once.
 */
#ifndef LIBSCHED_JOB_PRIORITY_H
#define LIBSCHED_JOB_PRIORITY_H

#include <libsched/libsched.h>

static inline int32_t job_priority_set(lsched_cluster *c, lsched_id job, int32_t priority,
                                       lsched_error *err) {
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    u.job = job;
    u.set = LSCHED_JOB_SET_PRIORITY | LSCHED_JOB_SET_AGAIN;
    u.priority = priority;
    return lsched_jobs_update(c, &u, 1, sizeof u, NULL, NULL, err);
}

#endif
