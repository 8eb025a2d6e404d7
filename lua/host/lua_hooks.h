/*
 * lua_hooks.h -- the arguments of each hook, the results that each hook is allowed to return (their
 * types, units and ranges), and the functions of policy_ops.
 *
 * A result is checked when it is taken from Lua. A wrong result ends the call with an error. The
 * error names the hook, the element, the expected result and the actual result. lua_batch.c runs
 * the Lua functions.
 */
#ifndef LSCHED_LUA_HOOKS_H
#define LSCHED_LUA_HOOKS_H

#include "lua/state/lua_host.h"

/* Elements for which a hook is called: the rows of the hook's objects, or candidates for
 * eviction. */
struct hook_arguments {
    /* rows of the hook's two objects: one row for each element, or one row for all (see
     * hook_kinds) */
    const uint32_t *a, *b;
    const struct policy_candidate *candidates;
    size_t n;
};

/* Calls a hook for n elements and stores n answers in `out`. The element type of `out` is the one
 * that the hook's operation in policy_ops has. Returns LSCHED_OK, or the error code of the failure
 * with *err filled. */
int32_t hooks_ask(struct lua_host *host, const struct policy_view *view, enum policy_hook hook,
                  const struct hook_arguments *of, void *out, lsched_error *err);
extern const struct policy_ops hook_ops;

#endif
