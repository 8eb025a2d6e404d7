/*
 * share_cohort.c -- share "cohort": who borrows least of what its cohort lends goes first, after
 * Kueue's fair sharing. docs/fair-share.md compares the two.
 *
 *   own                of a queue: the larger of its quota and what its children lend
 *   lent by a queue    min(lend limit, own)
 *   share of a queue   max over kinds of (used + want - own) / lendable / weight, 0 if it stays
 *                      within its own, where want is what its next job needs
 *   lendable           in a cohort (a queue with its children; the roots are one): what its members
 *                      lend, or its own quota if larger, and what its own cohort could lend to it,
 *                      not above its limit
 *   order              queue priority, then smaller share; weight 0 and borrowing: behind all that
 *                      have a weight, among each other by what they borrow, as if of equal weight
 *
 * What may be taken back from whom is a question of guarantees and fair shares, which are those of
 * `quota` (quota_tree.h), with two differences: the quota of a cohort is at least the sum of its
 * members', and members of weight 0 divide evenly what those with a weight leave. Unlike Kueue's
 * shares, they do not change with the order of evictions.
 *
 * A kind that nobody has a quota of, while others have one, does not count.
 *
 * Arithmetic: integers, shares with 40 bits behind the point, rounded down; past 2^21 all are
 * equal. An unlimited quota lends what the cluster has. Cost: begin O(kinds * queues), update
 * O(kinds).
 */
#include <string.h>

#include "algorithms/share_quota/quota_tree.h"
#include "algorithms/support/share_order.h"

#define COHORT_BITS      40
#define COHORT_MOST      (((int64_t)1 << 61) - 1)
#define SHARE_WEIGHTLESS ((int64_t)1 << 61) /* and up: parts of queues of weight 0 */
#define COHORT_MILLI     1000

struct cohort {
    struct quota_tree tree;
    int64_t *own;      /* kind * (n_rows + 1) + row; the roots' cohort is row n_rows */
    int64_t *lendable; /* likewise; shares a block with own */
    size_t bytes;
};

static int32_t cohort_create(const lsched_algorithm_env *env, void **self, lsched_error *err) {
    (void)err; /* the engine words E_NOMEM */
    struct cohort *cohort = env->alloc(env->engine, sizeof *cohort);
    if (!cohort) return LSCHED_E_NOMEM;
    memset(cohort, 0, sizeof *cohort);
    quota_tree_init(&cohort->tree, env);
    cohort->tree.adds_up = 1;
    cohort->tree.weightless_share = 1;
    *self = cohort;
    return LSCHED_OK;
}

static void cohort_destroy(const lsched_algorithm_env *env, void *self) {
    struct cohort *cohort = self;
    if (!cohort) return;
    quota_tree_free(&cohort->tree);
    if (cohort->own) env->free(env->engine, cohort->own, cohort->bytes);
    env->free(env->engine, cohort, sizeof *cohort);
}

static int64_t share_cohort_smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Own amounts from the leaves up, then from the roots down what cohorts can lend. */
static void count_lendable(const struct cohort *cohort, const lsched_view *view, uint32_t kind) {
    const struct quota_tree *t = &cohort->tree;
    int64_t *own = cohort->own + (size_t)kind * (t->n_rows + 1);
    int64_t *lendable = cohort->lendable + (size_t)kind * (t->n_rows + 1);
    for (uint32_t q = 0; q <= t->n_rows; q++) own[q] = lendable[q] = 0;
    for (uint32_t at = t->n; at-- > 0;) {
        uint32_t q = t->order[at];
        uint32_t above = t->above[at] == LSCHED_NO_ROW ? t->n_rows : t->order[t->above[at]];
        int64_t quota =
            share_cohort_smaller(view->queue_quota[kind][q], view->queue_limit[kind][q]);
        if (quota == LSCHED_UNLIMITED) quota = view->total_capacity[kind];
        if (quota > own[q]) own[q] = quota;
        own[above] = quota_add(own[above], share_cohort_smaller(own[q], view->queue_lend[kind][q]));
    }
    lendable[t->n_rows] = own[t->n_rows];
    for (uint32_t at = 0; at < t->n; at++) {
        uint32_t q = t->order[at];
        uint32_t above = t->above[at] == LSCHED_NO_ROW ? t->n_rows : t->order[t->above[at]];
        int64_t kept = own[q] - share_cohort_smaller(own[q], view->queue_lend[kind][q]);
        lendable[q] =
            share_cohort_smaller(quota_add(kept, lendable[above]), view->queue_limit[kind][q]);
    }
}

static int32_t cohort_begin(void *self, const lsched_view *view) {
    struct cohort *cohort = self;
    struct quota_tree *t = &cohort->tree;
    size_t n = ((size_t)view->n_queues + 1) * view->n_kinds;
    size_t needed = 2 * n * sizeof cohort->own[0];
    t->n_rows = 0; /* until all of this has worked there is nothing to update */
    if (needed > cohort->bytes) {
        int64_t *own = t->env.alloc(t->env.engine, needed * 2);
        if (!own) return LSCHED_E_NOMEM;
        if (cohort->own) t->env.free(t->env.engine, cohort->own, cohort->bytes);
        cohort->own = own;
        cohort->bytes = needed * 2;
    }
    cohort->lendable = cohort->own + n;
    int32_t code = quota_tree_begin(t, view);
    if (code < 0) return code;
    for (uint32_t kind = 1; kind < t->n_kinds; kind++) count_lendable(cohort, view, kind);
    return LSCHED_OK;
}

/* What the queue borrows of one kind, as a part of what its cohort lends, by weight; of what the
 * cluster has if the cohort lends nothing. Any part of a queue of weight 0 is above all others. */
static int64_t borrowed_part(int64_t borrowed, int64_t lendable, int64_t capacity,
                             int64_t weight_milli) {
    if (lendable <= 0) lendable = capacity;
    if (lendable <= 0) return weight_milli > 0 ? COHORT_MOST : SHARE_WEIGHTLESS;
    quota_u128 part = ((quota_u128)(uint64_t)borrowed << COHORT_BITS) / (uint64_t)lendable;
    if (weight_milli > 0)
        part = part * COHORT_MILLI / (uint64_t)weight_milli; /* below 2^102 * 2^10 */
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

static const lsched_share_ops cohort_ops = {
    .size = sizeof(lsched_share_ops),
    .uses_want = 1,
    .begin = cohort_begin,
    .update = cohort_update,
    .amounts = cohort_amounts,
};

const lsched_algorithm share_cohort = {
    .size = sizeof(lsched_algorithm),
    .api = LSCHED_ALGORITHM_API,
    .role = LSCHED_ROLE_SHARE,
    .name = "cohort",
    .create = cohort_create,
    .destroy = cohort_destroy,
    .share = &cohort_ops,
};
