/*
 * quota_tree.h -- computes the guarantees in force and the fair shares of all queues, once per
 * cycle.
 *
 * For each resource kind, guarantees are computed from the root down (guarantee.h). Then needs and
 * kept amounts are computed from the leaves up, and fair shares from the root down (water_fill.h).
 * The amount that is divided among the children of a queue is the queue's own fair share.
 *
 *   need   leaf: min(demand, limit); inner queue: min(sum of its children's needs, limit)
 *   kept   unused guarantee beyond the lend limit, of the queue and of all queues below it: what a
 *          queue does not lend to its siblings, its parent does not lend to the parent's siblings
 *   total  amount that is divided: for roots the capacity of ready nodes; else the parent's
 *          `claim`
 *   step   a whole GPU if all demand of the siblings is in whole GPUs, else one base unit. Running
 *          work counts as well as waiting work: if a fair share changed whenever a task is placed
 *          or evicted, two queues could take it from each other for ever
 *
 * If no queue has a quota of a kind, but some queue has a quota of another kind, the kind counts as
 * unlimited for all queues. Otherwise a guarantee of GPUs alone would put every task that also
 * needs a CPU beyond its guarantee. If no queue has any quota, all guarantees are 0, and weights
 * divide every kind.
 *
 * Invariant: the result depends on the view alone. Siblings are processed in the order (creation,
 * name), so row numbers do not matter. Cost: O(kinds * queues), and the sorts of siblings.
 */
#ifndef LIBSCHED_QUOTA_TREE_H
#define LIBSCHED_QUOTA_TREE_H

#include "algorithms/share_quota/queue_sibling.h"

struct quota_tree {
    lsched_algorithm_env env;
    void *block; /* holds all arrays; grows and never shrinks */
    size_t block_bytes;
    /* queue rows that the arrays cover; 0: begin has failed or was not called */
    uint32_t n_rows;
    uint32_t n_kinds; /* as in the view */
    uint32_t kinds;   /* one bit per kind; 1: accounted (not unlimited for all queues) */
    /* set by the share algorithm; 1: queues of weight 0 divide what the others leave */
    int weightless_share;
    /* set by the share algorithm; 1: a queue's quota is at least the sum of its children's */
    int adds_up;
    uint32_t n; /* number of queues */
    uint32_t n_roots;
    uint32_t *order; /* queue rows, parents before children, siblings side by side */
    /* by row: position in `order` of the first child, and number of children */
    uint32_t *first, *count;
    uint32_t *above; /* by position in `order`: position of the parent, or LSCHED_NO_ROW */
    uint32_t *scratch;
    struct sibling *siblings; /* by position in `order`; holds the kind that is being computed */
    int64_t *guarantee;       /* at [kind * n_rows + row], as fair_share */
    int64_t *fair_share;
};

void quota_tree_init(struct quota_tree *t, const lsched_algorithm_env *env);
void quota_tree_free(struct quota_tree *t);
int32_t quota_tree_begin(struct quota_tree *t, const lsched_view *view);
/* Implements `amounts` of lsched_share_ops: the guarantee and the fair share of one queue and kind.
 * Returns LSCHED_E_STATE for a queue or kind out of range. */
int32_t quota_tree_amounts(const struct quota_tree *t, uint32_t queue, uint32_t kind,
                           int64_t *guarantee, int64_t *fair_share);

#endif
