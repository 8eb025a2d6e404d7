/*
 * hook_strategy.h -- algorithms that the policy chooses as it goes: the hook `pipeline` once per
 * cycle, the hook `placement` once per try of a job.
 *
 * An unknown name is a failure of the hook. Then the pipeline is "allocate" alone, as nothing may
 * be stopped by a list that nobody wrote; and the placement is the built-in one.
 */
#ifndef LIBSCHED_HOOK_STRATEGY_H
#define LIBSCHED_HOOK_STRATEGY_H

#include "engine/state/cycle_state.h"

/* Fills y->pipeline. LSCHED_OK, LSCHED_E_NOMEM, or hook_failed is set and the cycle must begin
 * again. */
int32_t hook_pipeline(struct lsched_cycle *y);

/* Makes y->place the strategy for the job in hand. Equal jobs in a row are asked about once, if the
 * hook looks at nothing that could differ between them. Errors as above, and those of the
 * strategy. */
int32_t hook_placement(struct lsched_cycle *y);

#endif
