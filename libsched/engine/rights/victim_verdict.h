/*
 * victim_verdict.h -- decides which tasks of a job can be evicted or moved for the current job,
 * and computes the cost of the eviction.
 *
 * The verdict follows from the scope of the action, the job's priority and kind, its disruption
 * budget, the orchestrator's refusals and the minimum run time (docs/semantics.md, section 12).
 * Protection by guarantees is not part of the verdict: see victim_protect.h. Cost: O(tasks of the
 * job), once per job and context.
 */
#ifndef LIBSCHED_VICTIM_VERDICT_H
#define LIBSCHED_VICTIM_VERDICT_H

#include "engine/rights/victim_state.h"

/* added to the lost work of any eviction, in microseconds */
#define VICTIM_STOP_COST_US INT64_C(60000000)

/* Allocates memory for one verdict for each job, unless that was done. Returns LSCHED_OK or
 * LSCHED_E_NOMEM. */
int32_t victim_verdict_open(struct lsched_cycle *cy);
/* Makes room for jobs that were added since. May forget all verdicts. Returns LSCHED_OK or
 * LSCHED_E_NOMEM. */
int32_t victim_verdict_grow(struct lsched_cycle *cy);
void victim_verdict_close(struct lsched_cycle *cy);
/* Returns the verdict on the job, which is computed once per context. */
const struct victim_job *victim_verdict(struct lsched_cycle *cy, uint32_t job);
/* Returns how much work, in microseconds, a task of the job has done since its last checkpoint.
 * started: the time at which the task started. */
int64_t victim_verdict_work_lost(const struct lsched_cycle *cy, uint32_t job, int64_t started);
/* Returns the cost of evicting the task in GPU-milliseconds: (lost work + restart cost + one
 * minute) x GPUs. A task without GPUs counts as one GPU per 32 CPU cores. */
int64_t victim_verdict_task_cost(const struct lsched_cycle *cy, uint32_t job, uint32_t task);
/* The same, if the work of the task counts from the time `started` on. */
int64_t victim_verdict_cost_since(const struct lsched_cycle *cy, uint32_t job, uint32_t task,
                                  int64_t started);
/* Returns the cost of evicting a task of the unit. A policy gives costs to units alone. Otherwise
 * the task has its own cost, in whichever unit it stops: a unit that is a group can have lost other
 * tasks since its cost was summed. */
int64_t victim_verdict_cost_in(const struct lsched_cycle *cy, const struct victim_unit *u,
                               uint32_t task);

#endif
