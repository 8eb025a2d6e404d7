/*
 * lua_policy.h -- makes a `struct policy` (policy/policy.h) from Lua text. The only door of this
 * folder.
 *
 * Errors of load and of every hook read "name:line:column: what". LSCHED_E_POLICY with err->sub 1
 * (a memory cap) and LSCHED_E_INTERRUPTED depend on more than text and input, so a replay takes
 * their effect from its record; all other failures follow from text and input alone. Failure of the
 * host's allocator is LSCHED_E_NOMEM. Host stack: 256 KB are enough for every call here.
 */
#ifndef LSCHED_LUA_POLICY_H
#define LSCHED_LUA_POLICY_H

#include "base/alloc.h"
#include "policy/policy.h"

/* Checks, compiles and smoke-runs the text and fills *out; out->ops->destroy(out->self) frees
 * everything. alloc must outlive it. name stands in messages. opts NULL: defaults; else a struct
 * of this version's size. Nothing is kept of text and opts. On error *out is unchanged. */
int32_t lua_policy_create(struct alloc *alloc, const char *name, const char *text, size_t len,
                          const lsched_policy_opts *opts, struct policy *out, lsched_error *err);

#endif
