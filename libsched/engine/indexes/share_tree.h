/*
 * share_tree.h -- finds the leaf queue with work that the share algorithm puts first.
 *
 * Every queue has a key that the share algorithm computed. The active children of a queue (and the
 * roots, as children of a virtual root) form a binary heap by (key, creation time, name). A change
 * at a leaf updates the keys on its path to the root, and their places in the heaps, in O(depth x
 * log children). The arrays are a cache that each cycle builds again from the columns in
 * O(queues).
 */
#ifndef LIBSCHED_SHARE_TREE_H
#define LIBSCHED_SHARE_TREE_H

#include "engine/indexes/view.h"

struct share_tree {
    const lsched_share_ops *ops;
    void *self;
    const lsched_view *view;
    /* by queue row: order key of the first job of a leaf; the array belongs to the view */
    int64_t *head_order;
    uint32_t cap;          /* capacity in queue rows */
    lsched_share_key *key; /* by queue row: key of the queue */
    uint32_t
        *heap_of; /* [cap + 1]: first item of the children's heap; row cap is the virtual root */
    uint32_t *heap_n; /* number of active children */
    uint32_t *items;  /* queue rows in the heaps */
    uint32_t *place;  /* position in the parent's heap, NO_ROW if not active */
    uint32_t *order;  /* queue rows, children before parents */
    int64_t *want;    /* [cap x KINDS_MAX]: what the first job in or below the queue needs next */
};

int32_t share_begin(struct share_tree *s, struct columns *k, const lsched_share_ops *ops,
                    void *self, struct view_cache *view);
/* Updates the tree after a change of a leaf queue's use or activity. */
int32_t share_update(struct share_tree *s, const struct columns *k, uint32_t queue);
/* Returns the active leaf queue that the share algorithm puts first, NO_ROW if none is active. */
uint32_t share_best(const struct share_tree *s, const struct columns *k);
void share_close(struct share_tree *s, struct columns *k);

#endif
