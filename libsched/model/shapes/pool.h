/*
 * pool.h -- pools: named sets of nodes, by labels.
 *
 * A pool is its labels: nodes that have all of them are in it, also those that come later. What
 * pools a set of labels is in is kept with the set, which many nodes share: LABELS.POOLS, a bit
 * for each row of POOL. Rows of POOL are never freed, so there are at most 64 and a bit keeps its
 * meaning.
 *
 * Invariant: POOLS is right for each set of labels, whoever has it. Cost: O(sets of labels) when a
 * pool is made, O(pools x labels) for a new set of labels, one load to ask for a node.
 */
#ifndef LIBSCHED_POOL_H
#define LIBSCHED_POOL_H

#include "model/store/intern.h"

static inline uint32_t pool_count(const struct columns *k) {
    return table_rows(k, T_POOL);
}
static inline int node_in_pool(const struct columns *k, uint32_t node, uint32_t pool) {
    return (int)(k->c[C_LABELS_POOLS].u64[k->c[C_NODE_LABELS].u32[node]] >> pool & 1);
}
/* NO_ROW if there is none of that name. */
uint32_t pool_find(const struct columns *k, lsched_text name);
/* labels: sorted by key, keys unique. The row goes to *row. LSCHED_E_NOMEM, LSCHED_E_LIMIT; the
 * caller rolls back. */
int32_t pool_add(struct columns *k, lsched_text name, const lsched_label *labels, uint32_t n,
                 uint64_t tag, uint32_t *row);
/* For a set of labels that is taken, new or known. */
void pool_fill(struct columns *k, uint32_t labels);

#endif
