/*
 * share_tree.h -- finds the leaf queue that gets the next task: the first leaf queue with waiting
 * jobs in the order of the share algorithm.
 *
 * Every queue has a key that the share algorithm computed. A queue is active if the queue, or a
 * queue below it, has waiting jobs to try. The active children of a queue form a binary heap, in
 * the order of key, creation time and name. Queues without a parent are the children of a virtual
 * root. After a change at a leaf queue, the keys of all queues on its path to the root, and the
 * positions of these queues in the heaps, are updated in O(depth x log children).
 *
 * The tree and the algorithm's own data are a cache that is kept between cycles. share_begin()
 * reads the log of changed queues (columns.h) and does the least that gives the same tree as a new
 * one: nothing if no queue has changed; the paths of the changed queues if the keys of the
 * algorithm are local (lsched_share_ops.local_keys); these, the queues whose fair share moved and
 * the active queues, whose first jobs are in no log, if the algorithm can say what moved
 * (lsched_share_ops.follow); otherwise it builds all arrays again in O(queues). It also builds them
 * again if queues, capacities or the terms of a queue changed, and while decayed use is kept,
 * because decayed use changes with time.
 *
 * A parent can also have an offer: a leaf queue that competes with the active children although
 * none of its bundles is active (room_line.h). The tree treats it like an active child.
 *
 * Why not a list of changed queues that their writers fill: a writer that forgets the list would
 * give a wrong order, and a rollback would have to undo the list. Each write of a column of a
 * queue goes through a setter, which fills the log.
 */
#ifndef LIBSCHED_SHARE_TREE_H
#define LIBSCHED_SHARE_TREE_H

#include "engine/indexes/view.h"

struct share_tree {
    const lsched_share_ops *ops;
    void *self;
    int valid; /* 1 if the tree was complete when share_begin() last ended */
    /* 1 if share_begin() has changed the tree since the last call of share_take_news() */
    int news;
    uint64_t seen; /* position up to which the log of changed queues is read */
    /* values of these members of columns.h when all arrays were last built */
    uint64_t structure, terms;
    int64_t usage_weight; /* weight of decayed use at that time */
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
    uint32_t n_order, n_roots;
    /* by queue row, if the algorithm uses wants: bundle whose first job counts as the first job of
     * the queue while the queue is an offer, NO_ROW if there is none */
    uint32_t *lead;
    /* scratch of share_begin(): queues that changed or are active, and queues whose guarantee or
     * fair share moved. n_moved is UINT32_MAX if so many moved that they are not listed */
    uint32_t *list, *moved;
    uint32_t n_list, cap_list, n_moved, cap_moved;
    struct alloc *alloc; /* of the list `moved` while the algorithm fills it */
    uint32_t *offer; /* [cap + 1], by queue row: the offer of the queue, NO_ROW if there is none */
    /* 1 if queues with a parent differ in priority from a sibling */
    int mixed;
    /* queues whose key has changed; if the algorithm uses wants, also leaf queues whose key with
     * another first job can have changed */
    struct touch_log changed;
    /* [cap x KINDS_MAX]: amounts that the first job in or below the queue needs next */
    int64_t *want;
};

/* Brings the tree up to date. Error: LSCHED_E_NOMEM or an error of the share algorithm. */
int32_t share_begin(struct share_tree *s, struct columns *k, const lsched_share_ops *ops,
                    void *self, struct view_cache *view);
/* Updates the tree after the amounts that a leaf queue uses have changed, or after the leaf queue
 * has become active or inactive. */
int32_t share_update(struct share_tree *s, const struct columns *k, uint32_t queue);
/* Makes a child the offer of its parent, or removes the offer (queue: NO_ROW). parent: row of a
 * queue, or share_root() for root queues. bundle: the bundle that the queue would try first, which
 * counts if the algorithm uses wants. Updates the path of the parent. */
int32_t share_offer(struct share_tree *s, const struct columns *k, uint32_t parent, uint32_t queue,
                    uint32_t bundle);
/* Sets *key to the key that a leaf queue would have if this bundle were the first active one. */
int32_t share_key_with(struct share_tree *s, const struct columns *k, uint32_t queue,
                       uint32_t bundle, lsched_share_key *key);
/* Lists the active queues in s->list, s->n_list of them, parents before children. Error:
 * LSCHED_E_NOMEM. */
int32_t share_list_active(struct share_tree *s, const struct columns *k);
/* True if bundles can wake in the order of shares: keys are kept, and follow each change. */
static inline int share_keeps_keys(const lsched_share_ops *ops) {
    return ops->local_keys || ops->follow;
}
static inline uint32_t share_root(const struct share_tree *s) {
    return s->cap;
}
/* Returns the parent of a queue in the sense of share_offer. */
static inline uint32_t share_parent(const struct share_tree *s, const struct columns *k,
                                    uint32_t queue) {
    uint32_t p = k->c[C_QUEUE_PARENT].u32[queue];
    return p == NO_ROW ? s->cap : p;
}
/* True if a queue with key_a is before a queue with key_b in the order of key, creation time and
 * name. a, b: rows of the queues. */
int share_key_before(const struct columns *k, const lsched_share_key *key_a, uint32_t a,
                     const lsched_share_key *key_b, uint32_t b);
/* True if queue a is served before its sibling b, if both have work that can be tried. */
int share_comes_first(const struct share_tree *s, const struct columns *k, uint32_t a, uint32_t b);
/* Returns the active leaf queue that the share algorithm puts first, NO_ROW if none is active. */
uint32_t share_best(const struct share_tree *s, const struct columns *k);
/* Makes the next share_begin() build all arrays again, because the algorithm's own data are gone or
 * were used for something else. */
static inline void share_forget(struct share_tree *s) {
    s->valid = 0;
}
/* Returns `news`, and sets it to 0. */
static inline int share_take_news(struct share_tree *s) {
    int news = s->news;
    s->news = 0;
    return news;
}
/* Returns the rows of the root queues, *n of them, as of the last share_begin() that built all
 * arrays. The rows are valid until the structure of the cluster changes. */
static inline const uint32_t *share_roots(const struct share_tree *s, uint32_t *n) {
    *n = s->n_roots;
    return s->order + (s->n_order - s->n_roots);
}
void share_close(struct share_tree *s, struct columns *k);

#endif
