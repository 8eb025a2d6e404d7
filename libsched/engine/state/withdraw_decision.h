/*
 * withdraw_decision.h -- withdraws decisions of earlier cycles.
 *
 * A withdrawn task loses its nomination, or its place that the orchestrator has not settled, and
 * the plan lists the decision. Each note has its undo position, so that a rollback removes the
 * note. Cost: O(1) for each decision; withdraw_decision_drop looks at all decisions once.
 */
#ifndef LIBSCHED_WITHDRAW_DECISION_H
#define LIBSCHED_WITHDRAW_DECISION_H

#include "engine/state/cycle_state.h"

/* Withdraws a task's nomination, or its place that is not settled. The plan lists the decision as
 * withdrawn. */
int32_t withdraw_decision(struct lsched_cycle *y, uint32_t task);
/* A withdrawn_fn: notes a decision that was withdrawn, so that the plan lists it. `user` is the
 * cycle. */
void withdraw_decision_note(void *user, uint32_t decision, uint32_t gen);
/* Removes decisions from the plan that the same cycle made and withdrew. */
int32_t withdraw_decision_drop(struct lsched_cycle *y);

#endif
