/*
 * stop_whole.h -- stops all work of a job, for a reason that benefits no other job.
 *
 * What runs is evicted, in a decision group of its own, and what has a nomination or an unsettled
 * placement is withdrawn. Guarantees, minimum run times, disruption budgets and the non-preemptible
 * flag do not protect the job: its own limit or the allowance of its queue ends it. A job with more
 * tasks than any plan of this host can have decisions is stopped in several cycles.
 * Cost: O(tasks of the job).
 */
#ifndef LIBSCHED_STOP_WHOLE_H
#define LIBSCHED_STOP_WHOLE_H

#include "engine/state/cycle_state.h"

/* Returns how many of the job's running tasks this cycle stops: all of them, if enough decisions
 * are left. If only a later cycle has enough decisions for all of them, returns 0. If the job has
 * too many tasks for any cycle, returns the number of decisions that are left. */
uint64_t stop_whole_most(const lsched_cycle *cy, uint32_t job);
/* Withdraws what is not settled yet. why: LSCHED_BECAUSE_*. Error: LSCHED_E_NOMEM. */
int32_t stop_whole_withdraw(lsched_cycle *cy, uint32_t job, uint32_t why);
/* Evicts `most` running tasks, and settles the losses of the job. Error: LSCHED_E_NOMEM. */
int32_t stop_whole_evict(lsched_cycle *cy, uint32_t job, uint32_t reason, uint64_t most);

#endif
