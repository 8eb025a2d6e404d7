/*
 * lua_policy.h -- makes a `struct policy` (policy/policy.h) from Lua text. This header is the only
 * entry to lua/ for policies.
 *
 * Error messages of loading and of every hook read "name:line:column: what". LSCHED_E_POLICY with
 * err->sub 1 (a memory limit) and LSCHED_E_INTERRUPTED depend on more than text and input, so a
 * replay takes their effect from its record. All other failures depend on text and input alone. If
 * the orchestrator's allocator fails, the error is LSCHED_E_NOMEM. A C stack of 256 KB is enough
 * for every call here.
 */
#ifndef LSCHED_LUA_POLICY_H
#define LSCHED_LUA_POLICY_H

#include "base/alloc.h"
#include "policy/policy.h"

/* Checks and compiles the text, runs every hook once on trial, and fills *out.
 * out->ops->destroy(out->self) frees everything. `alloc` must outlive the policy. `name` appears in
 * messages. `opts` NULL: defaults; else a struct of this version's size. Text and opts are not
 * kept. On an error *out is unchanged. */
int32_t lua_policy_create(struct alloc *alloc, const char *name, const char *text, size_t len,
                          const lsched_policy_opts *opts, struct policy *out, lsched_error *err);

#endif
