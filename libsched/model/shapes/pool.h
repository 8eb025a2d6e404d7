/*
 * pool.h -- pools: named sets of nodes, defined by labels.
 *
 * A node belongs to a pool if the node has all labels of the pool. This is true also for nodes
 * that are added after the pool. Nodes with equal labels share one label set (row of LABELS), and
 * the pools are stored there: LABELS.POOLS has one bit for each row of POOL. There are at most 64
 * pools. Rows of POOL are never freed, so that a bit keeps its meaning.
 *
 * Invariant: POOLS is correct for each label set, whether a node or a job has the set. Cost:
 * O(label sets) when a pool is made, O(pools x labels) for a new label set, one memory read to
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
/* Adds a pool and sets *row. labels: sorted by key; no key occurs twice. If it returns
 * LSCHED_E_NOMEM or LSCHED_E_LIMIT, the caller must roll back. */
int32_t pool_add(struct columns *k, lsched_text name, const lsched_label *labels, uint32_t n,
                 uint64_t tag, uint32_t *row);
/* Computes LABELS.POOLS of a label set. The caller calls it when the label set gets a holder. */
void pool_fill(struct columns *k, uint32_t labels);

#endif
