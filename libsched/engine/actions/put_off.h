/*
 * put_off.h -- puts off starts: the start of a job waits until victims were sought for the waiting
 * jobs that have a better entitlement.
 *
 * Actions run one after another. Without this file, `allocate` would give idle room to a job of a
 * queue that borrows. `reclaim` would then evict one more job for a waiting job that is within its
 * guarantee and that `allocate` could not place. Therefore put_off_asks is called before the
 * transaction of a job is kept. The start of the job is put off in each of these cases:
 *   outranked   A job waits for room, an action of this pass has yet to seek victims for it, and
 *               it could evict the starting tasks as soon as they run: either the waiting job is
 *               within its guarantee (or fair share) and the starting job is above its own, or
 *               the waiting job ranks higher in the same queue. outrank.h compares quotas of
 *               resource parts and dominant shares.
 *   behind      A job that is earlier in the order of shares was put off, and the queues of the
 *               starting job give it no better entitlement. With this rule, jobs start in the order
 *               of shares.
 *   unplanned   The job began to wait during the pass, an action that evicts gives it free room,
 *               and planned starts stand, which can need this room later. The next round plans it.
 * After the last action of the pipeline, the pass runs all actions again in another round
 * (pass_another_round) for the jobs that were put off. More rounds can follow. In a round, no
 * start waits for a job for which an earlier round has sought victims. Therefore room that no job
 * with a better entitlement can use is given in the same cycle to the jobs that were put off, in
 * the order of shares. In the last round, no start is put off and no victims are sought. The next
 * cycle seeks victims for the jobs that still wait after the last round.
 *
 * The bundles of the jobs that are put off are in a list of parked bundles, which is part of the
 * state. This file counts waiting jobs by queue and resource kind; the counts are scratch memory
 * of one action. The counts can include a job that has lost its entitlement since it was counted.
 * In that case a start waits for one round in vain, but the final plan is not worse. Cost: nothing
 * while no job waits or no action evicts. Otherwise O(bundles) once per action, and O(depth x
 * kinds) for each job that is parked or is about to be placed. Why a start is put off in advance,
 * and not undone later when victims are sought: if the budget ends the cycle between the two
 * actions, the orchestrator has already started the task.
 */
#ifndef LIBSCHED_PUT_OFF_H
#define LIBSCHED_PUT_OFF_H

#include "engine/state/cycle_state.h"

/* Frees the counts of waiting jobs, because another action begins. */
void put_off_close(struct lsched_cycle *cy);
/* Called when a pass begins: computes the entitlement of each waiting bundle again. Returns
 * LSCHED_OK or LSCHED_E_NOMEM. */
int32_t put_off_pass(struct lsched_cycle *cy);
/* Called when another round begins. Computes the entitlements of the bundles in line again,
 * because evictions of the previous round can have brought the queues of jobs that were put off
 * within their entitlement. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t put_off_round(struct lsched_cycle *cy);
/* Called before a transaction, when no task is placed for the current job yet: counts the waiting
 * jobs, unless they are counted already. Returns 1, 0 if the cycle was stopped, or
 * LSCHED_E_NOMEM. */
int32_t put_off_look(struct lsched_cycle *cy);
/* Called when a job of the bundle was placed, after which the bundle has another first job or no
 * job. Updates the counts for this bundle. If the placed job now belongs to another bundle,
 * updates the counts for that bundle, too. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t put_off_placed(struct lsched_cycle *cy, uint32_t bundle, uint32_t job);
/* Called when the bundle was parked: updates the counts of waiting jobs, and the marks that decide
 * which later starts are put off. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t put_off_parked(struct lsched_cycle *cy, uint32_t bundle);
/* Called instead of put_off_parked for a bundle that was tried where it is parked
 * (evict_in_place.h). Updates no counts, because the action starts no job. Returns LSCHED_OK or
 * LSCHED_E_NOMEM. */
int32_t put_off_in_place(struct lsched_cycle *cy, uint32_t bundle);
/* True if the start of the job, with the tasks that the transaction has placed, must be put off. */
int put_off_asks(struct lsched_cycle *cy, uint32_t job);
/* Rolls the transaction of the job back and parks its bundle until the next round. Returns
 * LSCHED_OK or LSCHED_E_NOMEM. */
int32_t put_off_job(struct lsched_cycle *cy, uint32_t job);

#endif
