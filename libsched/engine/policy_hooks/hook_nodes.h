/*
 * hook_nodes.h -- calls the policy's hooks `score` and `filter` in a search for nodes.
 *
 * If a hook fails, hook_failed is set, and the cycle is undone and begins again without this
 * hook.
 */
#ifndef LIBSCHED_HOOK_NODES_H
#define LIBSCHED_HOOK_NODES_H

#include "engine/policy_hooks/hook_call.h"

int32_t hook_nodes_search(struct lsched_cycle *cy, const struct ask *a, struct search_key *key,
                          struct search_scorer *scorer);
/* Computes the score that a node has in a search for the key, if no hook scores. The node has room
 * for the task. */
int32_t hook_nodes_score(struct lsched_cycle *cy, const struct search_key *key, uint32_t node,
                         int64_t *score);
/* Determines which data about a job the hooks `score`, `filter` and `placement` read
 * (cy->policy.look and cy->policy.look_placement). */
/* called each time a cycle begins, also when it begins again after the failure of a hook */
void hook_nodes_look(struct lsched_cycle *cy);
/* True if hooks can have answered for the current job what they would not answer for another job of
 * its bundle. If no node had room, no answer for a node had an effect. A search for victims also
 * asks for nodes that have no room yet. */
int hook_nodes_may_differ(const struct lsched_cycle *cy);

#endif
