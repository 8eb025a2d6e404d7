/*
 * job_update_counts.h -- reads new numbers of tasks of a job that exists, and says what is wrong.
 */
#ifndef LIBSCHED_JOB_UPDATE_COUNTS_H
#define LIBSCHED_JOB_UPDATE_COUNTS_H

#include "api/door/args.h"

/* The numbers of tasks of all groups of a job. */
struct job_update_counts {
    uint32_t min[LSCHED_GROUPS_PER_JOB_MAX], max[LSCHED_GROUPS_PER_JOB_MAX];
    /* number of existing tasks; UINT32_MAX: all */
    uint32_t members[LSCHED_GROUPS_PER_JOB_MAX];
    int changed; /* 1 if any number differs from the present one */
};

/* Sets *out to the numbers that the job has after the update. Errors: LSCHED_E_RANGE,
 * LSCHED_E_INVAL, LSCHED_E_LIMIT; LSCHED_E_STATE if the tasks of the job do not allow them. */
int32_t job_update_counts_read(const struct columns *k, uint32_t job, const lsched_job_update *u,
                               struct job_update_counts *out, lsched_error *err);

#endif
