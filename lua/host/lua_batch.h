/*
 * lua_batch.h -- one call of a hook for many elements: what lua_hooks.c asks for and lua_batch.c
 * runs.
 */
#ifndef LSCHED_LUA_BATCH_H
#define LSCHED_LUA_BATCH_H

#include "lua/front/lua_host.h"

struct batch {
    uint32_t hook;
    const uint32_t *rows[HOST_HOOK_OBJECTS]; /* NULL where the objects are candidates */
    size_t n;
    size_t begin; /* of the chunk that runs */
    /* In host_run only: checks n results of the chunk and stores them from out[begin] on. */
    void (*take)(struct lua_host *host, struct batch *batch, size_t n);
    void *out;
    const struct policy_candidate *candidates;
    size_t out_bytes;   /* of one element of out */
    uint32_t is_shared; /* the loop runs over kinds of elements: host->same */
};

/* Returns LSCHED_OK, or the code of the failure with *err filled. */
int32_t batch_run(struct lua_host *host, const struct policy_view *view, struct batch *batch,
                  lsched_error *err);

#endif
