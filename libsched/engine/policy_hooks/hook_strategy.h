/*
 * hook_strategy.h -- algorithms that the policy chooses at run time: the hook `pipeline` is called
 * once per cycle, the hook `placement` once per try of a job.
 *
 * An unknown name is a failure of the hook. After a failure the pipeline is "allocate" alone,
 * because nothing may be evicted by a list that the author did not write, and the placement
 * strategy is the built-in one.
 */
#ifndef LIBSCHED_HOOK_STRATEGY_H
#define LIBSCHED_HOOK_STRATEGY_H

#include "engine/state/cycle_state.h"

/* Fills y->pipeline. Returns LSCHED_OK or LSCHED_E_NOMEM; any other error means that hook_failed is
 * set and the cycle must begin again. */
int32_t hook_pipeline(struct lsched_cycle *y);

/* Sets y->place to the strategy for the current job. For equal jobs in a row the hook is called
 * once, if it reads nothing that could differ between them. Errors as above, and those of the
 * strategy. */
int32_t hook_placement(struct lsched_cycle *y);

#endif
