/*
 * transaction.h -- the job in hand: its work units, its decisions, and which arguments of an action
 * are valid.
 */
#ifndef LIBSCHED_TRANSACTION_H
#define LIBSCHED_TRANSACTION_H

#include "engine/state/cycle_state.h"

/* Spend work; stops the cycle when the budget or an interrupt says so. */
int32_t act_spend(lsched_cycle *y, uint64_t units);
/* Stops the cycle: its bound on decisions is spent. */
static inline void act_is_full(lsched_cycle *y) {
    y->flags |= LSCHED_PLAN_PARTIAL;
    y->full |= !y->stop;
    y->stop = 1;
}
/* True if the transaction in hand was cut off by work or an interrupt: it is not to be kept. */
static inline int act_is_cut(const lsched_cycle *y) {
    return y->stop && !y->full;
}
/* True if the cycle may make the decisions of the transaction in hand. */
static inline int act_fits_bound(lsched_cycle *y) {
    if (y->n_fresh - y->fresh_mark > y->decisions_left) act_is_full(y);
    return y->n_fresh - y->fresh_mark <= y->decisions_left;
}
void act_take_up(lsched_cycle *y, uint32_t job);            /* its transaction begins */
int32_t act_job_valid(const lsched_cycle *y, uint32_t job); /* is it the one in hand */
/* The kind by which people would speak of a task of the shape, into y->why. */
void act_name_scarcest(lsched_cycle *y, uint32_t shape);
/* Does the node take one task now, within what the queue may use of parts of kinds. */
int act_fits_within(const lsched_cycle *y, uint32_t node, uint32_t shape);
/* Why the job in hand waits, by all that was tried for it so far. */
struct diagnosis act_reason(const lsched_cycle *y);
int act_is_leaf(const lsched_cycle *y, uint32_t job, uint32_t group);

int32_t cycle_fresh_add(struct lsched_cycle *y, uint32_t decision); /* of this cycle's plan */

#endif
