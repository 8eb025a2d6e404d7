/*
 * lua_batch.h -- a batch: one call of a hook for many elements (jobs, queues, nodes or candidates).
 * lua_hooks.c fills the struct, and lua_batch.c runs the batch.
 */
#ifndef LSCHED_LUA_BATCH_H
#define LSCHED_LUA_BATCH_H

#include "lua/state/lua_host.h"

struct batch {
    uint32_t hook;
    /* row of each element; NULL if the elements are candidates */
    const uint32_t *rows[HOST_HOOK_OBJECTS];
    size_t n;
    size_t begin; /* index of the first element of the chunk that runs */
    /* In host_run only: checks the first n results of the chunk and stores them from out[begin]
     * on. */
    void (*take)(struct lua_host *host, struct batch *batch, size_t n);
    void *out;
    const struct policy_candidate *candidates;
    size_t out_bytes; /* bytes of one element of out */
    /* 1: the loop runs once for each kind of equal elements (host->same), not for each element */
    uint32_t is_shared;
};

/* Runs the batch. Returns LSCHED_OK, or the error code of the failure with *err filled. */
int32_t batch_run(struct lua_host *host, const struct policy_view *view, struct batch *batch,
                  lsched_error *err);
/* In host_run only: makes the batch loop of this hook. Before the call, the hook's Lua function is
 * on top of the stack; batch_build pops it. */
void batch_build(struct lua_host *host, uint32_t hook);
/* Callable while a hook runs: writes a prefix for messages, such as "score of job 'llm' on node
 * 'h100-3': ". The prefix names the element for which the loop runs now. */
void batch_prefix_now(struct lua_host *host, char *out, size_t cap);

#endif
