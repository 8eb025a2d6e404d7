/* search.c -- see search.h. */
#include "engine/indexes/search.h"

#include "base/vec.h"
#include "engine/indexes/topology_room.h"
#include "model/nodes/node.h"
#include "model/devices/device_select.h"
#include "model/jobs/refusal.h"
#include "model/shapes/node_rules.h"
#include "model/store/steps.h"

static void index_free(struct search *s, struct columns *k, struct search_index *x) {
    s->bytes -= x->bytes;
    for (uint32_t t = 0; t < LSCHED_TOPOLOGIES_MAX; t++) {
        topology_room_free(k, x->rooms[t][TOPOLOGY_ROOM_FREE]);
        topology_room_free(k, x->rooms[t][TOPOLOGY_ROOM_EMPTY]);
    }
    alloc_free(k->alloc, x->score, x->n * sizeof *x->score);
    if (x->tier) alloc_free(k->alloc, x->tier, x->n * sizeof *x->tier);
    alloc_free(k->alloc, x->winner, x->leaves * sizeof *x->winner);
    alloc_free(k->alloc, x->is_able, x->n);
    alloc_free(k->alloc, x->is_asked, x->n);
    alloc_free(k->alloc, x, sizeof *x);
}

void search_drop_all(struct search *s, struct columns *k) {
    for (uint32_t i = 0; i < s->n; i++) index_free(s, k, s->index[i]);
    alloc_free(k->alloc, s->index, s->cap * sizeof(struct search_index *));
    alloc_free(k->alloc, s->batch, LIMIT_POLICY_BATCH * sizeof *s->batch);
    alloc_free(k->alloc, s->scores, LIMIT_POLICY_BATCH * sizeof *s->scores);
    alloc_free(k->alloc, s->keep, LIMIT_POLICY_BATCH);
    alloc_free(k->alloc, s->stamp, s->stamp_cap * sizeof *s->stamp);
    alloc_free(k->alloc, s->class_able, s->class_cap);
    alloc_free(k->alloc, s->class_tier, s->class_cap * sizeof *s->class_tier);
    uint64_t scored = s->scored, cycle = s->cycle;
    memset(s, 0, sizeof *s);
    s->scored = scored;
    s->cycle = cycle;
}

/* ---- finding an index in a sorted list, which the memory bound keeps short ---- */

static int key_equals(const struct search_key *a, const struct search_key *b) {
    return a->serial == b->serial && a->queue == b->queue && a->job == b->job &&
           a->shortage == b->shortage && a->later == b->later && a->strategy == b->strategy &&
           a->charge_max == b->charge_max && a->hooks == b->hooks && a->placed == b->placed;
}

static uint64_t key_hash(const struct search_key *key) {
    uint64_t h = key->serial * 0x9E3779B97F4A7C15u ^ (uint64_t)key->queue << 32 ^ key->job ^
                 key->shortage ^ (uint64_t)key->later << 31 ^ (uint64_t)key->strategy << 48 ^
                 (uint64_t)key->charge_max << 16 ^ (uint64_t)key->hooks << 24 ^
                 (uint64_t)key->placed << 40;
    return h ^ h >> 29;
}

static uint32_t index_slot(const struct search *s, const struct search_key *key) {
    /* index[] is sorted by the hash of the key: binary search needs no second structure */
    uint32_t lo = 0, hi = s->n;
    uint64_t h = key_hash(key);
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        uint64_t m = key_hash(&s->index[mid]->key);
        if (m < h)
            lo = mid + 1;
        else
            hi = mid;
    }
    while (lo < s->n && key_hash(&s->index[lo]->key) == h && !key_equals(&s->index[lo]->key, key))
        lo++;
    return lo;
}

static void index_evict(struct search *s, struct columns *k, uint32_t slot) {
    index_free(s, k, s->index[slot]);
    memmove(s->index + slot, s->index + slot + 1,
            (s->n - slot - 1) * sizeof(struct search_index *));
    s->n--;
}

void search_drop_jobs(struct search *s, struct columns *k) {
    steps_add(k, s->n);
    for (uint32_t i = s->n; i-- > 0;)
        if (s->index[i]->key.job != NO_ROW) index_evict(s, k, i);
}

/* Drops the indexes of shapes that no longer exist; their serial numbers are never asked for
 * again. A sweep runs when the number of indexes is twice the number that the last sweep kept.
 * Therefore the sweep costs O(1) per new index. */
static void sweep(struct search *s, struct columns *k) {
    if (s->n < s->sweep_at || s->n < 64) return;
    steps_add(k, s->n);
    for (uint32_t i = s->n; i-- > 0;) {
        const struct search_key *key = &s->index[i]->key;
        int live = row_is_live(k, T_SHAPE, key->shape) &&
                   k->c[C_SHAPE_SERIAL].u64[key->shape] == key->serial;
        if (!live) index_evict(s, k, i);
    }
    s->sweep_at = 2 * s->n;
}

static void evict_to_fit(struct search *s, struct columns *k, uint64_t more) {
    uint64_t most = alloc_cache_share(k->alloc, LIMIT_SEARCH_CACHE_BYTES);
    while (s->n > 0 && s->bytes + more > most) {
        uint32_t oldest = 0;
        steps_add(k, s->n);
        for (uint32_t i = 1; i < s->n; i++)
            if (s->index[i]->used < s->index[oldest]->used) oldest = i;
        index_evict(s, k, oldest);
    }
}

static int32_t index_new(struct search *s, struct columns *k, const struct search_key *key,
                         uint32_t n, struct search_index **out) {
    uint32_t leaves = 1;
    while (leaves < n) leaves *= 2;
    int tiers = n > 0 && rules_have_tiers(k, key->shape);
    uint64_t bytes = sizeof(struct search_index) + n * (tiers ? 14ull : 10ull) + leaves * 4ull;
    sweep(s, k);
    evict_to_fit(s, k, bytes);
    /* The elements of the list are pointers.  NOLINTNEXTLINE(bugprone-sizeof-expression) */
    if (!VEC_ROOM(k->alloc, s->index, s->cap, s->n + 1)) return LSCHED_E_NOMEM;
    struct search_index *x = alloc_zero(k->alloc, sizeof *x);
    if (!x) return LSCHED_E_NOMEM;
    x->key = *key;
    x->n = n;
    x->leaves = leaves;
    x->bytes = bytes;
    x->score = n ? alloc_new(k->alloc, n * sizeof *x->score) : NULL;
    x->tier = tiers ? alloc_zero(k->alloc, n * sizeof *x->tier) : NULL;
    x->winner = alloc_zero(k->alloc, leaves * sizeof *x->winner);
    x->is_able = n ? alloc_zero(k->alloc, n) : NULL;
    x->is_asked = n ? alloc_zero(k->alloc, n) : NULL;
    s->bytes += bytes;
    if (!x->winner || (tiers && !x->tier) || (n && (!x->score || !x->is_able || !x->is_asked))) {
        if (!x->winner) x->leaves = 0;
        index_free(s, k, x);
        return LSCHED_E_NOMEM;
    }
    x->synced = UINT64_MAX; /* not yet filled */
    uint32_t slot = index_slot(s, key);
    memmove(s->index + slot + 1, s->index + slot, (s->n - slot) * sizeof(struct search_index *));
    s->index[slot] = x;
    s->n++;
    *out = x;
    return LSCHED_OK;
}

static int32_t scratch_ready(struct search *s, struct columns *k) {
    struct alloc *a = k->alloc;
    if (!s->batch) s->batch = alloc_new(a, LIMIT_POLICY_BATCH * sizeof *s->batch);
    if (!s->scores) s->scores = alloc_new(a, LIMIT_POLICY_BATCH * sizeof *s->scores);
    if (!s->keep) s->keep = alloc_new(a, LIMIT_POLICY_BATCH);
    if (!s->batch || !s->scores || !s->keep) return LSCHED_E_NOMEM;
    uint32_t rows = table_rows(k, T_NODE);
    if (rows > s->stamp_cap) {
        uint64_t *p = alloc_zero(a, rows * sizeof *p);
        if (!p) return LSCHED_E_NOMEM;
        alloc_free(a, s->stamp, s->stamp_cap * sizeof *s->stamp);
        s->stamp = p;
        s->stamp_cap = rows;
    }
    uint32_t classes = table_rows(k, T_CLASS);
    if (classes > s->class_cap) {
        uint8_t *p = alloc_new(a, classes);
        int32_t *t = alloc_new(a, classes * sizeof *t);
        if (!p || !t) {
            alloc_free(a, p, classes);
            alloc_free(a, t, classes * sizeof *t);
            return LSCHED_E_NOMEM;
        }
        alloc_free(a, s->class_able, s->class_cap);
        alloc_free(a, s->class_tier, s->class_cap * sizeof *s->class_tier);
        s->class_able = p;
        s->class_tier = t;
        s->class_cap = classes;
    }
    return touch_log_reserve(k, &k->touch, rows);
}

/* ---- the tree ---- */

static uint32_t search_better(const struct search_index *x, uint32_t a, uint32_t b) {
    if (b >= x->n) return a;
    return search_before(x, b, a) ? b : a; /* a is the lower rank and wins ties */
}

static void tree_build(struct search_index *x) {
    for (uint32_t i = x->leaves - 1; i >= 1; i--) {
        uint32_t l = 2 * i, r = l + 1;
        if (l >= x->leaves)
            x->winner[i] = l - x->leaves >= x->n ? l - x->leaves
                                                 : search_better(x, l - x->leaves, r - x->leaves);
        else
            x->winner[i] =
                x->winner[l] >= x->n ? x->winner[l] : search_better(x, x->winner[l], x->winner[r]);
    }
}

static void tree_update(struct search_index *x, uint32_t rank) {
    if (x->leaves == 1) return;
    uint32_t i = (x->leaves + rank) / 2, l = (2 * i) - x->leaves;
    x->winner[i] = search_better(x, l, l + 1);
    for (i /= 2; i >= 1; i /= 2)
        x->winner[i] = search_better(x, x->winner[2 * i], x->winner[2 * i + 1]);
}

/* ---- scoring ---- */

/* While an index is filled, the orchestrator's interrupt is checked once per this many nodes. */
#define SEARCH_CUT_EVERY 256u
enum { SEARCH_CUT = 1 };

struct sync {
    struct search *s;
    struct columns *k;
    const struct view_cache *v;
    struct search_index *x;
    const struct search_scorer *scorer;
    uint32_t n;
    int in_tree;      /* 1 to update the winner tree after each node */
    uint32_t n_asked; /* nodes for which filter and score were called */
};

/* Returns the score by which the node ranks. A node on which the orchestrator recently rejected
 * tasks of this shape and queue comes after all other nodes: its score is mapped to the lowest
 * quarter of all numbers, in the same order. Without this, a few nodes that fit best could keep a
 * job from all other nodes for ever. */
static int64_t score_of(const struct sync *y, uint32_t node, int64_t score) {
    const struct search_key *key = &y->x->key;
    if (score == SEARCH_LEAST) score++;
    if (key->queue == NO_ROW ||
        !refusal_remembered(y->k, key->queue, key->shape, node, (int)key->later))
        return score;
    return SEARCH_LEAST + 1 + (int64_t)(((uint64_t)score - (uint64_t)SEARCH_LEAST) >> 2);
}

static int32_t flush(struct sync *y) {
    struct search *s = y->s;
    struct search_index *x = y->x;
    if (y->n == 0) return LSCHED_OK;
    uint32_t n = y->n, kept = n;
    y->n = 0;
    if (y->scorer->keep) {
        int32_t rc = y->scorer->keep(y->scorer->user, &x->key, s->batch, n, s->keep);
        if (rc != LSCHED_OK) return rc;
        kept = 0;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t node = s->batch[i];
            if (s->keep[i]) s->batch[kept++] = node;
        }
    }
    if (kept == 0) return LSCHED_OK;
    int32_t rc = y->scorer->score(y->scorer->user, &x->key, s->batch, kept, s->scores);
    if (rc != LSCHED_OK) return rc;
    s->scored += kept;
    steps_add(y->k, kept);
    for (uint32_t i = 0; i < kept; i++) {
        uint32_t rank = y->v->rank[s->batch[i]];
        x->score[rank] = score_of(y, s->batch[i], s->scores[i]);
        if (y->in_tree) tree_update(x, rank);
    }
    return LSCHED_OK;
}

/* True if the node is closed to tasks of this shape and queue because the orchestrator rejected
 * them there. An index of a shape that any node refuses belongs to one queue. */
static int is_refused(const struct sync *y, uint32_t node) {
    const struct search_key *key = &y->x->key;
    return key->queue != NO_ROW &&
           refusal_by_node(y->k, key->queue, key->shape, node, (int)key->later);
}

static int has_room(const struct sync *y, uint32_t node) {
    const struct search_key *key = &y->x->key;
    struct hold hold;
    if (!(key->later ? node_fits_later(y->k, node, key->shape) : node_fits(y->k, node, key->shape)))
        return 0;
    return key->charge_max == 0 ||
           (device_select_cheapest(y->k, node, key->shape, key->later ? DEVICE_LATER : DEVICE_NOW,
                                   NULL, &hold) &&
            hold_milli(y->k, node, key->shape, &hold) <= key->charge_max);
}

static int32_t search_look_at(struct sync *y, uint32_t node) {
    uint32_t rank = y->v->rank[node];
    struct search_index *x = y->x;
    int64_t old = x->score[rank];
    x->score[rank] = SEARCH_LEAST;
    x->asked -= x->is_asked[rank];
    x->is_asked[rank] =
        x->is_able[rank] && y->v->node_ready[node] && !is_refused(y, node) && has_room(y, node);
    x->asked += x->is_asked[rank];
    if (x->is_asked[rank]) {
        y->n_asked++;
        y->s->batch[y->n++] = node;
        if (y->in_tree && old != SEARCH_LEAST) tree_update(x, rank);
        return y->n == LIMIT_POLICY_BATCH ? flush(y) : LSCHED_OK;
    }
    if (y->in_tree && old != SEARCH_LEAST) tree_update(x, rank);
    return LSCHED_OK;
}

/* Whether a node could ever hold the task is the same for all nodes of its class. MIG devices that
 * are never repartitioned are the exception: each node has its own MIG instances. */
static uint8_t able_by_class(struct sync *y, uint32_t node) {
    uint32_t class = y->k->c[C_NODE_CLASS].u32[node], shape = y->x->key.shape;
    uint8_t *known = &y->s->class_able[class];
    if (*known == 0 || y->k->c[C_SHAPE_MIG_SLICES].u8[shape]) {
        *known = node_able(y->k, node, shape) ? 2 : 1;
        if (y->x->tier) y->s->class_tier[class] = rules_tier(y->k, node, shape);
    }
    if (y->x->tier) y->x->tier[y->v->rank[node]] = y->s->class_tier[class];
    return *known == 2;
}

/* Marks all nodes as unable to take a task, because the filling was interrupted. The next use
 * fills the index. */
static void leave_empty(struct search_index *x) {
    for (uint32_t rank = 0; rank < x->n; rank++) x->score[rank] = SEARCH_LEAST;
    memset(x->is_able, 0, x->n * sizeof *x->is_able);
    x->able = 0;
    tree_build(x);
}

static int is_cut(const struct sync *y, uint32_t rank) {
    return rank % SEARCH_CUT_EVERY == 0 && y->scorer->interrupted &&
           y->scorer->interrupted(y->scorer->user);
}

static int32_t sync_all(struct sync *y) {
    struct search_index *x = y->x;
    x->able = 0;
    x->filled++;
    if (y->s->class_cap) memset(y->s->class_able, 0, y->s->class_cap);
    y->in_tree = 0;
    steps_add(y->k, x->n);
    for (uint32_t rank = 0; rank < x->n; rank++) {
        uint32_t node = y->v->by_rank[rank];
        if (is_cut(y, rank)) {
            leave_empty(x);
            return SEARCH_CUT;
        }
        x->is_able[rank] = able_by_class(y, node);
        x->able += x->is_able[rank];
        int32_t rc = search_look_at(y, node);
        if (rc != LSCHED_OK) return rc;
    }
    int32_t rc = flush(y);
    tree_build(x);
    return rc;
}

static int32_t sync_touched(struct sync *y) {
    const struct touch_log *t = &y->k->touch;
    struct search *s = y->s;
    s->sync++;
    y->in_tree = 1;
    steps_add(y->k, t->next - y->x->synced);
    for (uint64_t i = y->x->synced; i < t->next; i++) {
        uint32_t node = t->rows[i & (t->cap - 1)];
        if (node >= s->stamp_cap || s->stamp[node] == s->sync || y->v->rank[node] == NO_ROW)
            continue;
        s->stamp[node] = s->sync;
        int32_t rc = search_look_at(y, node);
        if (rc != LSCHED_OK) return rc;
    }
    return flush(y);
}

/* At the first use of the index in a cycle, charges the cost of the policy's answers that the
 * index already holds. */
static int32_t pay(const struct sync *y) {
    struct search_index *x = y->x;
    if (!y->scorer->charge || x->cycle == y->s->cycle) return LSCHED_OK;
    x->cycle = y->s->cycle;
    uint64_t held = x->asked > y->n_asked ? x->asked - y->n_asked : 0;
    if (held == 0 || x->cost_asked == 0) return LSCHED_OK;
    return y->scorer->charge(y->scorer->user, x->cost * held / x->cost_asked);
}

int32_t search_get(struct search *s, struct columns *k, const struct view_cache *v,
                   const struct search_key *key, const struct search_scorer *scorer,
                   struct search_index **out) {
    int32_t rc = scratch_ready(s, k);
    if (rc != LSCHED_OK) return rc;
    uint32_t slot = index_slot(s, key);
    struct search_index *x =
        slot < s->n && key_equals(&s->index[slot]->key, key) ? s->index[slot] : NULL;
    if (x && (x->structure != v->structure || x->n != v->n_ranked)) {
        index_evict(s, k, slot);
        x = NULL;
    }
    if (!x) {
        rc = index_new(s, k, key, v->n_ranked, &x);
        if (rc != LSCHED_OK) return rc;
        x->structure = v->structure;
    }
    x->used = ++s->tick;
    struct sync y = {s, k, v, x, scorer, 0, 0, 0};
    uint64_t before = scorer->spent ? scorer->spent(scorer->user) : 0;
    uint64_t behind = k->touch.next - x->synced;
    int anew = x->synced == UINT64_MAX || x->synced > k->touch.next || behind > k->touch.cap;
    if (anew || behind) {
        rc = anew ? sync_all(&y) : sync_touched(&y);
        uint64_t seen = touch_seen(k);
        x->synced = rc == LSCHED_OK ? seen : UINT64_MAX;
        if (rc == LSCHED_OK && scorer->spent && (anew || y.n_asked > x->cost_asked)) {
            x->cost = scorer->spent(scorer->user) - before;
            x->cost_asked = y.n_asked;
        }
        if (anew) x->cycle = s->cycle;
        if (rc == SEARCH_CUT) rc = LSCHED_OK;
    }
    *out = x;
    return rc == LSCHED_OK ? pay(&y) : rc;
}
