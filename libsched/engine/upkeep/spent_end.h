/*
 * spent_end.h -- stops the work of allowances that are spent and whose grace is over (spent.h).
 *
 * This step comes before the actions, with any pipeline, because it follows from the terms of a
 * queue and not from the policy: an allowance that ends work would do nothing under a policy whose
 * author did not think of it. It stops each job of which a task costs something, as a whole, and in
 * the order of the names of jobs, so that the decisions do not depend on the order of rows. No
 * other job waits for this: therefore it is no eviction in which guarantees, minimum run times or
 * the non-preemptible flag have a part. A stop that the orchestrator refused is tried again when
 * the policy's grace for refusals is over. What is stopped is not held: it waits, and the rule of
 * allowances keeps it from starting until the next period.
 *
 * The cluster has a pointer to this function as soon as an allowance is set, so that a program that
 * sets none is linked without it. Cost: O(allowances), and where work is stopped O(tasks of these
 * allowances), sorted by job.
 */
#ifndef LIBSCHED_SPENT_END_H
#define LIBSCHED_SPENT_END_H

#include "engine/state/cycle_state.h"

/* Begins new periods, notes which allowances are spent, and stops what is to be stopped. Error:
 * LSCHED_E_NOMEM. */
int32_t spent_end(struct lsched_cycle *cy);

#endif
