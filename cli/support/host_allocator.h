/*
 * host_allocator.h -- the allocator that the program gives to a cluster. The allocator is an arena
 * of jemalloc if jemalloc is linked. In builds without jemalloc, such as sanitizer builds, the
 * library uses malloc. Any orchestrator can use this code.
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

/* Returns the value for lsched_cluster_opts.allocator: the functions of a new arena, or NULL, which
 * means malloc. The value is also NULL if no arena can be created. */
static inline const lsched_allocator *host_allocator_begin(struct host_allocator *memory) {
    memset(memory, 0, sizeof *memory);
#ifdef LSCHED_WITH_JEMALLOC
    if (lsched_jemalloc_create(&memory->hooks) == 0) return &memory->hooks;
#endif
    return NULL;
}

/* Destroys the arena. Before the call, the caller has destroyed the cluster and all of its
 * plans. */
static inline void host_allocator_end(struct host_allocator *memory) {
#ifdef LSCHED_WITH_JEMALLOC
    if (memory->hooks.alloc != NULL) lsched_jemalloc_destroy(&memory->hooks);
#endif
    memset(memory, 0, sizeof *memory);
}

#endif
