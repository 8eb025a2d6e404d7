/*
 * job_update_counts.h -- reads new numbers of tasks of a job that exists, and says what is wrong.
 */
#ifndef LIBSCHED_JOB_UPDATE_COUNTS_H
#define LIBSCHED_JOB_UPDATE_COUNTS_H

#include "api/door/args.h"
#include "model/shapes/shape.h"

/* The numbers of tasks of all groups of a job. */
struct job_update_counts {
    struct group_sizes of[LSCHED_GROUPS_PER_JOB_MAX]; /* `members` is UINT32_MAX if all exist */
    int changed; /* 1 if any number differs from the present one */
};

/* Sets *out to the numbers that the job has after the update. Errors: LSCHED_E_RANGE,
 * LSCHED_E_INVAL, LSCHED_E_LIMIT; LSCHED_E_STATE if the tasks of the job do not allow them. */
int32_t job_update_counts_read(const struct columns *k, uint32_t job, const lsched_job_update *u,
                               struct job_update_counts *out, lsched_error *err);

#endif
