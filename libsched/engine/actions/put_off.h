/*
 * put_off.h -- order by entitlement, not by action: a start waits until victims were sought for the
 * jobs with the better entitlement.
 *
 * Actions run one after another, so `allocate` would give idle room to a borrower, and `reclaim`
 * would then stop one job more for the owner whom `allocate` could not place. So each action that
 * places a job asks here before it keeps the transaction. The start is put off if
 *   outranked   a job that waits for room, and that an action of this pass has yet to seek victims
 *               for, might take that work away as soon as it ran: it is within its guarantee (or
 *               its fair share) where the start is beyond its own, or counts more in the same queue
 *               (by quotas of parts and dominant shares: outrank.h)
 *   behind      one that came before it by shares was put off, and it has no better right by its
 *               queues: shares keep their order
 * When the last action is done the pass goes through the pipeline once more (pass_another_round)
 * with those that were put off, and so on: in a round nobody waits for whom an earlier round has
 * looked at. So room that no job with a better entitlement can use is given away in the same cycle,
 * in the same order. In the last round no start is put off and no victims are sought: jobs that it
 * leaves waiting are looked at in the next cycle.
 *
 * What is put off stands in a list of parked bundles and is state; what is kept here is scratch of
 * one action: who waits, counted by queue and kind. It may say that somebody has a right who has
 * lost it since; then a start waits for a round in vain, and no plan is worse. Cost: nothing while
 * nobody waits or no action stops work; else O(bundles) once per action, as for the action that
 * evicts, and O(depth x kinds) for a job that was parked, or is to be placed. Why a placement is
 * not taken back when victims are sought: if the budget ends a cycle between the two actions, the
 * host has already started the task.
 */
#ifndef LIBSCHED_PUT_OFF_H
#define LIBSCHED_PUT_OFF_H

#include "engine/state/cycle_state.h"

/* Forgets which jobs wait, because another action begins. */
void put_off_close(struct lsched_cycle *y);
/* A pass begins, and all that wait are asked anew: what they have a right to now.
 * LSCHED_E_NOMEM. */
int32_t put_off_pass(struct lsched_cycle *y);
/* Another round begins. Work that was stopped in the last one may have given the queues of those
 * who were put off a right that they did not have: theirs are asked anew. LSCHED_E_NOMEM. */
int32_t put_off_round(struct lsched_cycle *y);
/* Before a transaction: who waits is counted as long as nothing is placed for it. 1, or
 * LSCHED_E_NOMEM. */
int32_t put_off_look(struct lsched_cycle *y);
/* The job of the bundle was placed, and has another now or none. LSCHED_E_NOMEM. */
int32_t put_off_placed(struct lsched_cycle *y, uint32_t bundle, uint32_t job);
/* The bundle was parked: what this round, and shares, are to know of it. LSCHED_E_NOMEM. */
int32_t put_off_parked(struct lsched_cycle *y, uint32_t bundle);
/* True if the job in hand, as it is placed, is to be put off. */
int put_off_asks(struct lsched_cycle *y, uint32_t job);
/* Roll its transaction back, and park its bundle until the next round. */
int32_t put_off_job(struct lsched_cycle *y, uint32_t job);

#endif
