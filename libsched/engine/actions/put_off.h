/*
 * put_off.h -- puts off starts: a start waits until victims were sought for the jobs with the
 * better entitlement.
 *
 * Actions run one after another. Without this file, `allocate` would give idle room to a borrower,
 * and `reclaim` would then stop one more job for the owner that `allocate` could not place.
 * Therefore each action that places a job calls put_off_asks before it keeps the transaction. The
 * start is put off if one of these holds:
 *   outranked   A job waits for room, an action of this pass has yet to seek victims for it, and it
 *               might evict the starting work as soon as that runs. The waiting job is within its
 *               guarantee (or fair share) and the start is beyond its own, or the waiting job ranks
 *               higher in the same queue. Quotas of resource parts and dominant shares: outrank.h.
 *   behind      A job earlier in the order of shares was put off, and the starting job has no
 *               better entitlement by its queues. The rule makes jobs start in the order of shares.
 * When the last action is done, the pass goes through the pipeline in another round
 * (pass_another_round) with the jobs that were put off, and so on. In a round, no start waits for
 * a job that an earlier round has looked at. Therefore room that no job with a better entitlement
 * can use is given away in the same cycle, in the same order. In the last round no start is put
 * off and no victims are sought: the next cycle looks at the jobs that this round leaves waiting.
 *
 * The jobs that are put off are in a list of parked bundles, which is state. The counts of waiting
 * jobs by queue and resource kind, kept here, are scratch memory of one action. The counts can
 * include a job that has lost its entitlement since; then a start waits for one round in vain, and
 * no plan is worse. Cost: nothing while no job waits or no action evicts. Otherwise O(bundles)
 * once per action, and O(depth x kinds) for each job that is parked or is about to be placed. Why
 * a placement is not taken back later, when victims are sought: if the budget ends a cycle between
 * the two actions, the orchestrator has already started the task.
 */
#ifndef LIBSCHED_PUT_OFF_H
#define LIBSCHED_PUT_OFF_H

#include "engine/state/cycle_state.h"

/* Forgets the counts of waiting jobs, because another action begins. */
void put_off_close(struct lsched_cycle *y);
/* Called when a pass begins: computes again which entitlement each waiting bundle has. Returns
 * LSCHED_OK or LSCHED_E_NOMEM. */
int32_t put_off_pass(struct lsched_cycle *y);
/* Called when another round begins. Evictions of the last round may have given the queues of jobs
 * that were put off an entitlement that they did not have, therefore the entitlements of the
 * bundles in line are computed again. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t put_off_round(struct lsched_cycle *y);
/* Called before a transaction: counts the waiting jobs while nothing is placed for the current
 * job. Returns 1, 0 if the cycle was stopped, or LSCHED_E_NOMEM. */
int32_t put_off_look(struct lsched_cycle *y);
/* Called when a job of the bundle was placed. The bundle now has another first job, or none.
 * Updates the counts of this bundle, and of the bundle to which the job now belongs, if that is
 * another one. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t put_off_placed(struct lsched_cycle *y, uint32_t bundle, uint32_t job);
/* Called when the bundle was parked: updates the counts and marks that this round and the order of
 * shares use. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t put_off_parked(struct lsched_cycle *y, uint32_t bundle);
/* True if the start of the current job, as it is placed in the transaction, must be put off. */
int put_off_asks(struct lsched_cycle *y, uint32_t job);
/* Rolls the transaction of the job back and parks its bundle until the next round. Returns
 * LSCHED_OK or LSCHED_E_NOMEM. */
int32_t put_off_job(struct lsched_cycle *y, uint32_t job);

#endif
