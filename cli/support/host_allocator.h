/*
 * host_allocator.h -- the memory that the program gives to a cluster: an arena of jemalloc if
 * jemalloc is linked, otherwise the library's malloc (in sanitizer builds). Any orchestrator could
 * use the same code.
 */
#ifndef LSCHED_CLI_HOST_ALLOCATOR_H
#define LSCHED_CLI_HOST_ALLOCATOR_H

#include <string.h>

#include <libsched/libsched.h>

#ifdef LSCHED_WITH_JEMALLOC
#include <libsched/jemalloc.h>
#endif

struct host_allocator {
    lsched_allocator hooks;
};

/* Returns the value for lsched_cluster_opts: the hooks, or NULL for malloc. The result is also
 * NULL if no arena can be created. */
static inline const lsched_allocator *host_allocator_begin(struct host_allocator *memory) {
    memset(memory, 0, sizeof *memory);
#ifdef LSCHED_WITH_JEMALLOC
    if (lsched_jemalloc_create(&memory->hooks) == 0) return &memory->hooks;
#endif
    return NULL;
}

/* Called after the cluster and all of its plans are destroyed. */
static inline void host_allocator_end(struct host_allocator *memory) {
#ifdef LSCHED_WITH_JEMALLOC
    if (memory->hooks.alloc != NULL) lsched_jemalloc_destroy(&memory->hooks);
#endif
    memset(memory, 0, sizeof *memory);
}

#endif
