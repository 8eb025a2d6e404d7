/*
 * withdraw.h -- decisions of earlier cycles that this cycle takes back.
 *
 * A task gives up its claim or its place that nobody settled, and the plan lists the decision. A
 * note remembers the undo position, so a rollback forgets it. O(1) for each decision;
 * cycle_drop_withdrawn looks at all decisions once.
 */
#ifndef LIBSCHED_WITHDRAW_H
#define LIBSCHED_WITHDRAW_H

#include "engine/state/cycle_state.h"

/* Withdraw a task's claim, or its place that nobody settled; the plan lists the decision. */
int32_t cycle_withdraw(struct lsched_cycle *y, uint32_t task);
/* A withdrawn_fn whose user is the cycle: the plan says so. */
void cycle_note_withdrawn(void *user, uint32_t decision, uint32_t gen);
/* Decisions of this cycle that it withdrew itself leave its plan. */
int32_t cycle_drop_withdrawn(struct lsched_cycle *y);

#endif
