/*
 * share_tree.h -- finds the leaf queue that gets the next task: the first leaf queue with waiting
 * jobs in the order of the share algorithm.
 *
 * Every queue has a key that the share algorithm computed. A queue is active if the queue, or a
 * queue below it, has waiting jobs to try. The active children of a queue form a binary heap, in
 * the order of key, creation time and name. Queues without a parent are the children of a virtual
 * root. After a change at a leaf queue, the keys of all queues on its path to the root, and the
 * positions of these queues in the heaps, are updated in O(depth x log children). Each cycle
 * builds all arrays again from the columns in O(queues).
 */
#ifndef LIBSCHED_SHARE_TREE_H
#define LIBSCHED_SHARE_TREE_H

#include "engine/indexes/view.h"

struct share_tree {
    const lsched_share_ops *ops;
    void *self;
    const lsched_view *view;
    /* by queue row: order value (C_JOB_ORDER) of the first job of a leaf queue; the view owns the
     * array */
    int64_t *head_order;
    uint32_t cap;          /* capacity in queue rows */
    lsched_share_key *key; /* by queue row: key of the queue */
    /* [cap + 1], by queue row: index in items[] at which the heap of the queue's children begins;
     * entry `cap` belongs to the virtual root */
    uint32_t *heap_of;
    uint32_t *heap_n; /* [cap + 1], by queue row: number of active children */
    uint32_t *items;  /* all heaps, one after the other: rows of queues */
    /* by queue row: position in the heap of the parent, NO_ROW if the queue is not active */
    uint32_t *place;
    uint32_t *order; /* rows of all queues, children before parents */
    /* [cap x KINDS_MAX]: amounts that the first job in or below the queue needs next */
    int64_t *want;
};

int32_t share_begin(struct share_tree *s, struct columns *k, const lsched_share_ops *ops,
                    void *self, struct view_cache *view);
/* Updates the tree after the amounts that a leaf queue uses have changed, or after the leaf queue
 * has become active or inactive. */
int32_t share_update(struct share_tree *s, const struct columns *k, uint32_t queue);
/* Returns the active leaf queue that the share algorithm puts first, NO_ROW if none is active. */
uint32_t share_best(const struct share_tree *s, const struct columns *k);
void share_close(struct share_tree *s, struct columns *k);

#endif
