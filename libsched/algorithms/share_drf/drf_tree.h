/*
 * drf_tree.h -- the data that dominant-resource fairness keeps for each queue, and a tree over the
 * children of a queue, sorted by share, with sums. share_drf.c allocates the memory of both.
 *
 * The vector of a queue has one number per resource kind: the fraction of the cluster that counts
 * for the queue. The ratio of a queue is its vector divided by its share. A tree holds children of
 * a queue in the order of (share, row), with the sums of their vectors and ratios. With the tree,
 * the sum of fraction_c * min(1, level / share_c) costs O(kinds * log children) for any level.
 *
 * Invariant: the sums add unsigned integers, so they do not depend on the order of updates. A tree
 * that is built again has the same sums. The tree is a treap rather than a sorted array, because
 * one parent often has a thousand idle children. The shape of the treap follows from a hash of rows
 * and affects no result.
 */
#ifndef LIBSCHED_DRF_TREE_H
#define LIBSCHED_DRF_TREE_H

#include <stdint.h>

#define DRF_NONE UINT32_MAX

__extension__ typedef unsigned __int128 drf_wide;

/* Values of one queue for one resource kind that the cluster has. */
struct drf_lane {
    uint64_t fraction; /* fraction of the cluster, in units of 2^-48 */
    uint64_t ratio;    /* fraction / share, in units of 2^-62; at most 1 */
    drf_wide children; /* sum of `ratio` over the queue's children whose `place` is DRF_IN_SUM */
    /* sum of `fraction` over the subtree below this queue, in the tree that contains this queue */
    drf_wide tree_fraction;
    drf_wide tree_ratio;
};

enum drf_place { DRF_NOWHERE, DRF_IN_SUM, DRF_IN_TREE };

struct drf_row {
    uint64_t share;               /* in units of 2^-48, or DRF_LAST */
    int64_t heaviest;             /* largest weight_milli of the queue's children */
    uint32_t parent, left, right; /* links in the tree that contains this queue */
    uint32_t root;                /* root of the tree that holds this queue's own children */
    /* priority of a child; all children have this priority unless `mixed` is 1 */
    int32_t child_priority;
    uint8_t has_child;
    uint8_t mixed; /* 1: the children have different priorities */
    /* enum drf_place: whether this queue is in its parent's plain sum, in its parent's tree, or in
     * neither */
    uint8_t place;
};

struct drf_table {
    struct drf_row *rows;
    struct drf_lane *lanes; /* lane k of row q is lanes[q * n_lanes + k] */
    uint32_t n_lanes;
};

void drf_tree_insert(struct drf_table *t, uint32_t *root, uint32_t row);
void drf_tree_remove(struct drf_table *t, uint32_t *root, uint32_t row);
/* Adds up the children of a queue whose tree has this root. For children with share <= level, the
 * fraction of kind k is added to fraction[k]. For all other children, the ratio is added to
 * ratio[k]. */
void drf_tree_sum(const struct drf_table *t, uint32_t root, uint64_t level, drf_wide *fraction,
                  drf_wide *ratio);

#endif
