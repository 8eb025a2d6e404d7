/*
 * verify_jobs.h -- checks that the counts of a job equal the states of its tasks, and that a gang
 * either has its minimum or waits as a whole. Also checks that each waiting job is in the bundle of
 * the jobs with the same shape, when the time limit of a job ends, which jobs are held, and for
 * which jobs the policy has replaced the minimum.
 */
#ifndef LIBSCHED_VERIFY_JOBS_H
#define LIBSCHED_VERIFY_JOBS_H

#include "model/check/check_finding.h"

/* Checks the counts of leaf groups and gangs, the phases of jobs, bundles, time limits, held jobs,
 * and the jobs whose minimum the policy has replaced. */
int32_t verify_jobs(struct check *c);
/* True if the job has its minimum when each leaf group has held[group] tasks. `group` is the index
 * of the leaf group in the job. */
int verify_jobs_satisfied(const struct columns *k, uint32_t job, const uint32_t *held);
/* Sets held[group], for each leaf group of the job, to the number of its tasks that are placed,
 * nominated or done. */
void verify_jobs_held(const struct columns *k, uint32_t job, uint32_t *held);

#endif
