/*
 * lua_policy.h -- makes a `struct policy` (policy/policy.h) from Lua text. This header is the only
 * entry to lua/ for policies.
 *
 * Error messages of loading and of every hook have the form "name:line:column: what". Two failures
 * depend on more than the policy text and its input: LSCHED_E_POLICY with err->sub 1 (a memory
 * limit was reached) and LSCHED_E_INTERRUPTED. Therefore a replay reads from the recording whether
 * they happened. All other failures depend on the text and the input alone. If the orchestrator's
 * allocator fails, the error is LSCHED_E_NOMEM. A C stack of 256 KB is enough for every function of
 * this header.
 */
#ifndef LSCHED_LUA_POLICY_H
#define LSCHED_LUA_POLICY_H

#include "base/alloc.h"
#include "policy/policy.h"

/* Checks and compiles the text, runs every hook once on trial, and fills *out.
 * out->ops->destroy(out->self) frees the policy and all its memory. `alloc` must outlive the
 * policy. `name` appears in messages. `opts` is NULL for the defaults, or points to a struct that
 * has the size of this version. The policy keeps no pointer to `text` or `opts` after the call. On
 * an error *out is unchanged. */
int32_t lua_policy_create(struct alloc *alloc, const char *name, const char *text, size_t len,
                          const lsched_policy_opts *opts, struct policy *out, lsched_error *err);
/* The operation `destroy` of policies that lua_policy_create makes. */
void lua_policy_destroy(void *self);

#endif
