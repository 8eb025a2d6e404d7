/*
 * share_cohort.c -- the share algorithm "cohort", after Kueue's fair sharing: serves first the
 * queue that borrows the smallest portion of the amounts that its cohort lends. docs/fair-share.md
 * compares the algorithm with Kueue.
 *
 *   own                of a queue: the larger of its quota and the sum of the amounts that its
 *                      children lend
 *   lent by a queue    min(lend limit, own)
 *   share of a queue   max over kinds of (used + want - own) / lendable / weight, or 0 if the queue
 *                      stays within its own amount; want is the amount that its next job needs
 *   cohort             a queue with its children; the roots are one cohort
 *   lendable           in a cohort: the larger of its quota and the amounts that its members lend,
 *                      plus the amount that the cohort above could lend to it, not above its limit
 *   order              queue priority, then smaller share. A queue with weight 0 that borrows comes
 *                      after all queues with a weight; such queues are ordered by the amounts that
 *                      they borrow, as if their weights were equal
 *
 * Guarantees and fair shares decide which queue can reclaim from which other queue. Both amounts
 * are computed as for `quota` (quota_tree.h), with two differences. The quota of a cohort is at
 * least the sum of its members' quotas. Members of weight 0 divide evenly the amounts that the
 * members with a weight leave. Unlike Kueue's shares, these amounts do not depend on the order of
 * evictions.
 *
 * If no queue has a quota of a kind, but some queue has a quota of another kind, the kind does not
 * count.
 *
 * Arithmetic: shares are integers with 40 fractional bits, rounded down. All shares above 2^21
 * count as equal. A queue with an unlimited quota lends the capacity of the cluster. Cost: begin
 * takes O(kinds * queues), update takes O(kinds).
 */
#include <string.h>

#include "algorithms/builtin.h"
#include "algorithms/share_quota/quota_follow.h"

#define COHORT_BITS 40
#define COHORT_MOST (((int64_t)1 << 61) - 1)
/* added to the shares of queues of weight 0, so that they are above all other shares */
#define SHARE_WEIGHTLESS ((int64_t)1 << 61)
#define COHORT_MILLI     1000

struct cohort {
    struct quota_tree tree;
    /* at [kind * (n_rows + 1) + row]; row n_rows stands for the cohort of the roots */
    int64_t *own;
    int64_t *lendable; /* indexed like `own`, in the same memory block */
    size_t bytes;
};

static int32_t cohort_create(const lsched_algorithm_env *env, void **self, lsched_error *err) {
    (void)err; /* the engine fills err for LSCHED_E_NOMEM */
    struct cohort *cohort = *self = env_new(env, sizeof *cohort);
    if (!cohort) return LSCHED_E_NOMEM;
    quota_tree_init(&cohort->tree, env);
    cohort->tree.adds_up = 1;
    cohort->tree.weightless_share = 1;
    return LSCHED_OK;
}

static void cohort_destroy(const lsched_algorithm_env *env, void *self) {
    struct cohort *cohort = self;
    if (!cohort) return;
    quota_tree_free(&cohort->tree);
    env_free(env, cohort->own, cohort->bytes);
    env->free(env->engine, cohort, sizeof *cohort);
}

/* Computes the own amounts of all queues, children before parents. Then computes the amounts that
 * cohorts can lend, parents before children. */
static void count_lendable(const struct cohort *cohort, const lsched_view *view, uint32_t kind) {
    const struct quota_tree *t = &cohort->tree;
    int64_t *own = cohort->own + (size_t)kind * (t->n_rows + 1);
    int64_t *lendable = cohort->lendable + (size_t)kind * (t->n_rows + 1);
    for (uint32_t q = 0; q <= t->n_rows; q++) own[q] = lendable[q] = 0;
    for (uint32_t at = t->n; at-- > 0;) {
        uint32_t q = t->order[at];
        uint32_t above = t->above[at] == LSCHED_NO_ROW ? t->n_rows : t->order[t->above[at]];
        int64_t quota = quota_smaller(view->queue_quota[kind][q], view->queue_limit[kind][q]);
        if (quota == LSCHED_UNLIMITED) quota = view->total_capacity[kind];
        if (quota > own[q]) own[q] = quota;
        own[above] = quota_add(own[above], quota_smaller(own[q], view->queue_lend[kind][q]));
    }
    lendable[t->n_rows] = own[t->n_rows];
    for (uint32_t at = 0; at < t->n; at++) {
        uint32_t q = t->order[at];
        uint32_t above = t->above[at] == LSCHED_NO_ROW ? t->n_rows : t->order[t->above[at]];
        int64_t kept = own[q] - quota_smaller(own[q], view->queue_lend[kind][q]);
        lendable[q] = quota_smaller(quota_add(kept, lendable[above]), view->queue_limit[kind][q]);
    }
}

static int32_t cohort_begin(void *self, const lsched_view *view) {
    struct cohort *cohort = self;
    struct quota_tree *t = &cohort->tree;
    size_t n = ((size_t)view->n_queues + 1) * view->n_kinds;
    t->n_rows = 0; /* cohort_update returns an error until cohort_begin has succeeded */
    if (env_renew(&t->env, &cohort->own, &cohort->bytes, 2 * n, sizeof *cohort->own) < 0)
        return LSCHED_E_NOMEM;
    cohort->lendable = cohort->own + n;
    int32_t code = quota_tree_begin(t, view);
    if (code < 0) return code;
    for (uint32_t kind = 1; kind < t->n_kinds; kind++) count_lendable(cohort, view, kind);
    return LSCHED_OK;
}

/* Returns one kind's contribution to the share of a queue: the amount that the queue borrows, as a
 * fraction of the amount that its cohort can lend, divided by the queue's weight. If the cohort
 * lends nothing, the fraction is that of the cluster's capacity. The result for a queue of weight 0
 * is above the results for all queues with a weight. */
static int64_t borrowed_part(int64_t borrowed, int64_t lendable, int64_t capacity,
                             int64_t weight_milli) {
    if (lendable <= 0) lendable = capacity;
    if (lendable <= 0) return weight_milli > 0 ? COHORT_MOST : SHARE_WEIGHTLESS;
    quota_u128 part = ((quota_u128)(uint64_t)borrowed << COHORT_BITS) / (uint64_t)lendable;
    if (weight_milli > 0) /* no overflow: the factors are below 2^102 and 2^10 */
        part = part * COHORT_MILLI / (uint64_t)weight_milli;
    int64_t share = part < (quota_u128)COHORT_MOST ? (int64_t)part : COHORT_MOST;
    return weight_milli > 0 ? share : SHARE_WEIGHTLESS + share;
}

static int32_t cohort_update(void *self, const lsched_view *view, uint32_t queue, uint32_t active,
                             uint32_t best_child, const int64_t *want, lsched_share_key *key) {
    const struct cohort *cohort = self;
    const struct quota_tree *t = &cohort->tree;
    (void)active;
    (void)best_child;
    if (queue >= t->n_rows) return LSCHED_E_STATE;
    uint32_t parent = view->queue_parent[queue];
    uint32_t above = parent == LSCHED_NO_ROW ? t->n_rows : parent;
    int64_t share = 0;
    for (uint32_t kind = 1; kind < t->n_kinds; kind++) {
        size_t row = (size_t)kind * (t->n_rows + 1);
        int64_t held = quota_add(view->queue_used[kind][queue], want[kind]);
        int64_t own = cohort->own[row + queue];
        if (held <= own || !(t->kinds >> kind & 1)) continue;
        int64_t part =
            borrowed_part(held - own, cohort->lendable[row + above], view->total_capacity[kind],
                          view->queue_weight_milli[kind][queue]);
        if (part > share) share = part;
    }
    key->word[0] = -(int64_t)view->queue_priority[queue];
    key->word[1] = share;
    return LSCHED_OK;
}

static int32_t cohort_amounts(void *self, const lsched_view *view, uint32_t queue, uint32_t kind,
                              int64_t *guarantee, int64_t *fair_share) {
    const struct cohort *cohort = self;
    (void)view;
    return quota_tree_amounts(&cohort->tree, queue, kind, guarantee, fair_share);
}

/* The own and the lendable amounts do not depend on demand. */
static int32_t cohort_follow(void *self, const lsched_view *view, const uint32_t *queues, size_t n,
                             void (*moved)(void *to, uint32_t queue), void *to) {
    struct cohort *cohort = self;
    return quota_follow(&cohort->tree, view, queues, n, moved, to);
}

static const lsched_share_ops cohort_ops = {
    .size = sizeof(lsched_share_ops),
    .uses_want = 1,
    .begin = cohort_begin,
    .update = cohort_update,
    .amounts = cohort_amounts,
    .follow = cohort_follow,
};

const lsched_algorithm share_cohort = {
    BUILTIN(SHARE),       .name = "cohort", .create = cohort_create, .destroy = cohort_destroy,
    .share = &cohort_ops,
};
