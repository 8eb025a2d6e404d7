/*
 * share_drf.c -- the share algorithm "drf": weighted hierarchical dominant-resource fairness
 * (Ghodsi, NSDI'11; Bhattacharya, SoCC'13) with rescaling and blocked queues. docs/fair-share.md
 * derives the algorithm.
 *
 *   leaf or blocked queue   vector = the amounts that it holds, as fractions of the cluster per
 *                           kind
 *   other queue             vector = sum over children of vector_c * min(1, level / share_c), where
 *                           level is the share of the child that is served next
 *   share                   max over kinds of vector / weight; the smaller share is served first
 *
 * A queue is blocked if no job below it can be placed now. The level is an upper bound for the
 * amount that a child counts; the paper calls this rescaling. Without the bound, a child that holds
 * much of a kind that its siblings do not want would raise the parent's share and starve these
 * siblings. A blocked child counts with the amounts that it holds, up to the same bound. Therefore
 * a queue whose idle child holds half the cluster is not served as if it held nothing.
 *
 * Arithmetic: integers only, no floating point. Fractions and shares have 48 fractional bits,
 * ratios have 62; all are rounded down. A key is a share rounded to the nearest multiple of 2^-40,
 * so that rounding errors in the lower bits cannot decide ties. Weights are relative to the
 * heaviest sibling. A share above 2^15 is reduced to DRF_MOST. Such shares occur when a queue with
 * 1/32768 of its sibling's weight holds the whole cluster, or when the cluster lost capacity.
 *
 * Cost: an update takes O(kinds) if all siblings that hold resources compete and have equal
 * priority. It takes O(kinds * log children) if some of them are in the tree. A walk over the
 * children, as the formula suggests, would be too slow, because the cost of each placement would
 * grow with the number of queues.
 */
#include <string.h>

#include "algorithms/builtin.h"
#include "algorithms/share_drf/drf_tree.h"
#include "algorithms/support/algorithm_env.h"

#define DRF_FRACTION_BITS 48
#define DRF_RATIO_BITS    62
#define DRF_KEY_BITS      40
/* share of a queue with weight 0, which is larger than the shares of all other queues */
#define DRF_LAST     ((uint64_t)INT64_MAX)
#define DRF_MOST     (DRF_LAST - 1)
#define DRF_KEY_MOST ((int64_t)(DRF_MOST >> (DRF_FRACTION_BITS - DRF_KEY_BITS)))

struct drf {
    lsched_algorithm_env env;
    struct drf_table table;
    size_t row_bytes, lane_bytes; /* bytes of the two memory blocks, which never shrink */
    uint32_t n_rows;
    /* resource kind of each lane; kinds of which the cluster has nothing have no lane */
    uint32_t kinds[LSCHED_RESOURCE_KINDS_MAX];
};

static uint64_t clamp(drf_wide x, uint64_t most) {
    return x < most ? (uint64_t)x : most;
}

static struct drf_lane *share_drf_lanes_of(const struct drf *drf, uint32_t queue) {
    return drf->table.lanes + (uint64_t)queue * drf->table.n_lanes;
}

/* ---- creation and preparation ---- */

static int32_t drf_create(const lsched_algorithm_env *env, void **self, lsched_error *err) {
    (void)err; /* the engine fills err for LSCHED_E_NOMEM */
    struct drf *drf = *self = env_new(env, sizeof *drf);
    if (!drf) return LSCHED_E_NOMEM;
    drf->env = *env;
    return LSCHED_OK;
}

static void drf_destroy(const lsched_algorithm_env *env, void *self) {
    struct drf *drf = self;
    if (!drf) return;
    env_free(env, drf->table.rows, drf->row_bytes);
    env_free(env, drf->table.lanes, drf->lane_bytes);
    env->free(env->engine, drf, sizeof *drf);
}

/* Records facts about a queue in its parent's row: the largest weight and the priorities of the
 * children. The first update needs them. */
static void survey(struct drf *drf, const lsched_view *view, uint32_t queue) {
    uint32_t parent = view->queue_parent[queue];
    /* The root queues are siblings, too. Row n_queues stands for their common parent. */
    struct drf_row *above = &drf->table.rows[parent == LSCHED_NO_ROW ? view->n_queues : parent];
    for (uint32_t k = 0; k < drf->table.n_lanes; k++) {
        int64_t weight = view->queue_weight_milli[drf->kinds[k]][queue];
        if (weight > above->heaviest) above->heaviest = weight;
    }
    int32_t priority = view->queue_priority[queue];
    if (above->has_child && above->child_priority != priority) above->mixed = 1;
    above->has_child = 1;
    above->child_priority = priority;
}

static int32_t drf_begin(void *self, const lsched_view *view) {
    struct drf *drf = self;
    struct drf_table *t = &drf->table;
    uint64_t n = (uint64_t)view->n_queues + 1;
    uint32_t n_lanes = 0;
    uint32_t kinds[LSCHED_RESOURCE_KINDS_MAX];
    for (uint32_t kind = 1; kind < view->n_kinds; kind++)
        if (view->total_capacity[kind] > 0) kinds[n_lanes++] = kind;
    drf->n_rows = 0; /* drf_update returns an error until drf_begin has succeeded */
    int32_t code = env_renew(&drf->env, &t->rows, &drf->row_bytes, n, sizeof *t->rows);
    if (code < 0) return code;
    /* If the cluster has no kinds, one lane per queue is allocated nevertheless, so that the
     * address of a queue's lanes is valid. */
    uint64_t n_all = n * (n_lanes ? n_lanes : 1);
    code = env_renew(&drf->env, &t->lanes, &drf->lane_bytes, n_all, sizeof *t->lanes);
    if (code < 0) return code;
    t->n_lanes = n_lanes;
    drf->n_rows = view->n_queues;
    memcpy(drf->kinds, kinds, sizeof kinds[0] * n_lanes);
    memset(t->rows, 0, (size_t)n * sizeof(struct drf_row));
    memset(t->lanes, 0, (size_t)n_all * sizeof(struct drf_lane));
    for (uint32_t q = 0; q < n; q++) {
        struct drf_row *row = &t->rows[q];
        row->parent = row->left = row->right = row->root = DRF_NONE;
    }
    for (uint32_t q = 0; q < view->n_queues; q++)
        if (view->queue_live[q]) survey(drf, view, q);
    return LSCHED_OK;
}

/* ---- vectors and shares ---- */

/* Sets the queue's vector to the amounts that the queue holds, as fractions of the cluster. */
static void count_holding(const struct drf *drf, const lsched_view *view, uint32_t queue,
                          uint64_t *fraction) {
    for (uint32_t k = 0; k < drf->table.n_lanes; k++) {
        uint32_t kind = drf->kinds[k];
        int64_t used = view->queue_used[kind][queue];
        drf_wide wide = used > 0 ? (drf_wide)(uint64_t)used << DRF_FRACTION_BITS : 0;
        fraction[k] = clamp(wide / (uint64_t)view->total_capacity[kind], DRF_MOST);
    }
}

/* Returns floor(level * ratio). The product is computed in two steps, because the ratio can be a
 * sum over many children, and its product with the level possibly does not fit in 128 bits. */
static drf_wide share_drf_scale(uint64_t level, drf_wide ratio) {
    drf_wide behind_point = ratio & (((drf_wide)1 << DRF_RATIO_BITS) - 1);
    return level * (ratio >> DRF_RATIO_BITS) + (level * behind_point >> DRF_RATIO_BITS);
}

/* Sets the queue's vector to the sum over its children. Each child counts at most as much as at the
 * share `level`. */
static void count_children(const struct drf *drf, uint32_t queue, uint64_t level,
                           uint64_t *fraction) {
    const struct drf_table *t = &drf->table;
    const struct drf_lane *own = share_drf_lanes_of(drf, queue);
    drf_wide whole[LSCHED_RESOURCE_KINDS_MAX];
    drf_wide ratio[LSCHED_RESOURCE_KINDS_MAX];
    for (uint32_t k = 0; k < t->n_lanes; k++) {
        whole[k] = 0;
        ratio[k] = own[k].children;
    }
    drf_tree_sum(t, t->rows[queue].root, level, whole, ratio);
    for (uint32_t k = 0; k < t->n_lanes; k++)
        fraction[k] = clamp(whole[k] + share_drf_scale(level, ratio[k]), DRF_MOST);
}

static uint64_t drf_share_of(const struct drf *drf, const lsched_view *view, uint32_t queue,
                             const uint64_t *fraction) {
    uint32_t parent = view->queue_parent[queue];
    uint32_t above = parent == LSCHED_NO_ROW ? drf->n_rows : parent;
    int64_t heaviest = drf->table.rows[above].heaviest;
    int64_t own_heaviest = 0;
    uint64_t share = 0;
    for (uint32_t k = 0; k < drf->table.n_lanes; k++) {
        int64_t weight = view->queue_weight_milli[drf->kinds[k]][queue];
        uint64_t part = fraction[k];
        if (weight > own_heaviest) own_heaviest = weight;
        if (part && weight <= 0) return DRF_LAST;
        if (part && weight != heaviest)
            part = clamp((drf_wide)part * (uint64_t)heaviest / (uint64_t)weight, DRF_MOST);
        if (part > share) share = part;
    }
    return own_heaviest > 0 || drf->table.n_lanes == 0 ? share : DRF_LAST;
}

/* ---- the parent's sums ---- */

static void share_drf_take_out(struct drf *drf, uint32_t parent, uint32_t queue) {
    struct drf_row *row = &drf->table.rows[queue];
    if (row->place == DRF_IN_TREE) {
        drf_tree_remove(&drf->table, &drf->table.rows[parent].root, queue);
    } else if (row->place == DRF_IN_SUM) {
        const struct drf_lane *own = share_drf_lanes_of(drf, queue);
        struct drf_lane *sum = share_drf_lanes_of(drf, parent);
        for (uint32_t k = 0; k < drf->table.n_lanes; k++) sum[k].children -= own[k].ratio;
    }
    row->place = DRF_NOWHERE;
}

static void put_in(struct drf *drf, uint32_t parent, uint32_t queue, int in_sum) {
    struct drf_row *row = &drf->table.rows[queue];
    if (in_sum) {
        const struct drf_lane *own = share_drf_lanes_of(drf, queue);
        struct drf_lane *sum = share_drf_lanes_of(drf, parent);
        for (uint32_t k = 0; k < drf->table.n_lanes; k++) sum[k].children += own[k].ratio;
        row->place = DRF_IN_SUM;
    } else {
        drf_tree_insert(&drf->table, &drf->table.rows[parent].root, queue);
        row->place = DRF_IN_TREE;
    }
}

/* Stores the queue's new share and vector, and changes the parent's sums accordingly. Two sorts of
 * children are in none of the parent's sums: a child that holds nothing, and a child of weight 0,
 * because rescaling reduces its vector to 0. A queue without a parent has no ratios. */
static void replace(struct drf *drf, const lsched_view *view, uint32_t queue, int active,
                    uint64_t share, const uint64_t *fraction) {
    struct drf_table *t = &drf->table;
    uint32_t parent = view->queue_parent[queue];
    struct drf_lane *own = share_drf_lanes_of(drf, queue);
    if (parent != LSCHED_NO_ROW) share_drf_take_out(drf, parent, queue);
    t->rows[queue].share = share;
    int counts = share != 0 && share != DRF_LAST && parent != LSCHED_NO_ROW;
    for (uint32_t k = 0; k < t->n_lanes; k++) {
        own[k].fraction = fraction[k];
        own[k].ratio = counts ? (uint64_t)(((drf_wide)fraction[k] << DRF_RATIO_BITS) / share) : 0;
    }
    if (!counts) return;
    /* If all children have one priority, the level is the smallest share of the active children.
     * Then no active child is below the level, and a plain sum of their ratios is enough. Any other
     * child can be below or above the level, so it is kept in the tree. */
    put_in(drf, parent, queue, active && !t->rows[parent].mixed);
}

static int32_t drf_update(void *self, const lsched_view *view, uint32_t queue, uint32_t active,
                          uint32_t best_child, const int64_t *want, lsched_share_key *key) {
    (void)want;
    struct drf *drf = self;
    if (queue >= drf->n_rows || (best_child != LSCHED_NO_ROW && best_child >= drf->n_rows))
        return LSCHED_E_STATE;
    uint64_t fraction[LSCHED_RESOURCE_KINDS_MAX] = {0};
    uint64_t level = DRF_LAST;
    if (active && best_child != LSCHED_NO_ROW) level = drf->table.rows[best_child].share;
    if (level == DRF_LAST)
        count_holding(drf, view, queue, fraction);
    else
        count_children(drf, queue, level, fraction);
    uint64_t share = drf_share_of(drf, view, queue, fraction);
    replace(drf, view, queue, active != 0, share, fraction);
    key->word[0] = -(int64_t)view->queue_priority[queue];
    if (share == DRF_LAST) {
        key->word[1] = INT64_MAX;
    } else {
        const uint32_t drop = DRF_FRACTION_BITS - DRF_KEY_BITS;
        uint64_t rounded = (share >> drop) + (share >> (drop - 1) & 1);
        key->word[1] = (int64_t)rounded < DRF_KEY_MOST ? (int64_t)rounded : DRF_KEY_MOST;
    }
    return LSCHED_OK;
}

static const lsched_share_ops drf_ops = {
    .size = sizeof(lsched_share_ops),
    .local_keys = 1,
    .begin = drf_begin,
    .dominant = 1,
    .update = drf_update,
};

const lsched_algorithm share_drf = {
    BUILTIN(SHARE), .name = "drf", .create = drf_create, .destroy = drf_destroy, .share = &drf_ops,
};
