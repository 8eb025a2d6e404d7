/*
 * transaction.h -- functions for the transaction of the current job: they spend work units, count
 * decisions, check the arguments of an action and collect the wait reason.
 */
#ifndef LIBSCHED_TRANSACTION_H
#define LIBSCHED_TRANSACTION_H

#include "engine/state/cycle_state.h"

/* Stops the cycle because the orchestrator has interrupted it, or else because its budget is spent.
 * Returns LSCHED_OK. */
int32_t act_spend_none(lsched_cycle *cy);
/* Spends `units` work units. If the budget has fewer units left, or the orchestrator has
 * interrupted the cycle, spends nothing and stops the cycle. Returns LSCHED_OK in all cases. */
static inline int32_t act_spend(lsched_cycle *cy, uint64_t units) {
    if (cy->c->interrupted || cy->spend.budget - cy->spend.spent < units) return act_spend_none(cy);
    cy->spend.spent += units;
    return LSCHED_OK;
}
/* Stops the cycle because its bound on decisions is reached. */
static inline void act_is_full(lsched_cycle *cy) {
    cy->flags |= LSCHED_PLAN_PARTIAL;
    cy->spend.full |= !cy->spend.stop;
    cy->spend.stop = 1;
}
/* True if the budget or an interrupt stopped the cycle in the current transaction. Such a
 * transaction must be rolled back. */
static inline int act_is_cut(const lsched_cycle *cy) {
    return cy->spend.stop && !cy->spend.full;
}
/* True if the bound on decisions allows all decisions of the current transaction. If not, the
 * function also stops the cycle. */
static inline int act_fits_bound(lsched_cycle *cy) {
    if (cy->decisions.n_fresh - cy->turn.fresh_mark > cy->spend.decisions_left) act_is_full(cy);
    return cy->decisions.n_fresh - cy->turn.fresh_mark <= cy->spend.decisions_left;
}
/* makes the job the current one, and begins its transaction */
void act_take_up(lsched_cycle *cy, uint32_t job);
int32_t act_job_valid(const lsched_cycle *cy, uint32_t job); /* 1 if `job` is the current job */
/* act_group returns the data about a group of the current job that checks need (struct ask,
 * ask.h); NULL if `job` is not the current job or has no such group. The struct is valid until the
 * next call of act_group or act_leaf. act_leaf does the same for a leaf group, and returns NULL
 * for an inner group. */
const struct ask *act_group(lsched_cycle *cy, uint32_t job, uint32_t group);
const struct ask *act_leaf(lsched_cycle *cy, uint32_t job, uint32_t group);
/* Sets kind and need of cy->turn.why: the resource kind that the wait reason names for a task of
 * the shape, and the amount of this kind that the task requests. */
void act_name_scarcest(lsched_cycle *cy, uint32_t shape);
/* True if the node can take one task of the shape, now or, if cy->turn.later is set, later, within
 * the limits on resource parts of the current job's queues. */
int act_fits_within(const lsched_cycle *cy, uint32_t node, uint32_t shape);
/* Returns the reason why the current job waits, from the diagnoses of all attempts so far. */
struct diagnosis act_reason(const lsched_cycle *cy);

/* adds the decision to the plan of this cycle; can return LSCHED_E_NOMEM */
int32_t cycle_fresh_add(struct lsched_cycle *cy, uint32_t decision);

#endif
