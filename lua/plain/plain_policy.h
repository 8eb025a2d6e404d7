/*
 * plain_policy.h -- makes a `struct policy` (policy/policy.h) from a policy text that has no hooks,
 * without LuaJIT.
 *
 * Such a policy consists of settings: fair_share, placement, order, pipeline, params, eviction and
 * usage. `eviction` and `usage` can be functions without hooks' objects that return one table. The
 * text is read as a syntax tree; its constant expressions are computed (plain_value.h). The policy
 * has the same settings and the same hash as the policy that LuaJIT makes from the text, so plans
 * and plan hashes are equal. A text that needs more than that is refused with LSCHED_E_NOLUA, and
 * the message names the first construct that needs LuaJIT.
 *
 * LuaJIT reads all policies where it is present: it alone runs hooks, and its warnings about
 * settings without effect are better. This reader exists for systems without LuaJIT. Why not a
 * second format for settings: a policy would have two texts, and a hook that is added later would
 * change the format.
 *
 * Loading takes O(n) for a text of n bytes, at most PLAIN_STEPS_MAX steps for each expression, and
 * one block of memory beside the tree.
 */
#ifndef LSCHED_PLAIN_POLICY_H
#define LSCHED_PLAIN_POLICY_H

#include "base/alloc.h"
#include "policy/policy.h"

/* The parameters and the rules are those of lua_policy_create (lua/host/lua_policy.h). Lengths of
 * the texts in opts->params are given; the texts must outlive the policy. */
int32_t plain_policy_create(struct alloc *alloc, const char *name, const char *text, size_t len,
                            const lsched_policy_opts *opts, struct policy *out, lsched_error *err);

#endif
