/*
 * jemalloc.h -- allocator functions for orchestrators that link jemalloc: one arena per cluster.
 *
 *       lsched_allocator memory;
 *       if (lsched_jemalloc_create(&memory) != 0) ...
 *       lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
 *       opts.allocator = &memory;
 *       ... create, use, destroy the cluster and all of its plans ...
 *       lsched_jemalloc_destroy(&memory);
 *
 * A cluster with its own arena neither shares nor fragments the heap of the orchestrator.
 * jemalloc's statistics of the arena show the cluster's memory, and the arena returns all of its
 * memory to the system at once.
 *
 * These functions are in a header because libsched.so must not be linked with jemalloc. The
 * jemalloc of Debian and others uses static TLS. A library that is linked with it cannot be opened
 * with dlopen ("cannot allocate memory in static TLS block"), but Python and Go open libsched.so
 * with dlopen. The header needs jemalloc 5 with its plain function names (mallocx, mallctl), as
 * distributions build it.
 *
 * Thread caches are not used (MALLOCX_TCACHE_NONE): a thread cache is used for all arenas;
 * therefore it would pass memory of one cluster to another. Any thread can free memory of the
 * arena; therefore the thread that has read a plan can destroy it.
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

/* `user` is the index of the arena; therefore lsched_allocator needs no memory and can be
 * copied. */
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

/* Makes an arena, and sets *out to functions that use the arena. Returns 0, or jemalloc's error
 * number with *out zeroed. */
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

/* Frees the arena and all memory in it. The cluster, its clones, and all plans and descriptions of
 * them must have been destroyed before the call. Returns 0, or jemalloc's error number. */
static inline int lsched_jemalloc_destroy(const lsched_allocator *allocator) {
    char name[64];
    snprintf(name, sizeof name, "arena.%u.destroy", (unsigned)(uintptr_t)allocator->user);
    return mallctl(name, NULL, NULL, NULL, 0);
}

#ifdef __cplusplus
}
#endif
#endif
