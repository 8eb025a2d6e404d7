/*
 * hook_call.h -- common to all calls of hooks: whether the hook is on in this cycle, the data that
 * the policy can read, and the handling of a failure.
 *
 * All files of hooks call this file; it calls none of them. A hook that fails sets hook_failed: the
 * cycle is undone and begins again without the hook.
 */
#ifndef LIBSCHED_HOOK_CALL_H
#define LIBSCHED_HOOK_CALL_H

#include "engine/state/cycle_state.h"

/* True if the policy has the hook and no failure has turned it off in this cycle. */
int hook_on(const struct lsched_cycle *y, uint32_t hook);
/* Sets hook_failed and the policy's message. Returns the error for the caller: LSCHED_E_POLICY, or
 * LSCHED_E_NOMEM if the cluster's memory ran out. */
int32_t hook_fail(struct lsched_cycle *y, uint32_t hook, int32_t rc, const lsched_error *err);
/* Fills the view with which a hook is called. */
void hooks_view(struct lsched_cycle *y, struct policy_view *view);
/* True if the orchestrator interrupted the cycle; `engine` is the struct lsched_cycle. */
int hooks_interrupted(void *engine);

#endif
