/*
 * jemalloc.h -- allocator hooks for hosts that link jemalloc themselves: one arena per cluster.
 *
 *     lsched_allocator memory;
 *     if (lsched_jemalloc_create(&memory) != 0) ...
 *     lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
 *     opts.allocator = &memory;
 *     ... create, use, destroy the cluster and all of its plans ...
 *     lsched_jemalloc_destroy(&memory);
 *
 * With an arena of its own a cluster neither mixes with the host's heap nor fragments it, its
 * memory can be read from jemalloc's statistics by arena, and goes back to the system as a whole.
 *
 * Header only, because libsched.so must not be linked with jemalloc: the builds of Debian and
 * others use static TLS, and a library linked with them cannot be opened with dlopen ("cannot
 * allocate memory in static TLS block"), which is how Python and Go come to it. Needs jemalloc 5
 * under its plain names (mallocx, mallctl), as distributions build it.
 *
 * Thread caches are not used (MALLOCX_TCACHE_NONE): a cache belongs to a thread and is shared by
 * all arenas, so it would hand memory of one cluster to another. Any thread may free, so plans
 * may be destroyed wherever they were read.
 */
#ifndef LIBSCHED_JEMALLOC_H
#define LIBSCHED_JEMALLOC_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <jemalloc/jemalloc.h>

#include <libsched/libsched.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `user` is the number of the arena, so the table may be copied and needs no memory of its own. */
static inline int lsched_jemalloc_flags_(const void *user) {
    return (int)(MALLOCX_ARENA((unsigned)(uintptr_t)user) | MALLOCX_TCACHE_NONE);
}

static inline void *lsched_jemalloc_alloc_(void *user, size_t bytes) {
    return mallocx(bytes, lsched_jemalloc_flags_(user));
}

static inline void *lsched_jemalloc_realloc_(void *user, void *old, size_t old_bytes,
                                             size_t new_bytes) {
    (void)old_bytes;
    if (old == NULL) return lsched_jemalloc_alloc_(user, new_bytes);
    return rallocx(old, new_bytes, lsched_jemalloc_flags_(user));
}

static inline void lsched_jemalloc_free_(void *user, void *old, size_t bytes) {
    sdallocx(old, bytes, lsched_jemalloc_flags_(user));
}

/* Makes an arena and fills *out with hooks to it. Returns 0, or jemalloc's error number and *out
 * is zero. */
static inline int lsched_jemalloc_create(lsched_allocator *out) {
    unsigned arena = 0;
    size_t size = sizeof arena;
    memset(out, 0, sizeof *out);
    int error = mallctl("arenas.create", &arena, &size, NULL, 0);
    if (error != 0) return error;
    out->size = (uint32_t)sizeof *out;
    out->user = (void *)(uintptr_t)arena;
    out->alloc = lsched_jemalloc_alloc_;
    out->realloc = lsched_jemalloc_realloc_;
    out->free = lsched_jemalloc_free_;
    return 0;
}

/* Frees the arena with everything in it. After the cluster and all of its plans are gone. Returns
 * 0, or jemalloc's error number. */
static inline int lsched_jemalloc_destroy(const lsched_allocator *allocator) {
    char name[64];
    snprintf(name, sizeof name, "arena.%u.destroy", (unsigned)(uintptr_t)allocator->user);
    return mallctl(name, NULL, NULL, NULL, 0);
}

#ifdef __cplusplus
}
#endif
#endif
