/* quota_tree.c -- see quota_tree.h. */
#include "algorithms/share_quota/quota_tree.h"

#include <string.h>

#include "algorithms/share_quota/guarantee.h"
#include "base/sort.h"

void quota_tree_init(struct quota_tree *t, const lsched_algorithm_env *env) {
    memset(t, 0, sizeof *t);
    t->env = *env;
}

void quota_tree_free(struct quota_tree *t) {
    env_free(&t->env, t->block, t->block_bytes);
    env_free(&t->env, t->groups, t->group_bytes);
    env_free(&t->env, t->dirty, t->dirty_bytes);
    memset(t, 0, sizeof *t);
}

/* ---- the arrays ---- */

/* Allocates all arrays in one block. Arrays with wider elements come first, so that all arrays are
 * aligned. */
static int32_t quota_tree_make_room(struct quota_tree *t, const lsched_view *view) {
    size_t rows = view->n_queues;
    size_t each = (view->n_kinds - 1) * sizeof(struct sibling) +
                  2 * view->n_kinds * sizeof(int64_t) + 7 * sizeof(uint32_t);
    if (env_renew(&t->env, &t->block, &t->block_bytes, rows, each) < 0) return LSCHED_E_NOMEM;
    if (!t->block) return LSCHED_OK; /* without queues there is no block, and no array is read */
    t->all = t->block;
    t->guarantee = (int64_t *)(t->all + (view->n_kinds - 1) * rows);
    t->fair_share = t->guarantee + view->n_kinds * rows;
    t->order = (uint32_t *)(t->fair_share + view->n_kinds * rows);
    t->first = t->order + rows;
    t->count = t->first + rows;
    t->above = t->count + rows;
    t->scratch = t->above + rows;
    t->at_of = t->scratch + rows;
    t->group_of = t->at_of + rows;
    return LSCHED_OK;
}

static int older(const lsched_view *view, uint32_t a, uint32_t b) {
    int64_t x = view->queue_created_us[a], y = view->queue_created_us[b];
    if (x != y) return x < y;
    if (view->queue_name_rank[a] != view->queue_name_rank[b])
        return view->queue_name_rank[a] < view->queue_name_rank[b];
    return a < b; /* not reached: names are unique */
}

SORT_IN_PLACE(sort_by_age, uint32_t, const lsched_view *, older)

/* Appends the queues of a linked list to t->order, the oldest queue first. The list begins at `row`
 * and is linked by `next`. `above` is the parent's position in t->order. */
static void append(struct quota_tree *t, const lsched_view *view, uint32_t row,
                   const uint32_t *next, uint32_t above) {
    uint32_t begin = t->n;
    for (; row != LSCHED_NO_ROW; row = next[row]) {
        t->above[t->n] = above;
        t->order[t->n++] = row;
    }
    uint32_t n = t->n - begin;
    if (n < 2) return; /* with n == 0, t->order can be NULL */
    /* usually the list is sorted already, because later queues have larger rows */
    uint32_t *list = t->order + begin;
    if (!sort_by_age_is_done(view, list, n)) sort_by_age(view, list, n);
}

/* Sets the order of the queue tree: builds linked lists of children, then visits the tree breadth
 * first. Until a queue is visited, count[q] holds its first child. During this function, `scratch`
 * holds the next sibling of each queue. */
static void quota_tree_lay_out(struct quota_tree *t, const lsched_view *view) {
    uint32_t *next = t->scratch;
    uint32_t roots = LSCHED_NO_ROW;
    t->n = 0;
    for (uint32_t q = 0; q < view->n_queues; q++) t->count[q] = LSCHED_NO_ROW;
    for (uint32_t q = view->n_queues; q-- > 0;) {
        if (!view->queue_live[q]) continue;
        uint32_t parent = view->queue_parent[q];
        uint32_t *list = parent == LSCHED_NO_ROW ? &roots : &t->count[parent];
        next[q] = *list;
        *list = q;
    }
    append(t, view, roots, next, LSCHED_NO_ROW);
    t->n_roots = t->n;
    t->n_groups = 1;
    for (uint32_t at = 0; at < t->n; at++) {
        uint32_t q = t->order[at];
        t->first[q] = t->n;
        append(t, view, t->count[q], next, at);
        t->count[q] = t->n - t->first[q];
        t->at_of[q] = at;
        t->group_of[at] = t->count[q] ? t->n_groups++ : 0;
    }
}

/* Makes the groups of siblings, which quota_tree_lay_out() has counted. */
static int32_t make_groups(struct quota_tree *t) {
    size_t n = (size_t)t->n_groups * t->n_kinds;
    if (env_renew(&t->env, &t->groups, &t->group_bytes, n, sizeof *t->groups) < 0 ||
        env_renew(&t->env, &t->dirty, &t->dirty_bytes, t->n_groups, sizeof *t->dirty) < 0)
        return LSCHED_E_NOMEM;
    memset(t->groups, 0, n * sizeof *t->groups);
    for (uint32_t kind = 0; kind < t->n_kinds; kind++) {
        struct quota_group *groups = t->groups + (size_t)kind * t->n_groups;
        groups[0].n = t->n_roots;
        for (uint32_t at = 0; at < t->n; at++) {
            uint32_t q = t->order[at];
            if (!t->count[q]) continue;
            groups[t->group_of[at]].first = t->first[q];
            groups[t->group_of[at]].n = t->count[q];
        }
    }
    return LSCHED_OK;
}

/* ---- one resource kind ---- */

static int has_quota(const struct quota_tree *t, const lsched_view *view, uint32_t kind) {
    for (uint32_t at = 0; at < t->n; at++)
        if (view->queue_quota[kind][t->order[at]] > 0) return 1;
    return 0;
}

static void quota_tree_load(struct quota_tree *t, const lsched_view *view, uint32_t kind,
                            int accounted) {
    for (uint32_t at = 0; at < t->n; at++) {
        uint32_t q = t->order[at];
        struct sibling *s = &t->siblings[at];
        int64_t quota = accounted ? view->queue_quota[kind][q] : LSCHED_UNLIMITED;
        memset(s, 0, sizeof *s);
        s->limit = view->queue_limit[kind][q];
        s->quota = quota == LSCHED_UNLIMITED ? quota : quota_smaller(quota, s->limit);
        s->lend = view->queue_lend[kind][q];
        s->weight = view->queue_weight_milli[kind][q];
        s->used_ppm = view->queue_decayed_ppm[kind][q];
        s->priority = view->queue_priority[q];
    }
}

/* Raises the quota of each queue to at least the sum of its children's quotas. The member `basis`
 * holds this sum for now, because guarantee_divide sets it only later. */
static void add_up_quotas(struct quota_tree *t, int64_t capacity) {
    for (uint32_t at = t->n; at-- > 0;) {
        struct sibling *s = &t->siblings[at];
        if (s->quota != LSCHED_UNLIMITED && s->basis > s->quota)
            s->quota = quota_smaller(s->basis, s->limit);
        if (t->above[at] == LSCHED_NO_ROW) continue;
        struct sibling *parent = &t->siblings[t->above[at]];
        int64_t quota = s->quota == LSCHED_UNLIMITED ? capacity : s->quota;
        parent->basis = quota_add(parent->basis, quota);
    }
}

/* Returns the step in which guarantees are divided: a whole device if the basis and all quotas are
 * whole devices, else 1. Demand does not count here. */
static int64_t quota_step(const struct sibling *siblings, uint32_t n, uint32_t kind,
                          int64_t basis) {
    if (kind != LSCHED_GPU || basis % QUOTA_WHOLE_GPU) return 1;
    for (uint32_t i = 0; i < n; i++)
        if (siblings[i].quota != LSCHED_UNLIMITED && siblings[i].quota % QUOTA_WHOLE_GPU) return 1;
    return QUOTA_WHOLE_GPU;
}

static void guarantee_all(struct quota_tree *t, uint32_t kind, int64_t capacity) {
    struct sibling *all = t->siblings;
    guarantee_divide(all, t->n_roots, capacity, 1, quota_step(all, t->n_roots, kind, capacity),
                     t->scratch);
    for (uint32_t at = 0; at < t->n; at++) {
        uint32_t q = t->order[at];
        struct sibling *children = all + t->first[q];
        if (t->count[q] == 0) continue;
        guarantee_divide(children, t->count[q], all[at].basis,
                         all[at].guarantee == LSCHED_UNLIMITED,
                         quota_step(children, t->count[q], kind, all[at].basis), t->scratch);
    }
}

/* Computes for each queue, children before parents: the amount that the queue can use, and the
 * guarantees that it and the queues below it do not lend. */
static void need_all(struct quota_tree *t, const lsched_view *view, uint32_t kind) {
    for (uint32_t at = t->n; at-- > 0;) {
        uint32_t q = t->order[at];
        struct sibling *s = &t->siblings[at];
        if (t->count[q] == 0) {
            s->need = view->queue_demand[kind][q];
            s->uneven = s->need % QUOTA_WHOLE_GPU != 0;
        }
        s->below = s->need;
        s->need = quota_smaller(s->need, s->limit);
        if (t->above[at] == LSCHED_NO_ROW) continue;
        struct sibling *parent = &t->siblings[t->above[at]];
        parent->need = quota_add(parent->need, s->need);
        parent->kept_below = quota_add(parent->kept_below, quota_add(s->kept_below, water_kept(s)));
        parent->uneven |= s->uneven;
    }
}

void quota_tree_fill(struct quota_tree *t, struct quota_group *g, uint32_t kind,
                     int64_t usage_weight_milli) {
    if (g->n == 0) return; /* without queues there is no memory to read */
    struct sibling *siblings = t->siblings + g->first;
    struct fill_rules rules = {.total = g->total,
                               .usage_weight_milli = usage_weight_milli,
                               .weightless_share = t->weightless_share};
    g->uneven = 0;
    for (uint32_t i = 0; i < g->n; i++) g->uneven += siblings[i].uneven;
    rules.step = kind == LSCHED_GPU && !g->uneven ? QUOTA_WHOLE_GPU : 1;
    water_fill(siblings, g->n, &rules, t->scratch, &g->fill);
}

static void share_all(struct quota_tree *t, const lsched_view *view, uint32_t kind) {
    struct quota_group *groups = t->groups + (size_t)kind * t->n_groups;
    groups[0].total = view->total_capacity[kind];
    quota_tree_fill(t, groups, kind, view->usage_weight_milli);
    for (uint32_t at = 0; at < t->n; at++) {
        uint32_t q = t->order[at];
        const struct sibling *s = &t->siblings[at];
        t->guarantee[(size_t)kind * t->n_rows + q] = s->guarantee;
        t->fair_share[(size_t)kind * t->n_rows + q] = s->claim - s->kept_below;
        if (t->count[q] == 0) continue;
        struct quota_group *below = &groups[t->group_of[at]];
        below->total = s->claim;
        quota_tree_fill(t, below, kind, view->usage_weight_milli);
    }
}

/* ---- the cycle ---- */

int32_t quota_tree_begin(struct quota_tree *t, const lsched_view *view) {
    t->n_rows = 0;
    int32_t code = quota_tree_make_room(t, view);
    if (code < 0) return code;
    t->n_kinds = view->n_kinds;
    t->kinds = 0;
    quota_tree_lay_out(t, view);
    if (make_groups(t) < 0) return LSCHED_E_NOMEM;
    t->n_rows = view->n_queues;
    for (uint32_t kind = 1; kind < view->n_kinds; kind++)
        if (has_quota(t, view, kind)) t->kinds |= 1u << kind;
    if (t->kinds == 0) t->kinds = UINT32_MAX;
    for (uint32_t kind = 1; kind < view->n_kinds; kind++) {
        quota_tree_kind(t, kind);
        quota_tree_load(t, view, kind, t->kinds >> kind & 1);
        if (t->adds_up) add_up_quotas(t, view->total_capacity[kind]);
        guarantee_all(t, kind, view->total_capacity[kind]);
        need_all(t, view, kind);
        share_all(t, view, kind);
    }
    return LSCHED_OK;
}

int32_t quota_tree_amounts(const struct quota_tree *t, uint32_t queue, uint32_t kind,
                           int64_t *guarantee, int64_t *fair_share) {
    if (queue >= t->n_rows || kind == 0 || kind >= t->n_kinds) return LSCHED_E_STATE;
    size_t at = (size_t)kind * t->n_rows + queue;
    *guarantee = t->guarantee[at];
    *fair_share = t->fair_share[at];
    return LSCHED_OK;
}
