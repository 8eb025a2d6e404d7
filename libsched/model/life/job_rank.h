/*
 * job_rank.h -- the rank of a job: the priority by which evictions compare the job with other work.
 *
 * The rank is the submitted priority, unless the policy in force has the hook preempt_priority:
 * then it is what the hook answered (engine/policy_hooks/hook_jobs.h), and M_RANKED is 1. The order
 * in which waiting jobs are tried is another number (JOB.ORDER) and does not depend on the rank.
 */
#ifndef LIBSCHED_JOB_RANK_H
#define LIBSCHED_JOB_RANK_H

#include "model/store/columns.h"

/* Sets the rank. If it changes, other victims can be possible for the job, and the job can become a
 * victim; therefore the next cycle seeks victims anew for all waiting jobs. The caller has called
 * undo_room(). Cost: O(tasks of the job) for a change. */
void job_rank_set(struct columns *k, uint32_t job, int32_t rank);

#endif
