/*
 * pack_arena.h -- one block of memory, given out in order and never back. The same code runs twice:
 * first over an arena without a block, which only adds up what is asked for (and answers NULL), then
 * over one with a block of that size, in which nothing can fail. So a packer states its memory
 * before it takes it, takes it in one call, and running cannot run out.
 *
 * The first pass must not write to what it gets, nor choose sizes by what it would have written.
 */
#ifndef LIBSCHED_PACK_ARENA_H
#define LIBSCHED_PACK_ARENA_H

#include <stddef.h>
#include <stdint.h>

enum { PACK_ARENA_ALIGN = 64 };

struct pack_arena {
    unsigned char *base; /* NULL: counting. Zeroed, aligned to PACK_ARENA_ALIGN */
    uint64_t used;       /* bytes; saturates at UINT64_MAX */
    uint64_t room;
};

/* n elements of `size` bytes, zeroed; NULL while counting. */
static inline void *pack_take(struct pack_arena *a, uint64_t n, uint64_t size) {
    uint64_t bytes = size && n > (UINT64_MAX >> 1) / size
                         ? UINT64_MAX >> 1
                         : (n * size + PACK_ARENA_ALIGN - 1) / PACK_ARENA_ALIGN * PACK_ARENA_ALIGN;
    uint64_t at = a->used;
    a->used = at + bytes < at ? UINT64_MAX : at + bytes;
    return a->base && a->used <= a->room ? a->base + at : NULL;
}

#endif
