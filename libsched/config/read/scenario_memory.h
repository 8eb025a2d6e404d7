/*
 * scenario_memory.h -- memory of one scenario: blocks that are given back all at once.
 *
 * A scenario is built once, read often and dropped whole, so its thousands of small pieces (names,
 * labels, amounts) need no free of their own. Every block comes from the caller's allocator and
 * counts against its limit. Not thread safe.
 */
#ifndef LIBSCHED_SCENARIO_MEMORY_H
#define LIBSCHED_SCENARIO_MEMORY_H

#include "base/alloc.h"

struct scn_memory_block;

struct scn_memory {
    struct alloc *alloc;
    struct scn_memory_block *blocks; /* newest first */
    size_t used;                     /* of the newest */
};

void scn_memory_init(struct scn_memory *m, struct alloc *alloc);
void scn_memory_drop(struct scn_memory *m);

/* Zeroed and aligned for any type; NULL when memory is out. n * size may be 0: then a valid
 * pointer. */
void *scn_memory_take(struct scn_memory *m, size_t n, size_t size);
/* A NUL-terminated copy. */
char *scn_memory_text(struct scn_memory *m, const char *text, size_t len);

/* An array that grows by doubling inside a memory; the old halves stay until the drop. */
struct scn_list {
    void *items;
    uint32_t n;
    uint32_t cap;
};
/* A zeroed new last element of `size` bytes, or NULL. Earlier elements move: keep indexes, not
 * pointers, while adding. */
void *scn_list_add(struct scn_memory *m, struct scn_list *list, size_t size);

#endif
