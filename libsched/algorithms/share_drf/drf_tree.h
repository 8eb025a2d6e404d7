/*
 * drf_tree.h -- what dominant-resource fairness keeps per queue, and sums over the children of a
 * queue by their share.
 *
 * A queue's vector is a fraction of the cluster per kind; divided by the queue's share it is the
 * queue's ratio, the vector that it would have at share 1. A tree holds children in the order of
 * (share, row) with the sums of both, so that the sum of fraction_c * min(1, level / share_c) costs
 * O(kinds * log children) for any level.
 *
 * Invariant: sums are of unsigned integers, so they are equal whatever the order of the updates
 * was, and equal to those of a rebuild. A treap rather than a sorted array, because a thousand idle
 * queues below one parent are common; the shape of the treap comes from a hash of rows and affects
 * no result.
 */
#ifndef LIBSCHED_DRF_TREE_H
#define LIBSCHED_DRF_TREE_H

#include <stdint.h>

#define DRF_NONE UINT32_MAX

__extension__ typedef unsigned __int128 drf_wide;

/* Of one queue and one kind that the cluster has. */
struct drf_lane {
    uint64_t fraction;      /* of the cluster, in 2^-48 */
    uint64_t ratio;         /* fraction / share, in 2^-62; at most 1 */
    drf_wide children;      /* sum of ratio over the children that stand in no tree */
    drf_wide tree_fraction; /* sums over the subtree of this queue in the tree of its parent */
    drf_wide tree_ratio;
};

enum drf_place { DRF_NOWHERE, DRF_IN_SUM, DRF_IN_TREE };

struct drf_row {
    uint64_t share;               /* in 2^-48, or DRF_LAST */
    int64_t heaviest;             /* weight_milli of the heaviest child */
    uint32_t parent, left, right; /* in the tree of its parent queue */
    uint32_t root;                /* of the tree of its own children */
    int32_t child_priority;       /* of the first child seen */
    uint8_t has_child;
    uint8_t mixed; /* children differ in priority */
    uint8_t place; /* where its parent's sums have it: enum drf_place */
};

struct drf_table {
    struct drf_row *rows;
    struct drf_lane *lanes; /* lane k of row q is lanes[q * n_lanes + k] */
    uint32_t n_lanes;
};

void drf_tree_insert(struct drf_table *t, uint32_t *root, uint32_t row);
void drf_tree_remove(struct drf_table *t, uint32_t *root, uint32_t row);
/* fraction[k] += sum over children with share <= level, ratio[k] += sum over the others. */
void drf_tree_sum(const struct drf_table *t, uint32_t root, uint64_t level, drf_wide *fraction,
                  drf_wide *ratio);

#endif
