/*
 * hook_strategy.h -- calls the hooks with which the policy chooses algorithms at run time. The
 * hook `pipeline` is called once per cycle. The hook `placement` is called each time an action
 * tries a job.
 *
 * If a hook returns an unknown name, the hook has failed. After a failure of `pipeline`, the
 * pipeline consists of the action "allocate" alone, because a pipeline that the policy's author
 * did not write must not evict any task. After a failure of `placement`, the built-in placement
 * strategy is used.
 */
#ifndef LIBSCHED_HOOK_STRATEGY_H
#define LIBSCHED_HOOK_STRATEGY_H

#include "engine/state/cycle_state.h"

/* Fills cy->policy.pipeline. Returns LSCHED_OK or LSCHED_E_NOMEM. Any other error means that the
 * hook has failed, hook_failed is set, and the cycle must begin again. */
int32_t hook_pipeline(struct lsched_cycle *cy);

/* Sets cy->policy.place to the strategy for the current job. If consecutive jobs have the same
 * queue and job shape, and the hook reads no other data about a job, the hook is called only for
 * the first of these jobs. Returns the same errors as hook_pipeline(), and errors of the
 * strategy. */
int32_t hook_placement(struct lsched_cycle *cy);

#endif
