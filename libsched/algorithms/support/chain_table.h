/*
 * chain_table.h -- the slots of a hash table whose elements are numbers in chains.
 *
 * A slot has the first element of its chain, CHAIN_NONE if the chain is empty; the elements have
 * their own `chain`, the next element. The number of slots is a power of 2, or 0. The owner puts
 * its elements into the chains, because only the owner knows their hashes.
 */
#ifndef LIBSCHED_CHAIN_TABLE_H
#define LIBSCHED_CHAIN_TABLE_H

#include "algorithms/support/algorithm_env.h"

#define CHAIN_NONE UINT32_MAX

static inline void chain_table_clear(uint32_t *slots, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) slots[i] = CHAIN_NONE;
}

/* Doubles the number of slots, from `least` on, and empties all chains: the caller puts its
 * elements in again. Returns LSCHED_OK, or LSCHED_E_NOMEM with nothing changed. */
static inline int32_t chain_table_grow(const lsched_algorithm_env *env, uint32_t **slots,
                                       uint32_t *n, uint32_t least) {
    uint32_t more = *n ? 2 * *n : least;
    uint32_t *grown = env_new(env, more * sizeof *grown);
    if (!grown) return LSCHED_E_NOMEM;
    env_free(env, *slots, *n * sizeof **slots);
    chain_table_clear(grown, more);
    *slots = grown;
    *n = more;
    return LSCHED_OK;
}

#endif
