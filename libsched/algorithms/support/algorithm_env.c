/* algorithm_env.c -- see algorithm_env.h. */
#include "algorithms/support/algorithm_env.h"

#include <string.h>

void *env_new(const lsched_algorithm_env *env, size_t bytes) {
    void *block = env->alloc(env->engine, bytes);
    if (block) memset(block, 0, bytes);
    return block;
}

void env_free(const lsched_algorithm_env *env, void *block, size_t bytes) {
    if (block) env->free(env->engine, block, bytes);
}

int env_grow(const lsched_algorithm_env *env, void *list, uint32_t *cap, uint64_t need,
             size_t size) {
    uint64_t to = *cap ? *cap : 64;
    void *old, *more;
    while (to < need) to *= 2;
    if (to > UINT32_MAX / 2) return 0;
    more = env->alloc(env->engine, (size_t)to * size);
    if (!more) return 0;
    memcpy(&old, list, sizeof old);
    if (old) memcpy(more, old, *cap * size);
    env_free(env, old, *cap * size);
    memcpy(list, &more, sizeof more);
    *cap = (uint32_t)to;
    return 1;
}

int32_t env_renew(const lsched_algorithm_env *env, void *block, size_t *bytes, uint64_t n,
                  size_t size) {
    if (n > SIZE_MAX / 2 / size) return LSCHED_E_NOMEM;
    size_t needed = (size_t)n * size;
    void *old, *bigger;
    if (needed <= *bytes) return LSCHED_OK;
    bigger = env->alloc(env->engine, needed * 2);
    if (!bigger) return LSCHED_E_NOMEM;
    memcpy(&old, block, sizeof old);
    env_free(env, old, *bytes);
    memcpy(block, &bigger, sizeof bigger);
    *bytes = needed * 2;
    return LSCHED_OK;
}

static void *engine_alloc(void *user, size_t bytes) {
    const lsched_algorithm_env *env = user;
    return env->alloc(env->engine, bytes);
}

static void engine_free(void *user, void *old, size_t bytes) {
    env_free(user, old, bytes);
}

static void *engine_realloc(void *user, void *old, size_t old_bytes, size_t new_bytes) {
    void *p = engine_alloc(user, new_bytes);
    if (!p) return NULL;
    if (old) memcpy(p, old, old_bytes < new_bytes ? old_bytes : new_bytes);
    engine_free(user, old, old_bytes);
    return p;
}

lsched_allocator env_allocator(lsched_algorithm_env *env) {
    return (lsched_allocator){.size = sizeof(lsched_allocator),
                              .user = env,
                              .alloc = engine_alloc,
                              .realloc = engine_realloc,
                              .free = engine_free};
}

double env_number(const lsched_algorithm_env *env, const char *key, double otherwise, double most) {
    size_t n = strlen(key);
    for (uint32_t i = 0; i < env->n_params; i++) {
        const lsched_param *p = &env->params[i];
        if (p->key.len == n && memcmp(p->key.ptr, key, n) == 0 && !p->text.ptr && p->number >= 0)
            return p->number < most ? p->number : most;
    }
    return otherwise;
}
