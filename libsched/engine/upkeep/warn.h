/*
 * warn.h -- makes the WARN decisions that are due (model/warnings/warning.h).
 *
 * This step comes before the actions, with any pipeline, because what is told follows from ends
 * that others have set. Each WARN is a decision group of its own: it holds no room, and no other
 * decision goes with it. A task with another open decision is told when that one is closed; a task
 * that this cycle stops loses its WARN. The tasks that are due are sorted by the names of their
 * jobs, so that the plan does not depend on the order of rows. What the plan has no room for stays
 * due, and next_wake says so.
 *
 * Cost: O(allowances) in a cycle that asks for warnings, and O(log n) for each task that is looked
 * at: those with an end that comes near or that has moved.
 */
#ifndef LIBSCHED_WARN_H
#define LIBSCHED_WARN_H

#include "engine/state/cycle_state.h"

/* Error: LSCHED_E_NOMEM. */
int32_t warn_serve(struct lsched_cycle *cy);

#endif
