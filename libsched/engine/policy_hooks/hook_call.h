/*
 * hook_call.h -- functions for all calls of hooks. They say whether a hook is on in this cycle,
 * give the policy access to the cluster's data, and handle the failure of a hook.
 *
 * All files with hooks call the functions of this file. If a hook fails, hook_failed is set, and
 * the cycle is undone and begins again without this hook.
 */
#ifndef LIBSCHED_HOOK_CALL_H
#define LIBSCHED_HOOK_CALL_H

#include "engine/state/cycle_state.h"

/* True if the policy has the hook and no failure has turned it off in this cycle. */
int hook_on(const struct lsched_cycle *cy, uint32_t hook);
/* Handles the failure of a hook: sets hook_failed and keeps the policy's error message. Returns
 * the error for the caller: LSCHED_E_POLICY, or LSCHED_E_NOMEM if the cluster's memory ran out. */
int32_t hook_fail(struct lsched_cycle *cy, uint32_t hook, int32_t rc, const lsched_error *err);
/* The arguments that all calls of hooks have: h.ops->HOOK(h.self, &h.view, ..., &h.err). */
struct hook_call {
    const struct policy_ops *ops;
    void *self;
    struct policy_view view;
    lsched_error err;
};
/* Fills *h for the call of a hook. The caller has checked with hook_on() that the hook is on. */
void hook_begin(struct lsched_cycle *cy, struct hook_call *h);
/* Fills the view through which a hook reads the cluster's data. */
void hook_view(struct lsched_cycle *cy, struct policy_view *view);
/* True if the hook reads the time, or a field that changes with time or with the work that runs. */
int hook_answer_changes(const struct policy_desc *d, enum policy_hook hook);
/* Rounds a number that a hook returned to a multiple of 2^-20, and returns it multiplied by 2^20.
 * Therefore the last bit of a double does not change any decision. */
int64_t hook_round(double v);
/* True if the orchestrator interrupted the cycle; `engine` is the struct lsched_cycle. */
int hook_interrupted(void *engine);

#endif
