/*
 * lua_same.h -- finds the elements of a batch that are equal in all fields that the hook reads.
 *
 * A hook is a pure function: elements that are equal in all fields that the hook reads get equal
 * answers. Equal elements form a kind. 5,000 nodes have only few combinations of free GPUs and
 * price, so Lua is called once for each kind, and the answer is copied to all elements of the kind.
 * The comparison is exact; the hash only finds candidates for the comparison. The kinds have the
 * order of their first elements. Therefore an error names the same element as if Lua were called
 * for every element.
 *
 * Two sorts of hooks are excluded, because they would gain nothing. A hook that reads labels, a
 * name or a submission time has about as many kinds as elements. A compiled hook costs less than
 * the comparison. The instructions charged are about those of one Lua call for each element
 * (lua_batch.c). O(elements x fields); memory is allocated only when a policy is loaded.
 */
#ifndef LSCHED_LUA_SAME_H
#define LSCHED_LUA_SAME_H

#include "lua/state/lua_host.h"

enum { SAME_FIELDS_MAX = 8, SAME_LEAST = 16, SAME_SLOTS = 2 * HOST_CHUNK };

struct same {
    uint32_t n; /* number of kinds */
    /* for each object of the hook: row of the first element of each kind */
    uint32_t rows[HOST_HOOK_OBJECTS][HOST_CHUNK];
    uint16_t first[HOST_CHUNK]; /* index in the batch's chunk of the first element of each kind */
    uint16_t kind[HOST_CHUNK];  /* index of the kind to which each element belongs */
    /* Hash table: a slot holds the index of a kind plus 1, or 0 if it is empty. The hash table and
     * the two members below are only used during same_find. */
    uint16_t slots[SAME_SLOTS];
    uint64_t hash[HOST_CHUNK];
    uint64_t words[HOST_CHUNK][2 * SAME_FIELDS_MAX];
};

/* Finds the hooks for which the comparison saves time, and allocates host->same if there is such a
 * hook. Called once, after the last hook is built. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t same_ready(struct lua_host *host);
void same_close(struct lua_host *host);
/* Fills *same for n elements of a hook whose is_shared is set. n is from SAME_LEAST to HOST_CHUNK.
 * `rows` has the same form as in struct batch. */
void same_find(struct lua_host *host, const struct hook *hook, const uint32_t *const rows[],
               size_t n, struct same *same);

#endif
