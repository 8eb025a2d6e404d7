/*
 * transaction.h -- the transaction of the current job: it spends work units, counts decisions, and
 * checks the arguments of an action.
 */
#ifndef LIBSCHED_TRANSACTION_H
#define LIBSCHED_TRANSACTION_H

#include "engine/state/cycle_state.h"

/* Spends work units. Stops the cycle if the budget is spent or the orchestrator interrupted the
 * cycle. */
int32_t act_spend(lsched_cycle *y, uint64_t units);
/* Stops the cycle because its bound on decisions is reached. */
static inline void act_is_full(lsched_cycle *y) {
    y->flags |= LSCHED_PLAN_PARTIAL;
    y->full |= !y->stop;
    y->stop = 1;
}
/* True if the budget or an interrupt ended the current transaction, which must then not be kept. */
static inline int act_is_cut(const lsched_cycle *y) {
    return y->stop && !y->full;
}
/* True if the bound on decisions allows the decisions of the current transaction. Stops the cycle
 * if not. */
static inline int act_fits_bound(lsched_cycle *y) {
    if (y->n_fresh - y->fresh_mark > y->decisions_left) act_is_full(y);
    return y->n_fresh - y->fresh_mark <= y->decisions_left;
}
void act_take_up(lsched_cycle *y, uint32_t job);            /* begins the job's transaction */
int32_t act_job_valid(const lsched_cycle *y, uint32_t job); /* 1 if `job` is the current job */
/* Sets the resource kind to name for a task of the shape in y->why. */
void act_name_scarcest(lsched_cycle *y, uint32_t shape);
/* True if the node can take one task now within the queue's limits on resource parts. */
int act_fits_within(const lsched_cycle *y, uint32_t node, uint32_t shape);
/* Returns why the current job waits, by all attempts so far. */
struct diagnosis act_reason(const lsched_cycle *y);
int act_is_leaf(const lsched_cycle *y, uint32_t job, uint32_t group);

/* adds a decision to this cycle's plan */
int32_t cycle_fresh_add(struct lsched_cycle *y, uint32_t decision);

#endif
