/*
 * plan_of_job.h -- the part of a plan that gives places to one job.
 */
#ifndef LIBSCHED_PLAN_OF_JOB_H
#define LIBSCHED_PLAN_OF_JOB_H

#include "engine/plan/plan.h"

struct plan_of_job {
    uint64_t tasks;   /* decisions that give a task of the job a place */
    uint64_t victims; /* tasks of other jobs that are stopped or moved for the job */
    int64_t cost;     /* sum of the costs of the victims, at most LSCHED_AMOUNT_MAX */
    int64_t at;       /* latest time of a nomination of the job; 0 if there is none */
};

/* Counts what the plan does for the job. */
void plan_of_job_count(const lsched_plan *p, lsched_id job, struct plan_of_job *out);
/* Drops all decisions of the plan except those of the groups that give the job places, and all
 * waiting records, withdrawn decisions and advice. The decisions that stay lose their ids.
 * Returns LSCHED_OK or LSCHED_E_NOMEM; after an error, the plan can only be freed. */
int32_t plan_of_job_keep(lsched_plan *p, lsched_id job);

#endif
