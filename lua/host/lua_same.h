/*
 * lua_same.h -- elements of a batch that a hook cannot tell apart.
 *
 * A hook is pure: what is equal in all that it reads gets equal answers. Of 5,000 nodes few differ
 * in free GPUs and price, so Lua is asked once for each kind and the answer is handed to the rest.
 * The comparison is exact (the hash only finds candidates), the order is that of first elements, so
 * the first element that fails is the same one. Not tried where it cannot pay: a hook that reads
 * labels, a name or a time of submission has as many kinds as elements; one that was lifted costs
 * less than the comparison. Everything is charged as if it had been asked (lua_batch.c). O(elements
 * x fields), no allocation but at load.
 */
#ifndef LSCHED_LUA_SAME_H
#define LSCHED_LUA_SAME_H

#include "lua/front/lua_host.h"

enum { SAME_FIELDS_MAX = 8, SAME_LEAST = 16, SAME_SLOTS = 2 * HOST_CHUNK };

struct same {
    uint32_t n;                                   /* kinds */
    uint32_t rows[HOST_HOOK_OBJECTS][HOST_CHUNK]; /* of the first element of each */
    uint16_t first[HOST_CHUNK];                   /* by kind: its first element */
    uint16_t kind[HOST_CHUNK];                    /* by element */
    uint16_t slots[SAME_SLOTS];                   /* kind + 1; scratch, as what follows */
    uint64_t hash[HOST_CHUNK];
    uint64_t words[HOST_CHUNK][2 * SAME_FIELDS_MAX];
};

/* After the last hook is built: decides for which of them it can pay, and takes the room that is
 * needed. */
int32_t same_ready(struct lua_host *host);
void same_close(struct lua_host *host);
/* Fills *same for n elements, from SAME_LEAST to HOST_CHUNK, of a hook to which it applies. rows as
 * in a batch. */
void same_find(struct lua_host *host, const struct hook *hook, const uint32_t *const rows[],
               size_t n, struct same *same);

#endif
