/*
 * checkpoints.h -- tasks that may write a checkpoint before they are evicted.
 *
 * A job can say how long its tasks take to write a checkpoint when they are asked
 * (lsched_job_desc.checkpoint_us). If the orchestrator asks for decisions of the kind CHECKPOINT, a
 * cycle makes a CHECKPOINT instead of each EVICT of such a job. Otherwise the two are equal: the
 * task is releasing, its queue is not charged any more, and its room is promised. The first cycle
 * that can make an EVICT, and that runs when the checkpoint is written or its time is over, makes
 * the EVICT: a new decision of the same group. Until then nothing has stopped the task, so each
 * decision that withdraws the group withdraws the CHECKPOINT, also if it is confirmed.
 *
 * While a cycle decides, its stops are of the kind EVICT, and become CHECKPOINT decisions at its
 * end. Therefore no action knows of checkpoints. A task that moves gets no CHECKPOINT of its own:
 * the orchestrator lets it write one as a part of the move, for which the time is given. A task
 * that leaves a device without memory gets none, because it must not run on.
 */
#ifndef LIBSCHED_CHECKPOINTS_H
#define LIBSCHED_CHECKPOINTS_H

#include "engine/state/cycle_state.h"

/* Returns how long a task of the job may write a checkpoint before this cycle's eviction for the
 * reason; 0: it is evicted at once. */
int64_t checkpoints_time(const struct lsched_cycle *cy, uint32_t job, uint32_t reason);
/* Makes the EVICT that follows each CHECKPOINT that is due. Cost: O(log n) each, for n open
 * CHECKPOINT decisions. Error: LSCHED_E_NOMEM. */
int32_t checkpoints_serve(struct lsched_cycle *cy);
/* Turns the evictions of this cycle into CHECKPOINT decisions where the job can write one. Must be
 * called when the cycle has made all its decisions. Error: LSCHED_E_NOMEM. */
int32_t checkpoints_begin(struct lsched_cycle *cy);
/* Returns the time at which a cycle with the kinds of the latest one makes the next EVICT that
 * follows a CHECKPOINT; LSCHED_NEVER_US: none. */
int64_t checkpoints_wake(const struct columns *k);

#endif
