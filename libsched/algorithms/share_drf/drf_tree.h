/*
 * drf_tree.h -- the data that dominant-resource fairness keeps per queue, and a tree that sums over
 * the children of a queue by their share; share_drf.c has the memory of both.
 *
 * The vector of a queue is its fraction of the cluster per resource kind. The vector divided by the
 * queue's share is the queue's ratio: the vector that the queue would have at share 1. A tree holds
 * children in the order of (share, row), with sums of both vectors and ratios. With it, the sum of
 * fraction_c * min(1, level / share_c) costs O(kinds * log children) for any level.
 *
 * Invariant: the sums are sums of unsigned integers, so they do not depend on the order of updates
 * and are equal to those of a rebuild. The tree is a treap rather than a sorted array, because one
 * parent often has a thousand idle children. The shape of the treap follows from a hash of rows and
 * affects no result.
 */
#ifndef LIBSCHED_DRF_TREE_H
#define LIBSCHED_DRF_TREE_H

#include <stdint.h>

#define DRF_NONE UINT32_MAX

__extension__ typedef unsigned __int128 drf_wide;

/* Values of one queue and one resource kind that the cluster has. */
struct drf_lane {
    uint64_t fraction;      /* fraction of the cluster, in units of 2^-48 */
    uint64_t ratio;         /* fraction / share, in units of 2^-62; at most 1 */
    drf_wide children;      /* sum of `ratio` over the children that are in no tree */
    drf_wide tree_fraction; /* sums over this queue's subtree in the tree of its parent */
    drf_wide tree_ratio;
};

enum drf_place { DRF_NOWHERE, DRF_IN_SUM, DRF_IN_TREE };

struct drf_row {
    uint64_t share;               /* in units of 2^-48, or DRF_LAST */
    int64_t heaviest;             /* weight_milli of the heaviest child */
    uint32_t parent, left, right; /* links in the tree of its parent queue */
    uint32_t root;                /* root of the tree of its own children */
    int32_t child_priority;       /* priority of a child; equal for all unless `mixed` */
    uint8_t has_child;
    uint8_t mixed; /* 1: the children differ in priority */
    uint8_t place; /* enum drf_place: which of the parent's sums contains this queue */
};

struct drf_table {
    struct drf_row *rows;
    struct drf_lane *lanes; /* lane k of row q is lanes[q * n_lanes + k] */
    uint32_t n_lanes;
};

void drf_tree_insert(struct drf_table *t, uint32_t *root, uint32_t row);
void drf_tree_remove(struct drf_table *t, uint32_t *root, uint32_t row);
/* Adds the sum of fractions over the children with share <= level to fraction[k], and the sum of
 * ratios over the other children to ratio[k]. */
void drf_tree_sum(const struct drf_table *t, uint32_t root, uint64_t level, drf_wide *fraction,
                  drf_wide *ratio);

#endif
