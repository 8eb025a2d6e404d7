/*
 * quota_tree.h -- computes the guarantees in force and the fair shares of all queues, once per
 * cycle.
 *
 * For each resource kind, guarantees are computed from the root down (guarantee.h). Then needs and
 * kept amounts are computed from the leaves up. At last fair shares are computed from the root down
 * (water_fill.h). The amount that is divided among the children of a queue is the queue's own fair
 * share.
 *
 *   need   leaf: min(demand, limit); inner queue: min(sum of its children's needs, limit)
 *   kept   unused guarantee beyond the lend limit, of the queue and of all queues below it. If a
 *          queue does not lend an amount to its siblings, its parent does not lend it either
 *   total  amount that is divided: for roots the capacity of ready nodes; else the parent's
 *          `claim`
 *   step   a whole GPU if all demand of the siblings is in whole GPUs, else one base unit
 *
 * Demand includes running work as well as waiting work. Otherwise a fair share would change
 * whenever a task is placed or evicted, and two queues could reclaim the same room from each other
 * for ever.
 *
 * If no queue has a quota of a kind, but some queue has a quota of another kind, the kind counts as
 * unlimited for all queues. Otherwise, with quotas for GPUs alone, every task that also needs a CPU
 * would be beyond its queue's guarantee. If no queue has any quota, all guarantees are 0, and
 * weights divide every kind.
 *
 * Invariant: the result depends only on the view. Siblings are processed in the order (creation,
 * name), so row numbers do not matter. Cost: O(kinds * queues), and the sorts of siblings. The
 * values of all kinds are kept, so that quota_follow.h brings the amounts up to date at less cost
 * when only demand has changed.
 */
#ifndef LIBSCHED_QUOTA_TREE_H
#define LIBSCHED_QUOTA_TREE_H

#include "algorithms/share_quota/water_fill.h"

#define QUOTA_WHOLE_GPU ((int64_t)1000)

/* Siblings of one resource kind, and how an amount was divided among them. */
struct quota_group {
    struct fill_state fill;
    int64_t total;     /* amount that was divided */
    uint32_t first, n; /* positions of the siblings in `order` */
    uint32_t uneven;   /* number of siblings whose `uneven` is 1 */
    /* scratch of quota_follow.h */
    uint32_t changed;   /* first changed sibling, 1 + position; 0: none */
    uint8_t is_dirty;   /* 1: the group is in the heap of groups to look at */
    uint8_t is_general; /* 1: claims of unchanged siblings can change, too */
};

struct quota_tree {
    lsched_algorithm_env env;
    void *block; /* memory block of all arrays; it can grow, but never shrinks */
    size_t block_bytes;
    /* number of queue rows for which the arrays are valid; 0 if quota_tree_begin has failed or was
     * not called */
    uint32_t n_rows;
    uint32_t n_kinds; /* number of resource kinds, as in the view */
    /* bit i is 1 if quotas of kind i count, and 0 if the kind is unlimited for all queues */
    uint32_t kinds;
    /* set by the share algorithm; 1: queues of weight 0 divide the amounts that queues with a
     * weight leave */
    int weightless_share;
    /* set by the share algorithm; 1: a queue's quota is at least the sum of its children's
     * quotas */
    int adds_up;
    uint32_t n; /* number of queues */
    uint32_t n_roots;
    /* rows of all queues; parents come before children, and siblings are side by side */
    uint32_t *order;
    /* indexed by row: position in `order` of the queue's first child, and number of its children */
    uint32_t *first, *count;
    /* indexed by position in `order`: position in `order` of the queue's parent, or
     * LSCHED_NO_ROW */
    uint32_t *above;
    uint32_t *scratch;
    /* indexed by row: position in `order`. Indexed by position: number of the group of the queue's
     * children, 0 if it has none */
    uint32_t *at_of, *group_of;
    /* values of all resource kinds from 1 on, `n` for each kind */
    struct sibling *all;
    /* indexed by position in `order`: those of one resource kind, for the time of a computation */
    struct sibling *siblings;
    /* [n_kinds * n_groups]: divisions. Group 0 are the roots; the groups below follow in the
     * sequence of `order`, so the group of a queue comes before those of its children */
    struct quota_group *groups;
    uint32_t n_groups;
    size_t group_bytes;
    uint32_t *dirty; /* [n_groups]: heap of groups that quota_follow() has to look at */
    size_t dirty_bytes;
    /* guarantee of each queue at [kind * n_rows + row]; fair_share has the same form */
    int64_t *guarantee;
    int64_t *fair_share;
};

void quota_tree_init(struct quota_tree *t, const lsched_algorithm_env *env);
void quota_tree_free(struct quota_tree *t);
int32_t quota_tree_begin(struct quota_tree *t, const lsched_view *view);
/* Makes t->siblings the values of the kind. Without queues there are none. */
static inline void quota_tree_kind(struct quota_tree *t, uint32_t kind) {
    if (t->n) t->siblings = t->all + (size_t)(kind - 1) * t->n;
}
/* Divides the total of a group among its siblings again. For quota_follow.c. */
void quota_tree_fill(struct quota_tree *t, struct quota_group *g, uint32_t kind,
                     int64_t usage_weight_milli);
/* Implements the operation `amounts` of lsched_share_ops: sets the guarantee and the fair share of
 * one queue for one kind. Returns LSCHED_E_STATE if the queue or the kind is out of range. */
int32_t quota_tree_amounts(const struct quota_tree *t, uint32_t queue, uint32_t kind,
                           int64_t *guarantee, int64_t *fair_share);

#endif
