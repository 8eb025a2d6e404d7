/*
 * scenario_memory.h -- an allocator whose blocks are all freed at once; each scenario has one.
 *
 * A scenario is built once, read often and freed as a whole. Therefore its thousands of names,
 * labels and amounts need no separate calls that free them. Every block comes from the struct alloc
 * of the caller and counts against its memory limit. The functions are not thread safe.
 */
#ifndef LIBSCHED_SCENARIO_MEMORY_H
#define LIBSCHED_SCENARIO_MEMORY_H

#include "base/alloc.h"

struct scn_memory_block;

struct scn_memory {
    struct alloc *alloc;
    /* linked list of all blocks; the newest block is the first one */
    struct scn_memory_block *blocks;
    size_t used; /* bytes used in the newest block, including its header */
};

void scn_memory_init(struct scn_memory *m, struct alloc *alloc);
void scn_memory_drop(struct scn_memory *m);

/* Returns n * size zeroed bytes that are aligned for any type, or NULL when memory is out. If n *
 * size is 0, the result is a pointer to at least one byte, not NULL. */
void *scn_memory_take(struct scn_memory *m, size_t n, size_t size);
/* Returns a NUL-terminated copy of the text, or NULL when memory is out. */
char *scn_memory_text(struct scn_memory *m, const char *text, size_t len);

/* A list that is stored in one array. When the array is full, its elements are copied to a new
 * array of twice the capacity. The memory of the old array is freed only by scn_memory_drop(). */
struct scn_list {
    void *items;
    uint32_t n;
    uint32_t cap;
};
/* Appends a zeroed element of `size` bytes and returns it, or NULL when memory is out. A call can
 * move the earlier elements. Therefore callers that still add elements must keep indexes instead of
 * pointers. */
void *scn_list_add(struct scn_memory *m, struct scn_list *list, size_t size);

#endif
