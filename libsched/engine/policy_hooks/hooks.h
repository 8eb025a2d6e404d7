/*
 * hooks.h -- the policy as the engine sees it.
 *
 * A hook that fails sets hook_failed: the cycle is undone and begins again without the hook.
 */
#ifndef LIBSCHED_HOOKS_H
#define LIBSCHED_HOOKS_H

#include "engine/state/cycle_state.h"

/* hooks.c: the policy as the engine sees it; each returns LSCHED_OK, LSCHED_E_NOMEM, or sets hook_failed and returns an error. */
int hook_on(const struct lsched_cycle *y, uint32_t hook);
int32_t hook_fail(struct lsched_cycle *y, uint32_t hook, int32_t rc, const lsched_error *err);
void hooks_view(struct lsched_cycle *y, struct policy_view *view);
int32_t hooks_search(struct lsched_cycle *y, uint32_t group, struct search_key *key,
                     struct search_scorer *scorer);
/* Does a score, filter or placement look at more of a job than its shape and queue? */
void hooks_look(struct lsched_cycle *y); /* once per try of a cycle */
int hooks_per_job(const struct lsched_cycle *y);

#endif
