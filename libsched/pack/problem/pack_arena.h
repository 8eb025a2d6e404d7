/*
 * pack_arena.h -- an arena: one block of memory, from which callers take pieces one after another.
 * A single piece cannot be freed.
 *
 * The code that takes pieces runs twice. In the first pass the arena has no block: pack_take only
 * adds up the requested bytes and returns NULL. In the second pass the arena has a block of that
 * size, and pack_take cannot fail. Therefore a packer knows the size of its memory before it
 * allocates. It allocates with one call, and never runs out of memory while it runs.
 *
 * In the first pass the caller must not write to the memory that it requests, and must not compute
 * a size from data that it would have written to that memory.
 *
 * In builds with assertions, a guard of PACK_ARENA_GUARD bytes follows each piece. No code writes
 * to a guard, and pack_arena_sound checks all guards. The guards are needed because an address
 * sanitizer knows only the whole block, not its pieces.
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
    /* the block, zeroed and aligned to PACK_ARENA_ALIGN bytes; NULL in the first pass */
    unsigned char *base;
    uint64_t used; /* bytes taken so far, guards included; saturates at UINT64_MAX */
    uint64_t room;
    uint64_t guard; /* offset of the last guard; 0 if there is none */
};

/* The header of a guard. All bytes from `end` up to the header have the value PACK_ARENA_FILL, and
 * so have the bytes of the guard after the header. `end` is the offset at which the piece before
 * the guard ends. `before` is the offset of the previous guard, 0 if there is none. */
struct pack_guard {
    uint64_t end, before;
};

static inline void pack_guard_put(struct pack_arena *a, uint64_t end, uint64_t at) {
    struct pack_guard g = {end, a->guard};
    memset(a->base + end, PACK_ARENA_FILL, at + PACK_ARENA_GUARD - end);
    memcpy(a->base + at, &g, sizeof g);
    a->guard = at;
}

/* Returns zeroed memory for n elements of `size` bytes; NULL in the first pass, in which the arena
 * only counts bytes. */
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

/* True if no write went beyond the end of a piece: all guards have their bytes unchanged. */
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
