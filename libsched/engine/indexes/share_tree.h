/*
 * share_tree.h -- descending the queue tree to the most deserving leaf with work.
 *
 * Every queue has the key that the share algorithm gave it; the active children of a queue (and the
 * roots, as children of a virtual one) form a binary heap by (key, creation time, name). A change
 * at a leaf updates the keys on its path to the root and their places: O(depth x log children). The
 * arrays are a cache, built anew at each cycle from the columns in O(queues).
 */
#ifndef LIBSCHED_SHARE_TREE_H
#define LIBSCHED_SHARE_TREE_H

#include "engine/indexes/view.h"

struct share_tree {
    const lsched_share_ops *ops;
    void *self;
    const lsched_view *view;
    int64_t *head_order;   /* the view's, by queue row: order key of the first job of a leaf */
    uint32_t cap;          /* queue rows that fit */
    lsched_share_key *key; /* by queue row */
    uint32_t
        *heap_of; /* [cap + 1]: first item of the children's heap; row cap is the virtual root */
    uint32_t *heap_n; /* active children */
    uint32_t *items;  /* rows of queues */
    uint32_t *place;  /* place in the parent's heap, NO_ROW if not active */
    uint32_t *order;  /* children before parents */
    int64_t *want;    /* [cap x KINDS_MAX]: what the first job below needs next */
};

int32_t share_begin(struct share_tree *s, struct columns *k, const lsched_share_ops *ops,
                    void *self, struct view_cache *view);
/* The use or the activity of a leaf queue changed. */
int32_t share_update(struct share_tree *s, const struct columns *k, uint32_t queue);
/* The most deserving active leaf queue, NO_ROW if none. */
uint32_t share_best(const struct share_tree *s, const struct columns *k);
void share_close(struct share_tree *s, struct columns *k);

#endif
