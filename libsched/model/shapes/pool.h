/*
 * pool.h -- pools: named sets of nodes, defined by labels.
 *
 * A node belongs to a pool if it has all labels of the pool; that holds for nodes that come
 * later, too. The pools of a set of labels are stored with the set, which many nodes share:
 * LABELS.POOLS has a bit for each row of POOL. Rows of POOL are never freed, so there are at most
 * 64 and a bit keeps its meaning.
 *
 * Invariant: POOLS is correct for each set of labels, whether a node or a job has the set. Cost:
 * O(sets of labels) when a pool is made, O(pools x labels) for a new set of labels, one load to
 * check a node.
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
/* Returns the row of the pool, NO_ROW if no pool has that name. */
uint32_t pool_find(const struct columns *k, lsched_text name);
/* Adds a pool and sets *row. labels: sorted by key, keys unique. On LSCHED_E_NOMEM or
 * LSCHED_E_LIMIT the caller rolls back. */
int32_t pool_add(struct columns *k, lsched_text name, const lsched_label *labels, uint32_t n,
                 uint64_t tag, uint32_t *row);
/* Computes POOLS of a set of labels, new or known, that gets a holder. */
void pool_fill(struct columns *k, uint32_t labels);

#endif
