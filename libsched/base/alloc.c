/* alloc.c -- see alloc.h. */
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static void *malloc_alloc(void *user, size_t bytes) {
    (void)user;
    return malloc(bytes);
}

static void *malloc_realloc(void *user, void *old, size_t old_bytes, size_t new_bytes) {
    (void)user;
    (void)old_bytes;
    return realloc(old, new_bytes);
}

static void malloc_free(void *user, void *old, size_t bytes) {
    (void)user;
    (void)bytes;
    free(old);
}

int32_t alloc_init(struct alloc *a, const lsched_allocator *hooks, uint64_t limit_bytes) {
    memset(a, 0, sizeof *a);
    a->limit_bytes = limit_bytes ? limit_bytes : UINT64_MAX;
    if (!hooks) {
        a->hooks =
            (lsched_allocator){sizeof a->hooks, 0, NULL, malloc_alloc, malloc_realloc, malloc_free};
        return LSCHED_OK;
    }
    if (hooks->size < sizeof *hooks) return LSCHED_E_SIZE;
    /* in the table of a newer version, all fields that this version does not know must be zero */
    for (size_t i = sizeof *hooks; i < hooks->size; i++)
        if (((const unsigned char *)hooks)[i]) return LSCHED_E_SIZE;
    if (hooks->reserved_zero) return LSCHED_E_INVAL;
    if (!hooks->alloc || !hooks->realloc || !hooks->free) return LSCHED_E_NULL;
    a->hooks = *hooks;
    a->hooks.size = sizeof a->hooks;
    return LSCHED_OK;
}

uint64_t alloc_cache_share(const struct alloc *a, uint64_t most) {
    if (a->tight >= ALLOC_TIGHT_MOST) return 0;
    if (most > a->limit_bytes / 8) most = a->limit_bytes / 8;
    return most >> (3 * a->tight);
}

static int alloc_fits(const struct alloc *a, size_t more) {
    return more <= a->limit_bytes - a->bytes;
}

static void alloc_count(struct alloc *a) {
    a->count++;
    if (a->bytes > a->peak_bytes) a->peak_bytes = a->bytes;
}

void *alloc_new(struct alloc *a, size_t bytes) {
    if (bytes == 0 || bytes > SIZE_MAX / 2 || !alloc_fits(a, bytes)) return NULL;
    void *p = a->hooks.alloc(a->hooks.user, bytes);
    if (!p) return NULL;
    a->bytes += bytes;
    alloc_count(a);
    return p;
}

void *alloc_zero(struct alloc *a, size_t bytes) {
    void *p = alloc_new(a, bytes);
    if (p) memset(p, 0, bytes);
    return p;
}

void *alloc_resize(struct alloc *a, void *old, size_t old_bytes, size_t new_bytes) {
    if (!old) return alloc_new(a, new_bytes);
    if (new_bytes == 0 || new_bytes > SIZE_MAX / 2) return NULL;
    if (new_bytes > old_bytes && !alloc_fits(a, new_bytes - old_bytes)) return NULL;
    void *p = a->hooks.realloc(a->hooks.user, old, old_bytes, new_bytes);
    if (!p) return NULL;
    a->bytes = a->bytes - old_bytes + new_bytes;
    alloc_count(a);
    return p;
}

void alloc_free(struct alloc *a, void *old, size_t bytes) {
    if (!old) return;
    a->bytes -= bytes;
    a->hooks.free(a->hooks.user, old, bytes);
}
