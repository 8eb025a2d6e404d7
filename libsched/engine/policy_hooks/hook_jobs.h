/*
 * hook_jobs.h -- what a policy says of jobs: how long they may run, whether they are idle, how many
 * tasks they need to start.
 *
 * Jobs are asked when they arrive and when the policy changes; those that run, at each refresh.
 * Answers are kept in columns (job_limits.h), so a cycle between refreshes asks nobody; who is idle
 * is scratch of the cycle that asked. When a hook fails nobody is stopped, minimums are as
 * submitted, and who was not asked is asked at the next refresh. Cost: at a refresh one look at
 * each job row, and a call of the policy per 256 that are asked.
 */
#ifndef LIBSCHED_HOOK_JOBS_H
#define LIBSCHED_HOOK_JOBS_H

#include "engine/state/cycle_state.h"

/* changed: another policy than at the last refresh. */
int32_t hook_jobs_refresh(struct lsched_cycle *y, int changed);
/* Jobs that are about to be admitted. */
int32_t hook_jobs_arrive(struct lsched_cycle *y, const uint32_t *jobs, uint32_t n);
/* Why the job may not be admitted whatever the policy's `admit` says: 1 and a text, 0. */
int hook_jobs_overlong(const struct lsched_cycle *y, uint32_t job, char *text, size_t cap);
/* The actions are through: who is due still is left alone until the next refresh, unless the cycle
 * was cut off. */
void hook_jobs_acted(struct lsched_cycle *y);
/* When jobs that run need another cycle: who is due, and the next time that they are asked;
 * LSCHED_NEVER_US. */
int64_t hook_jobs_wake(const struct lsched_cluster *c, int64_t refresh);

/* It runs, and an action of this cycle ends it: nobody is stopped for it. */
int overdue_is_to_stop(const lsched_cycle *y, uint32_t job);

#endif
