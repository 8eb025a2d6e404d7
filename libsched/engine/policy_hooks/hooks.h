/*
 * hooks.h -- the policy as the engine sees it.
 *
 * A hook that fails sets hook_failed: the cycle is undone and begins again without the hook.
 */
#ifndef LIBSCHED_HOOKS_H
#define LIBSCHED_HOOKS_H

#include "engine/policy_hooks/hook_call.h"

int32_t hooks_search(struct lsched_cycle *y, uint32_t group, struct search_key *key,
                     struct search_scorer *scorer);
/* Does a score, filter or placement look at more of a job than its shape and queue? */
void hooks_look(struct lsched_cycle *y); /* once per try of a cycle */
int hooks_per_job(const struct lsched_cycle *y);

#endif
