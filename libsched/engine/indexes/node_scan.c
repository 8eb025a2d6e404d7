/* node_scan.c -- see node_scan.h. */
#include "engine/indexes/node_scan.h"

#include "model/devices/device_match.h"
#include "model/nodes/node.h"
#include "model/shapes/daily_demand.h"
#include "model/shapes/node_rules.h"
#include "model/store/steps.h"

/* values of node_scan_part.state */
enum {
    NODE_SCAN_NONE,  /* no ready node below */
    NODE_SCAN_EQUAL, /* all nodes below are untouched and have equal hardware */
    NODE_SCAN_MIXED  /* nodes with tasks, or with different hardware */
};

static const uint32_t scan_kinds[NODE_SCAN_KINDS] = {LSCHED_CPU, LSCHED_MEMORY, LSCHED_GPU};

void node_scan_drop(struct node_scan *t, struct columns *k) {
    alloc_free(k->alloc, t->part, 2ul * t->n * sizeof *t->part);
    alloc_free(k->alloc, t->tried, t->tried ? NODE_SCAN_TRIES * sizeof *t->tried : 0);
    memset(t, 0, sizeof *t);
}

int node_scan_serves(const struct columns *k, const struct search_key *key,
                     const struct search_scorer *scorer) {
    return scorer->by_state && !scorer->keep && !scorer->merit && key->queue == NO_ROW &&
           key->job == NO_ROW && !key->shortage && !key->charge_max && !key->hooks &&
           !shape_is_daily(k, key->shape) && !k->c[C_SHAPE_MIG_SLICES].u8[key->shape] &&
           !rules_have_tiers(k, key->shape) && k->c[C_SHAPE_N_SELECTORS].u32[key->shape] == 0 &&
           !k->c[C_SHAPE_RULES].u8[key->shape] &&
           !device_match_searched(k, key->shape); /* the index counts the steps on all nodes */
}

/* ---- the tree ---- */

/* True if all of device d of the node is free, and the device has no MIG instances. */
static int device_is_untouched(const struct columns *k, uint32_t node, uint32_t d) {
    uint32_t device = k->c[C_NODE_DEVICE_FIRST].u32[node] + d,
             shared = k->c[C_NODE_SHARED_FIRST].u32[node];
    if (k->c[C_DEVICE_FREE_MILLI].u16[device] != 1000 ||
        k->c[C_DEVICE_MEM_FREE].i64[device] != k->c[C_DEVICE_MEM].i64[device])
        return 0;
    if (shared == NO_ROW) return 1;
    struct device_part all = device_room(k, device, DEVICE_EMPTY);
    return k->c[C_SHARED_GEOMETRY].u32[shared + d] == 0 &&
           k->c[C_SHARED_SM_FREE].i32[shared + d] == (int32_t)all.sm_count &&
           k->c[C_SHARED_LIMIT_FREE].i64[shared + d] == all.limit;
}

/* True if the node has no tasks, and nothing of it is used. */
static int is_untouched(const struct columns *k, uint32_t node) {
    uint32_t n = k->c[C_NODE_N_DEVICES].u8[node];
    if (k->c[C_NODE_TASKS].u32[node] || k->c[C_NODE_FUTURE].u32[node] ||
        k->c[C_NODE_EXCESS].u8[node] || k->c[C_NODE_GPU_WHOLE].u8[node] != n ||
        k->c[C_NODE_NUMA_FIRST].u32[node] != NO_ROW)
        return 0;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        if (k->c[C_NODE_FREE + r].i64[node] != k->c[C_NODE_CAP + r].i64[node]) return 0;
    for (uint32_t d = 0; d < n; d++)
        if (!device_is_untouched(k, node, d)) return 0;
    return 1;
}

static struct node_scan_part part_of(const struct columns *k, const struct view_cache *v,
                                     uint32_t node) {
    struct node_scan_part p = {{-1, -1, -1}, NODE_SCAN_NONE, node};
    if (node >= table_rows(k, T_NODE) || !v->node_ready[node]) return p;
    for (int i = 0; i < NODE_SCAN_KINDS; i++) {
        int64_t coming = k->c[C_NODE_COMING + scan_kinds[i]].i64[node];
        p.most[i] = k->c[C_NODE_FREE + scan_kinds[i]].i64[node] + (coming > 0 ? coming : 0);
    }
    p.state = is_untouched(k, node) ? NODE_SCAN_EQUAL : NODE_SCAN_MIXED;
    return p;
}

/* True if both nodes have the same capacity, devices, machine and bound on tasks. Labels and taints
 * may differ. */
static int have_equal_hardware(const struct columns *k, uint32_t a, uint32_t b) {
    uint32_t p = k->c[C_NODE_CLASS].u32[a], q = k->c[C_NODE_CLASS].u32[b],
             n = k->c[C_NODE_N_DEVICES].u8[a];
    if (p == q) return 1;
    if (k->c[C_CLASS_MACHINE].u32[p] != k->c[C_CLASS_MACHINE].u32[q] ||
        k->c[C_CLASS_TASKS_MAX].u32[p] != k->c[C_CLASS_TASKS_MAX].u32[q] ||
        k->c[C_NODE_N_DEVICES].u8[b] != n)
        return 0;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        if (k->c[C_NODE_CAP + r].i64[a] != k->c[C_NODE_CAP + r].i64[b]) return 0;
    for (uint32_t d = 0; d < n; d++)
        if (k->c[C_DEVICE_CLASS].u16[k->c[C_NODE_DEVICE_FIRST].u32[a] + d] !=
            k->c[C_DEVICE_CLASS].u16[k->c[C_NODE_DEVICE_FIRST].u32[b] + d])
            return 0;
    return 1;
}

static void scan_join(struct node_scan *t, const struct columns *k, const struct view_cache *v,
                      uint32_t i) {
    const struct node_scan_part *a = &t->part[2ul * i], *b = a + 1;
    struct node_scan_part *to = &t->part[i];
    for (int r = 0; r < NODE_SCAN_KINDS; r++)
        to->most[r] = a->most[r] > b->most[r] ? a->most[r] : b->most[r];
    if (a->state == NODE_SCAN_NONE || b->state == NODE_SCAN_NONE) {
        const struct node_scan_part *one = a->state == NODE_SCAN_NONE ? b : a;
        to->state = one->state;
        to->first = one->first;
        return;
    }
    to->state = a->state == NODE_SCAN_EQUAL && b->state == NODE_SCAN_EQUAL &&
                        have_equal_hardware(k, a->first, b->first)
                    ? NODE_SCAN_EQUAL
                    : NODE_SCAN_MIXED;
    to->first = v->nodes.mark[a->first] < v->nodes.mark[b->first] ? a->first : b->first;
}

static int32_t build_tree(struct node_scan *t, struct columns *k, const struct view_cache *v) {
    uint32_t rows = table_rows(k, T_NODE), n = rows + rows / 8 + 8;
    if (t->n < rows || !t->part) {
        struct node_scan_part *fresh = alloc_new(k->alloc, 2ul * n * sizeof *fresh);
        if (!fresh) return LSCHED_E_NOMEM;
        alloc_free(k->alloc, t->part, 2ul * t->n * sizeof *t->part);
        t->part = fresh;
        t->n = n;
    }
    steps_add(k, t->n);
    for (uint32_t i = 0; i < t->n; i++) t->part[t->n + i] = part_of(k, v, i);
    for (uint32_t i = t->n - 1; i >= 1; i--) scan_join(t, k, v, i);
    return LSCHED_OK;
}

static int32_t sync_tree(struct node_scan *t, struct columns *k, const struct view_cache *v) {
    const struct touch_log *log = &k->touch;
    uint64_t behind = log->next - t->synced;
    int anew = !t->part || t->n < table_rows(k, T_NODE) || !touch_log_reaches(log, t->synced);
    if (!anew) steps_add(k, behind);
    for (uint64_t at = t->synced; !anew && at < log->next; at++) {
        uint32_t node = log->rows[at & (log->cap - 1)];
        if (node >= t->n) continue;
        t->part[t->n + node] = part_of(k, v, node);
        for (uint32_t i = (t->n + node) / 2; i >= 1; i /= 2) scan_join(t, k, v, i);
    }
    int32_t rc = anew ? build_tree(t, k, v) : LSCHED_OK;
    uint64_t seen = touch_seen(k);
    t->synced = rc == LSCHED_OK ? seen : UINT64_MAX;
    return rc;
}

/* ---- the scan ---- */

struct scan {
    struct search *s;
    struct columns *k;
    const struct view_cache *v;
    const struct search_key *key;
    const struct search_scorer *scorer;
    int64_t need[NODE_SCAN_KINDS];
    uint32_t n;    /* nodes in the batch */
    uint32_t best; /* NO_ROW if none */
    int64_t score; /* of best */
};

static int32_t score_batch(struct scan *y) {
    struct search_batch *b = y->s->batch;
    uint32_t n = y->n;
    y->n = 0;
    if (n == 0) return LSCHED_OK;
    int32_t rc = y->scorer->score(y->scorer->user, y->key, b->node, n, b->score);
    if (rc != LSCHED_OK) return rc;
    y->s->scored += n;
    steps_add(y->k, n);
    for (uint32_t i = 0; i < n; i++) {
        /* as in an index, where the least score means that a node cannot take the task */
        int64_t score = b->score[i] == SEARCH_LEAST ? SEARCH_LEAST + 1 : b->score[i];
        if (y->best != NO_ROW &&
            (score < y->score ||
             (score == y->score && y->v->nodes.mark[b->node[i]] >= y->v->nodes.mark[y->best])))
            continue;
        y->best = b->node[i];
        y->score = score;
    }
    return LSCHED_OK;
}

static int lacks(const struct node_scan_part *p, const struct scan *y) {
    if (p->state == NODE_SCAN_NONE) return 1;
    for (int i = 0; i < NODE_SCAN_KINDS; i++)
        if (p->most[i] < y->need[i]) return 1;
    return 0;
}

static int takes(const struct scan *y, uint32_t node) {
    uint32_t shape = y->key->shape;
    return (y->key->later ? node_fits_later(y->k, node, shape) : node_fits(y->k, node, shape)) &&
           node_able(y->k, node, shape);
}

/* Scores the nodes that can take the task. Returns 1, 0 if more than *left nodes were looked at, or
 * an error. Subtracts the nodes that were looked at from *left. The stack has room for both
 * children of each tree node on a path, whose length is at most 32. */
static int32_t scan_tree(const struct node_scan *t, struct scan *y, uint64_t *left) {
    uint32_t stack[72], n = 0;
    stack[n++] = 1;
    while (n > 0) {
        uint32_t i = stack[--n];
        const struct node_scan_part *p = &t->part[i];
        steps_add(y->k, 1);
        if (lacks(p, y)) continue;
        if (i < t->n && p->state == NODE_SCAN_MIXED) {
            stack[n++] = 2 * i;
            stack[n++] = 2 * i + 1;
            continue;
        }
        if (*left == 0) return 0;
        --*left;
        if (!takes(y, p->first)) continue;
        y->s->batch->node[y->n++] = p->first;
        int32_t rc = y->n == LIMIT_POLICY_BATCH ? score_batch(y) : LSCHED_OK;
        if (rc != LSCHED_OK) return rc;
    }
    int32_t rc = score_batch(y);
    return rc == LSCHED_OK ? 1 : rc;
}

static int32_t scratch_for(struct node_scan *t, struct search *s, struct columns *k) {
    if (!s->batch) s->batch = alloc_new(k->alloc, sizeof *s->batch);
    if (!t->tried) t->tried = alloc_zero(k->alloc, NODE_SCAN_TRIES * sizeof *t->tried);
    return s->batch && t->tried ? LSCHED_OK : LSCHED_E_NOMEM;
}

int32_t node_scan_best(struct node_scan *t, struct search *s, struct columns *k,
                       const struct view_cache *v, const struct search_key *key,
                       const struct search_scorer *scorer, uint32_t *node) {
    uint64_t hash = search_key_hash(key), most = table_rows(k, T_NODE) / 8 + 16;
    if (scratch_for(t, s, k) != LSCHED_OK) return 0; /* an index needs less memory than the tree */
    struct node_scan_try *tried = &t->tried[hash % NODE_SCAN_TRIES];
    if (tried->key != hash) *tried = (struct node_scan_try){hash, 0};
    if (tried->work >= most) return 0;
    if (sync_tree(t, k, v) != LSCHED_OK) return 0;
    struct scan y = {s, k, v, key, scorer, {0}, 0, NO_ROW, 0};
    for (int i = 0; i < NODE_SCAN_KINDS; i++)
        y.need[i] = k->c[C_SHAPE_REQ + scan_kinds[i]].i64[key->shape];
    if (shape_charge_varies(k, key->shape)) y.need[2] = 0;
    uint64_t left = most - tried->work;
    int32_t rc = scan_tree(t, &y, &left);
    tried->work = most - left;
    *node = y.best;
    return rc;
}
