/*
 * alloc.h -- the functions that allocate memory: every allocation of the library goes through a
 * struct alloc.
 *
 * Each cluster, plan, policy and scenario has a struct alloc of its own. The functions call the
 * orchestrator's allocator, count the allocated bytes, and refuse an allocation that would exceed
 * the limit. A caller that frees a block passes the size of the block again. Therefore the size is
 * not stored beside the block.
 *
 * What always holds: `bytes` is the sum of the sizes of all blocks that are not freed yet, and is
 * at most `limit_bytes`. A failed allocation returns NULL and changes nothing. The library never
 * ends the process because memory is out.
 */
#ifndef LIBSCHED_ALLOC_H
#define LIBSCHED_ALLOC_H

#include <libsched/libsched.h>

struct alloc {
    lsched_allocator hooks;
    uint64_t limit_bytes; /* UINT64_MAX: no limit */
    uint64_t bytes;       /* sum of the sizes of all blocks that are not freed yet */
    uint64_t peak_bytes;  /* largest value that `bytes` has had */
    uint64_t count;       /* number of successful allocations and reallocations so far */
    /* number of times that caches were dropped because memory ran out: see alloc_cache_share() */
    uint32_t tight;
};

/* Returns the number of bytes that a cache is allowed to use. The number is the smaller one of
 * `most` and an eighth of limit_bytes, divided by 8 once for each time that caches were dropped
 * because memory ran out (a->tight). If a->tight is at least ALLOC_TIGHT_MOST, the number is 0.
 * Caches do not change plans. Therefore the size of a cache can depend on the available memory. */
#define ALLOC_TIGHT_MOST 3u
uint64_t alloc_cache_share(const struct alloc *a, uint64_t most);

/* Sets up *a. `hooks` is the orchestrator's table of functions; if it is NULL, malloc() and free()
 * are used. If limit_bytes is 0, there is no limit. Returns LSCHED_OK, or LSCHED_E_NULL,
 * LSCHED_E_SIZE or LSCHED_E_INVAL for a wrong table. The function writes no message;
 * arg_allocator() names the wrong field. */
int32_t alloc_init(struct alloc *a, const lsched_allocator *hooks, uint64_t limit_bytes);
void *alloc_new(struct alloc *a, size_t bytes);  /* returns NULL on failure, and if bytes is 0 */
void *alloc_zero(struct alloc *a, size_t bytes); /* like alloc_new(), with zeroed bytes */
/* Changes the size of the block `old` from old_bytes to new_bytes, which must not be 0. If old is
 * NULL, old_bytes must be 0, and the function allocates a new block. On failure the function
 * returns NULL, and the block `old` is not changed. */
void *alloc_resize(struct alloc *a, void *old, size_t old_bytes, size_t new_bytes);
void alloc_free(struct alloc *a, void *old, size_t bytes); /* old can be NULL */

#endif
