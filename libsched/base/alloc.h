/*
 * alloc.h -- the one way to memory. An `alloc` belongs to one cluster (or plan, or policy), calls
 * the host's hooks, counts bytes, and refuses to pass the limit. Sizes are passed back at free, so
 * nothing is stored beside a block.
 *
 * Invariant: bytes == sum of live blocks; bytes <= limit. Failing returns NULL and changes nothing;
 * nobody aborts.
 */
#ifndef LIBSCHED_ALLOC_H
#define LIBSCHED_ALLOC_H

#include <libsched/libsched.h>

struct alloc {
    lsched_allocator hooks;
    uint64_t limit_bytes; /* UINT64_MAX: none */
    uint64_t bytes;
    uint64_t peak_bytes;
    uint64_t count; /* allocations made, reallocations included */
    uint32_t tight; /* how often caches had to go for want of memory: alloc_cache_share */
};

/* What a cache may hold that would hold `most`: an eighth of the limit, if that is less, and an
 * eighth of that for each time that memory ran out; nothing at ALLOC_TIGHT_MOST. Caches change no
 * answers, so what they hold may follow what there is. */
#define ALLOC_TIGHT_MOST 3u
uint64_t alloc_cache_share(const struct alloc *a, uint64_t most);

/* hooks NULL: malloc. Returns LSCHED_OK, or LSCHED_E_NULL, _SIZE or _INVAL for a bad table;
 * arg_allocator says which. */
int32_t alloc_init(struct alloc *a, const lsched_allocator *hooks, uint64_t limit_bytes);
void *alloc_new(struct alloc *a, size_t bytes);  /* NULL on failure or bytes == 0 */
void *alloc_zero(struct alloc *a, size_t bytes); /* zeroed */
/* old NULL and old_bytes 0 allocate. On failure NULL, old block intact. new_bytes > 0. */
void *alloc_resize(struct alloc *a, void *old, size_t old_bytes, size_t new_bytes);
void alloc_free(struct alloc *a, void *old, size_t bytes); /* old NULL allowed */

#endif
