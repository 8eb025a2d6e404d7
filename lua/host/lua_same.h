/*
 * lua_same.h -- finds the elements of a batch that a hook cannot tell apart.
 *
 * A hook is pure: elements that are equal in all fields that the hook reads get equal answers. Of
 * 5,000 nodes, few differ in free GPUs and price, so Lua is called once for each kind of equal
 * elements, and the answer is copied to the others. The comparison is exact (the hash only finds
 * candidates for it). Kinds are in the order of their first elements, so the first element that
 * fails is the same one as without this step.
 *
 * Two sorts of hooks are excluded because they would not gain: a hook that reads labels, a name or
 * a submission time has as many kinds as elements, and a compiled hook costs less than the
 * comparison. All elements are charged as if Lua had been called for each (lua_batch.c). O(elements
 * x fields); memory is allocated only when a policy is loaded.
 */
#ifndef LSCHED_LUA_SAME_H
#define LSCHED_LUA_SAME_H

#include "lua/front/lua_host.h"

enum { SAME_FIELDS_MAX = 8, SAME_LEAST = 16, SAME_SLOTS = 2 * HOST_CHUNK };

struct same {
    uint32_t n;                                   /* number of kinds */
    uint32_t rows[HOST_HOOK_OBJECTS][HOST_CHUNK]; /* rows of the first element of each kind */
    uint16_t first[HOST_CHUNK];                   /* first element of each kind */
    uint16_t kind[HOST_CHUNK];                    /* kind of each element */
    /* hash table of kind + 1; scratch, like the members below */
    uint16_t slots[SAME_SLOTS];
    uint64_t hash[HOST_CHUNK];
    uint64_t words[HOST_CHUNK][2 * SAME_FIELDS_MAX];
};

/* Called after the last hook is built: decides which hooks can gain, and allocates the memory if
 * any hook can. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t same_ready(struct lua_host *host);
void same_close(struct lua_host *host);
/* Fills *same for n elements, from SAME_LEAST to HOST_CHUNK, of a hook that can gain. `rows` as in
 * a batch. */
void same_find(struct lua_host *host, const struct hook *hook, const uint32_t *const rows[],
               size_t n, struct same *same);

#endif
