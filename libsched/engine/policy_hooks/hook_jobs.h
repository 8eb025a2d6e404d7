/*
 * hook_jobs.h -- the policy's hooks about jobs: time limits, idle jobs, and minimums of gangs.
 *
 * The hooks are called for jobs that arrive, for all jobs when the policy changes, and for running
 * jobs at each refresh. Answers are kept in columns (job_limits.h), so a cycle between refreshes
 * calls no hook; the list of idle jobs lives only in the cycle that asked. If a hook fails, no job
 * is stopped, minimums are as submitted, and the missing answers are asked for at the next refresh.
 * Cost: at a refresh one read per job row, and one call of the policy per 256 jobs.
 */
#ifndef LIBSCHED_HOOK_JOBS_H
#define LIBSCHED_HOOK_JOBS_H

#include "engine/state/cycle_state.h"

/* changed: 1 if the policy is another one than at the last refresh. */
int32_t hook_jobs_refresh(struct lsched_cycle *y, int changed);
/* Asks about jobs that are about to be admitted. */
int32_t hook_jobs_arrive(struct lsched_cycle *y, const uint32_t *jobs, uint32_t n);
/* Returns 1 and a text if the job asks for more time than its time limit allows: then it is refused
 * without a call of the hook `admit`. Returns 0 otherwise. */
int hook_jobs_overlong(const struct lsched_cycle *y, uint32_t job, char *text, size_t cap);
/* Called after the actions: a job that is still due is left alone until the next refresh, unless
 * the cycle was cut off. */
void hook_jobs_acted(struct lsched_cycle *y);
/* Returns when running jobs need another cycle, because a job is due or the hooks must be called
 * again; LSCHED_NEVER_US: never. */
int64_t hook_jobs_wake(const struct lsched_cluster *c, int64_t refresh);

/* True if an action of this cycle will stop the running job for its own reason, so that nothing
 * needs to be evicted for it. */
int hook_jobs_stops(const lsched_cycle *y, uint32_t job);

#endif
