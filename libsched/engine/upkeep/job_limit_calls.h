/*
 * job_limit_calls.h -- the calls of lsched_act that end jobs although no other job needs their
 * room: jobs that have run for longer than their time limit, and idle jobs.
 *
 * Such a job is stopped as a whole and then held. It is not protected by guarantees, minimum run
 * times or disruption budgets, nor because it is non-preemptible. The nominations and unsettled
 * placements of the job are withdrawn first. A heap orders the jobs by the times at which their
 * time limits end (job_limits.h). The policy has named the idle jobs at the refresh of this cycle
 * (hook_jobs.c). Cost: O(tasks of the stopped jobs).
 */
#ifndef LIBSCHED_JOB_LIMIT_CALLS_H
#define LIBSCHED_JOB_LIMIT_CALLS_H

#include "engine/state/cycle_state.h"

int32_t call_next_overdue(lsched_cycle *cy, uint32_t reason, uint32_t *job);
int32_t call_stop_job(lsched_cycle *cy, uint32_t job);

#endif
