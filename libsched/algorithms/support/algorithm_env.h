/*
 * algorithm_env.h -- helpers for the environment (lsched_algorithm_env) that the engine gives to an
 * algorithm: zeroed memory, arrays that grow, an allocator for the packer, and parameters that are
 * numbers.
 *
 * An algorithm must take all memory from its environment. If there is no memory, a function of this
 * header changes nothing. An array at least doubles when it grows, so n elements that are added one
 * by one cost O(n) copies.
 */
#ifndef LIBSCHED_ALGORITHM_ENV_H
#define LIBSCHED_ALGORITHM_ENV_H

#include <libsched/algorithm.h>

/* Returns zeroed memory, or NULL if there is no memory. */
void *env_new(const lsched_algorithm_env *env, size_t bytes);
/* `block` can be NULL. */
void env_free(const lsched_algorithm_env *env, void *block, size_t bytes);

/* True if `list` has room for `need` elements, after growing if necessary; the elements in the list
 * are kept. False if there is no memory. `list` is a pointer to elements, and `cap` is a uint32_t.
 * Both are lvalues and are evaluated more than once. */
#define ENV_ROOM(env, list, cap, need) \
    ((uint64_t)(need) <= (cap) || env_grow((env), &(list), &(cap), (need), sizeof *(list)))
/* Used by ENV_ROOM; call ENV_ROOM instead. `list` points to the owner's pointer. */
int env_grow(const lsched_algorithm_env *env, void *list, uint32_t *cap, uint64_t need,
             size_t size);
/* Makes a memory block large enough for n elements. `block` points to the owner's pointer to the
 * block. If the block must grow, twice the needed bytes are allocated and the old content is lost.
 * Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t env_renew(const lsched_algorithm_env *env, void *block, size_t *bytes, uint64_t n,
                  size_t size);

/* Returns an allocator that takes its memory from `env`. `env` must outlive the allocator and all
 * memory taken from it. */
lsched_allocator env_allocator(lsched_algorithm_env *env);

/* Returns the value of the policy's parameter `key`, or `most` if the value is larger. Returns
 * `otherwise` if the policy has no such parameter, or if its value is not a number or is
 * negative. */
double env_number(const lsched_algorithm_env *env, const char *key, double otherwise, double most);

#endif
