/*
 * quota_tree.h -- effective guarantees and fair shares of all queues, computed once per cycle.
 *
 * Per kind: guarantees from the root down (guarantee.h), then what queues can use and what they
 * keep back from the leaves up, then fair shares from the root down (water_fill.h), where what is
 * divided among the children of a queue is its own fair share.
 *
 *   need   leaf: min(demand, limit); inner: min(sum over its children, limit)
 *   kept   unused guarantee beyond the lend limit, the queue's own and of all below it: what a
 *          queue does not lend to its siblings is not lent to their cousins by its parent either
 *   total  root: capacity of ready nodes; below: the parent's claim
 *   step   whole GPUs where all that the siblings ask for is whole GPUs, else one unit. All, not
 *          what waits: a share that changed when a task is placed or evicted could make two
 *          queues take it from each other for ever
 *
 * A kind that no queue has a quota of, while some queue has a quota of another kind, counts as
 * unlimited for all: who guarantees GPUs alone does not mean that every task that also needs a CPU
 * is beyond its guarantee. Without any quota all guarantees are 0 and weights divide every kind.
 *
 * Invariant: a function of the view alone; siblings are taken in the order (creation, name), so the
 * numbers of rows do not matter. Cost: O(kinds * queues) and the sorts of siblings.
 */
#ifndef LIBSCHED_QUOTA_TREE_H
#define LIBSCHED_QUOTA_TREE_H

#include "algorithms/share_quota/queue_sibling.h"

struct quota_tree {
    lsched_algorithm_env env;
    void *block; /* holds the arrays; grows and stays */
    size_t block_bytes;
    uint32_t n_rows;      /* rows of queues that the arrays have; 0: begin has not worked */
    uint32_t n_kinds;     /* as in the view */
    uint32_t kinds;       /* bit of each kind that is accounted: not unlimited for all */
    int weightless_share; /* set by the owner: queues of weight 0 divide what the others leave */
    int adds_up; /* set by the owner: a queue's quota is at least the sum of its children's */
    uint32_t n;  /* queues */
    uint32_t n_roots;
    uint32_t *order;         /* rows, parents before children, siblings side by side */
    uint32_t *first, *count; /* by row: place of its first child in order, number of children */
    uint32_t *above;         /* by place: place of the parent, or LSCHED_NO_ROW */
    uint32_t *scratch;
    struct sibling *siblings; /* by place, of the kind in hand */
    int64_t *guarantee;       /* kind * n_rows + row */
    int64_t *fair_share;
};

void quota_tree_init(struct quota_tree *t, const lsched_algorithm_env *env);
void quota_tree_free(struct quota_tree *t);
int32_t quota_tree_begin(struct quota_tree *t, const lsched_view *view);
/* The `amounts` of lsched_share_ops. */
int32_t quota_tree_amounts(const struct quota_tree *t, uint32_t queue, uint32_t kind,
                           int64_t *guarantee, int64_t *fair_share);

#endif
