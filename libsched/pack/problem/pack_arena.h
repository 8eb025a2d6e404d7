/*
 * pack_arena.h -- one block of memory, given out in order and never back. The same code runs twice:
 * first over an arena without a block, which only adds up what is asked for (and answers NULL),
 * then over one with a block of that size, in which nothing can fail. So a packer states its memory
 * before it takes it, takes it in one call, and running cannot run out.
 *
 * The first pass must not write to what it gets, nor choose sizes by what it would have written.
 *
 * Where assertions are on, a guard of PACK_ARENA_GUARD bytes follows each piece. Nobody may write
 * to it, and pack_arena_sound walks all of them: address sanitizers see one block and not its
 * pieces.
 */
#ifndef LIBSCHED_PACK_ARENA_H
#define LIBSCHED_PACK_ARENA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PACK_ARENA_ALIGN = 64 };
#ifdef NDEBUG
enum { PACK_ARENA_GUARD = 0 };
#else
enum { PACK_ARENA_GUARD = PACK_ARENA_ALIGN };
#endif
enum { PACK_ARENA_FILL = 0xA5 };

struct pack_arena {
    unsigned char *base; /* NULL: counting. Zeroed, aligned to PACK_ARENA_ALIGN */
    uint64_t used;       /* bytes; saturates at UINT64_MAX */
    uint64_t room;
    uint64_t guard; /* where the last guard begins; 0: none */
};

/* A guard: the bytes from `end`, where the piece before it ends, up to this are filled, and so is
 * what follows this. */
struct pack_guard {
    uint64_t end, before; /* before: the guard before; 0: none */
};

static inline void pack_guard_put(struct pack_arena *a, uint64_t end, uint64_t at) {
    struct pack_guard g = {end, a->guard};
    memset(a->base + end, PACK_ARENA_FILL, at + PACK_ARENA_GUARD - end);
    memcpy(a->base + at, &g, sizeof g);
    a->guard = at;
}

/* n elements of `size` bytes, zeroed; NULL while counting. */
static inline void *pack_take(struct pack_arena *a, uint64_t n, uint64_t size) {
    uint64_t bytes = size && n > (UINT64_MAX >> 1) / size
                         ? UINT64_MAX >> 1
                         : (n * size + PACK_ARENA_ALIGN - 1) / PACK_ARENA_ALIGN * PACK_ARENA_ALIGN;
    uint64_t at = a->used, most = bytes + PACK_ARENA_GUARD;
    a->used = at + most < at ? UINT64_MAX : at + most;
    if (!a->base || a->used > a->room) return NULL;
    if (PACK_ARENA_GUARD) pack_guard_put(a, at + n * size, at + bytes);
    return a->base + at;
}

static inline int pack_guard_filled(const struct pack_arena *a, uint64_t from, uint64_t to) {
    while (from < to && a->base[from] == PACK_ARENA_FILL) from++;
    return from == to;
}

/* True if nobody wrote beyond a piece. */
static inline int pack_arena_sound(const struct pack_arena *a) {
    for (uint64_t at = a->base ? a->guard : 0; at != 0;) {
        struct pack_guard g;
        memcpy(&g, a->base + at, sizeof g);
        if (g.end > at || at - g.end >= PACK_ARENA_ALIGN || g.before >= at ||
            !pack_guard_filled(a, g.end, at) ||
            !pack_guard_filled(a, at + sizeof g, at + PACK_ARENA_GUARD))
            return 0;
        at = g.before;
    }
    return 1;
}

#endif
