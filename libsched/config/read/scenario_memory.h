/*
 * scenario_memory.h -- the memory of one scenario, which is freed all at once.
 *
 * A scenario is built once, read often and freed as a whole, therefore its thousands of small
 * pieces (names, labels, amounts) are not freed one by one. Every block comes from the caller's
 * allocator and counts against the limit of that allocator. The functions are not thread safe.
 */
#ifndef LIBSCHED_SCENARIO_MEMORY_H
#define LIBSCHED_SCENARIO_MEMORY_H

#include "base/alloc.h"

struct scn_memory_block;

struct scn_memory {
    struct alloc *alloc;
    struct scn_memory_block *blocks; /* list of blocks, the newest first */
    size_t used;                     /* bytes used in the newest block */
};

void scn_memory_init(struct scn_memory *m, struct alloc *alloc);
void scn_memory_drop(struct scn_memory *m);

/* Returns n * size zeroed bytes that are aligned for any type, or NULL when memory is out. If n *
 * size is 0, the result is a valid pointer too. */
void *scn_memory_take(struct scn_memory *m, size_t n, size_t size);
/* Returns a NUL-terminated copy of the text, or NULL when memory is out. */
char *scn_memory_text(struct scn_memory *m, const char *text, size_t len);

/* An array that doubles its capacity when it is full. The smaller arrays that it replaces keep
 * their memory until scn_memory_drop(). */
struct scn_list {
    void *items;
    uint32_t n;
    uint32_t cap;
};
/* Appends a zeroed element of `size` bytes and returns it, or NULL when memory is out. Earlier
 * elements can move, therefore callers keep indexes instead of pointers while they add. */
void *scn_list_add(struct scn_memory *m, struct scn_list *list, size_t size);

#endif
