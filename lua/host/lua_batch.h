/*
 * lua_batch.h -- a batch: one call of a hook for many elements (jobs, queues, nodes or candidates).
 * lua_hooks.c describes the batch, and lua_batch.c runs it.
 */
#ifndef LSCHED_LUA_BATCH_H
#define LSCHED_LUA_BATCH_H

#include "lua/front/lua_host.h"

struct batch {
    uint32_t hook;
    const uint32_t *rows[HOST_HOOK_OBJECTS]; /* NULL for candidates */
    size_t n;
    size_t begin; /* index of the first element of the chunk that runs */
    /* In host_run only: checks n results of the chunk and stores them from out[begin] on. */
    void (*take)(struct lua_host *host, struct batch *batch, size_t n);
    void *out;
    const struct policy_candidate *candidates;
    size_t out_bytes;   /* bytes of one element of out */
    uint32_t is_shared; /* 1: the loop runs over kinds of equal elements: host->same */
};

/* Returns LSCHED_OK, or the code of the failure with *err filled. */
int32_t batch_run(struct lua_host *host, const struct policy_view *view, struct batch *batch,
                  lsched_error *err);

#endif
