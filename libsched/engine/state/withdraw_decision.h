/*
 * withdraw_decision.h -- withdraws decisions of earlier cycles.
 *
 * When a decision is withdrawn, its task loses the nomination, or the place that the orchestrator
 * has not settled yet. The plan lists each withdrawn decision. The cycle keeps a note of each
 * withdrawal with the position in the undo log, so that a rollback to an earlier position can
 * remove the note. Cost: O(1) for each withdrawal; withdraw_decision_drop reads all decisions of
 * the cycle once.
 */
#ifndef LIBSCHED_WITHDRAW_DECISION_H
#define LIBSCHED_WITHDRAW_DECISION_H

#include "engine/state/cycle_state.h"

/* Withdraws the decision that nominated the task, or that placed it and is not settled yet. The
 * plan lists the decision as withdrawn. why: LSCHED_BECAUSE_*, for the change feed. Error:
 * LSCHED_E_NOMEM. */
int32_t withdraw_decision(struct lsched_cycle *cy, uint32_t task, uint32_t why);
/* Notes that a decision was withdrawn, so that the plan lists the decision. The function has the
 * type withdrawn_fn; `user` is the cycle. If memory runs out, it sets
 * cy->decisions.out_of_memory. */
void withdraw_decision_note(void *user, uint32_t decision, uint32_t gen);
/* Removes from the plan the decisions that this cycle both made and withdrew. Error:
 * LSCHED_E_NOMEM. */
int32_t withdraw_decision_drop(struct lsched_cycle *cy);

#endif
