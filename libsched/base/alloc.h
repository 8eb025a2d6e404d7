/*
 * alloc.h -- every allocation of the library goes through an `alloc`.
 *
 * A struct alloc belongs to one cluster (or plan, or policy). It calls the orchestrator's
 * allocator, counts bytes, and refuses to exceed the limit. The caller passes the size again when
 * it frees, so nothing is stored beside a block.
 *
 * Invariant: bytes == sum of live blocks; bytes <= limit. A failed allocation returns NULL and
 * changes nothing; the library never aborts.
 */
#ifndef LIBSCHED_ALLOC_H
#define LIBSCHED_ALLOC_H

#include <libsched/libsched.h>

struct alloc {
    lsched_allocator hooks;
    uint64_t limit_bytes; /* UINT64_MAX: no limit */
    uint64_t bytes;
    uint64_t peak_bytes;
    uint64_t count; /* number of allocations, including reallocations */
    /* how often caches were dropped because memory ran out: see alloc_cache_share */
    uint32_t tight;
};

/* Returns how many bytes a cache may hold that would like to hold `most`: at most an eighth of the
 * limit. Each time that memory ran out divides that by 8 again; at ALLOC_TIGHT_MOST the result is
 * 0. Caches change no answers, so their size can depend on the memory that is left. */
#define ALLOC_TIGHT_MOST 3u
uint64_t alloc_cache_share(const struct alloc *a, uint64_t most);

/* Sets up *a. hooks NULL: malloc. Returns LSCHED_OK, or LSCHED_E_NULL, _SIZE or _INVAL for a bad
 * table; arg_allocator names the bad field. */
int32_t alloc_init(struct alloc *a, const lsched_allocator *hooks, uint64_t limit_bytes);
void *alloc_new(struct alloc *a, size_t bytes);  /* NULL on failure or bytes == 0 */
void *alloc_zero(struct alloc *a, size_t bytes); /* the memory is zeroed */
/* old NULL with old_bytes 0 allocates. On failure returns NULL and keeps the old block. new_bytes
 * > 0. */
void *alloc_resize(struct alloc *a, void *old, size_t old_bytes, size_t new_bytes);
void alloc_free(struct alloc *a, void *old, size_t bytes); /* old can be NULL */

#endif
