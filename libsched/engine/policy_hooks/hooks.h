/*
 * hooks.h -- the policy's hooks in a search for nodes: scores and filters.
 *
 * A hook that fails sets hook_failed: the cycle is undone and begins again without the hook.
 */
#ifndef LIBSCHED_HOOKS_H
#define LIBSCHED_HOOKS_H

#include "engine/policy_hooks/hook_call.h"

int32_t hooks_search(struct lsched_cycle *y, uint32_t group, struct search_key *key,
                     struct search_scorer *scorer);
/* Determines how much of a job the hooks score, filter and placement read. */
void hooks_look(struct lsched_cycle *y); /* called once per try of a cycle */
int hooks_per_job(const struct lsched_cycle *y);

#endif
