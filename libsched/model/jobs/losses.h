/*
 * losses.h -- settles a job that has lost tasks: withdraws proposed and nominated tasks that
 * cannot start any more, and removes rows without tasks.
 *
 * Afterwards every LEAF row of the job has a placed, done or releasing task, and the job has the
 * phase that fits its tasks. Cost: O(tasks of the job) if the job is below its minimum, else
 * O(leaves of the job).
 */
#ifndef LIBSCHED_LOSSES_H
#define LIBSCHED_LOSSES_H

#include "model/told/decision.h"

/* Applies the gang rule after losses: withdraws the proposed tasks of a job that is not
 * satisfied, marks the job as a stale gang or clears this mark, and requeues the job. Each
 * withdrawn decision is reported through `tell`. */
int32_t job_settle_losses(struct columns *k, uint32_t job, int64_t now, withdrawn_fn tell,
                          void *user);
/* Removes all task rows of the job and gives their resources back. */
int32_t tasks_drop_all(struct columns *k, uint32_t job, withdrawn_fn tell, void *user);

#endif
