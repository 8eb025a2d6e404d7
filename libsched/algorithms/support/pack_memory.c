/* pack_memory.c -- see pack_memory.h. */
#include "algorithms/support/pack_memory.h"

#include <string.h>

static void *engine_alloc(void *user, size_t bytes) {
    const lsched_algorithm_env *env = user;
    return env->alloc(env->engine, bytes);
}

static void engine_free(void *user, void *old, size_t bytes) {
    const lsched_algorithm_env *env = user;
    if (old) env->free(env->engine, old, bytes);
}

static void *engine_realloc(void *user, void *old, size_t old_bytes, size_t new_bytes) {
    void *p = engine_alloc(user, new_bytes);
    if (!p) return NULL;
    if (old) memcpy(p, old, old_bytes < new_bytes ? old_bytes : new_bytes);
    engine_free(user, old, old_bytes);
    return p;
}

lsched_allocator pack_memory(lsched_algorithm_env *env) {
    return (lsched_allocator){.size = sizeof(lsched_allocator),
                              .user = env,
                              .alloc = engine_alloc,
                              .realloc = engine_realloc,
                              .free = engine_free};
}
