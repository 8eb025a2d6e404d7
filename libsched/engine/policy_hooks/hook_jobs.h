/*
 * hook_jobs.h -- calls the policy's hooks about jobs: the hooks for time limits, for idle jobs,
 * for the minimums of gangs, and for the ranks by which evictions compare jobs (job_rank.h).
 *
 * The hooks are called for new jobs before they are admitted, for all jobs when the policy
 * changes, and for running jobs at each refresh; the hook for ranks for waiting jobs, too. Time
 * limits, minimums and ranks are kept in columns (job_limits.h, job_rank.h); therefore a cycle
 * between two refreshes calls no hook for them. The list of idle jobs exists only in the cycle
 * that called the hook. If a hook fails, the actions stop no job because of the hook, the minimums
 * are the submitted minimums, the ranks are the submitted priorities, and the hook is called for
 * the missing answers at the next refresh. Cost: a refresh reads each job row once and calls a
 * hook once per 256 jobs.
 */
#ifndef LIBSCHED_HOOK_JOBS_H
#define LIBSCHED_HOOK_JOBS_H

#include "engine/state/cycle_state.h"

/* Calls the hooks at a refresh. `changed` is 1 if the policy has changed since the latest
 * refresh. */
int32_t hook_jobs_refresh(struct lsched_cycle *cy, int changed);
/* Calls the hooks for time limits, minimums and ranks for jobs that are about to be admitted. */
int32_t hook_jobs_arrive(struct lsched_cycle *cy, const uint32_t *jobs, uint32_t n);
/* Returns 1 and writes a reason to `text` if the requested duration of the job is longer than its
 * time limit. The caller then refuses the job without a call of the hook `admit`. Returns 0
 * otherwise. */
int hook_jobs_overlong(const struct lsched_cycle *cy, uint32_t job, char *text, size_t cap);
/* Must be called after the actions of a cycle. If a job that has reached its time limit was not
 * stopped in this cycle, hook_jobs_wake() asks for another cycle for the job only at the next
 * refresh. The exception is a cycle that ended early. */
void hook_jobs_acted(struct lsched_cycle *cy);
/* Returns the time at which running jobs need another cycle, in microseconds: a job reaches its
 * time limit, or the hooks must be called again. Returns LSCHED_NEVER_US if no cycle is needed.
 * `refresh` is the time of the next refresh. */
int64_t hook_jobs_wake(const struct lsched_cluster *c, int64_t refresh);

/* True if an action of this cycle will stop the running job because of its time limit or because
 * it is idle. Therefore no other task needs to be evicted for this job. */
int hook_jobs_stops(const lsched_cycle *cy, uint32_t job);

#endif
