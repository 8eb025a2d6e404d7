/* search.c -- see search.h. */
#include "engine/indexes/search.h"

#include "base/vec.h"
#include "engine/indexes/topology_room.h"
#include "model/nodes/node.h"
#include "model/devices/device_select.h"
#include "model/jobs/refusal.h"
#include "model/shapes/node_rules.h"
#include "model/store/steps.h"

/* Returns the bytes of the block that holds an index and its arrays. */
static uint64_t block_bytes(uint32_t n, uint32_t leaves, int tiers) {
    return sizeof(struct search_index) + n * (tiers ? 14ull : 10ull) + leaves * 4ull;
}

static void index_free(struct search *s, struct columns *k, struct search_index *x) {
    s->bytes -= x->bytes;
    for (uint32_t t = 0; t < LSCHED_TOPOLOGIES_MAX; t++) {
        topology_room_free(k, x->rooms[t][TOPOLOGY_ROOM_FREE]);
        topology_room_free(k, x->rooms[t][TOPOLOGY_ROOM_EMPTY]);
    }
    alloc_free(k->alloc, x, block_bytes(x->n, x->leaves, x->tier != NULL));
}

void search_drop_all(struct search *s, struct columns *k) {
    for (uint32_t i = 0; i < s->n; i++) index_free(s, k, s->index[i]);
    alloc_free(k->alloc, s->index, s->cap * sizeof(struct search_index *));
    alloc_free(k->alloc, s->batch, sizeof *s->batch);
    alloc_free(k->alloc, s->stamp, s->stamp_cap * sizeof *s->stamp);
    alloc_free(k->alloc, s->classes, s->class_cap * sizeof *s->classes);
    *s = (struct search){.scored = s->scored, .cycle = s->cycle};
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

/* Drops the indexes of shapes that no longer exist. No later query can use such an index, because
 * serial numbers are never used again. The function does this only if the number of indexes has
 * doubled since its last run. Therefore dropping these indexes costs O(1) per new index. */
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
    uint64_t bytes = block_bytes(n, leaves, tiers);
    sweep(s, k);
    evict_to_fit(s, k, bytes);
    /* The elements of the list are pointers.  NOLINTNEXTLINE(bugprone-sizeof-expression) */
    if (!VEC_ROOM(k->alloc, s->index, s->cap, s->n + 1)) return LSCHED_E_NOMEM;
    struct search_index *x = alloc_zero(k->alloc, bytes);
    if (!x) return LSCHED_E_NOMEM;
    x->key = *key;
    x->n = n;
    x->leaves = leaves;
    x->bytes = bytes;
    x->score = (int64_t *)(void *)(x + 1);
    x->winner = (uint32_t *)(void *)(x->score + n);
    x->tier = tiers ? (int32_t *)(void *)(x->winner + leaves) : NULL;
    x->is_able = (uint8_t *)(x->winner + leaves + (tiers ? n : 0));
    x->is_asked = x->is_able + n;
    s->bytes += bytes;
    x->synced = UINT64_MAX; /* not yet filled */
    uint32_t slot = index_slot(s, key);
    memmove(s->index + slot + 1, s->index + slot, (s->n - slot) * sizeof(struct search_index *));
    s->index[slot] = x;
    s->n++;
    *out = x;
    return LSCHED_OK;
}

static int32_t scratch_ready(struct search *s, struct columns *k) {
    uint32_t rows = table_rows(k, T_NODE), had = s->stamp_cap;
    if (!s->batch) s->batch = alloc_new(k->alloc, sizeof *s->batch);
    if (!s->batch || !VEC_ROOM(k->alloc, s->stamp, s->stamp_cap, rows) ||
        !VEC_ROOM(k->alloc, s->classes, s->class_cap, table_rows(k, T_CLASS)))
        return LSCHED_E_NOMEM;
    if (s->stamp_cap > had) memset(s->stamp + had, 0, (s->stamp_cap - had) * sizeof *s->stamp);
    return touch_log_reserve(k, &k->touch, rows);
}

/* ---- the tree ---- */

static uint32_t search_better(const struct search_index *x, uint32_t a, uint32_t b) {
    if (b >= x->n) return a;
    /* a is the lower rank; therefore a wins if both nodes are equally good */
    return search_before(x, b, a) ? b : a;
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

/* number of nodes that are scored between two checks for an interrupt by the orchestrator */
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

/* Returns the score of the node in the index. If the orchestrator recently rejected tasks of this
 * shape and queue on the node, the node must come after all other nodes. Therefore its score is
 * mapped to the lowest quarter of the 64-bit range; the order among such nodes does not change.
 * Without this mapping, the same few nodes could be tried again and again, and the job would
 * never get to the other nodes. */
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
    struct search_batch *b = s->batch;
    uint32_t n = y->n, kept = n;
    y->n = 0;
    if (y->scorer->keep) {
        int32_t rc = y->scorer->keep(y->scorer->user, &x->key, b->node, n, b->keep);
        if (rc != LSCHED_OK) return rc;
        kept = 0;
        for (uint32_t i = 0; i < n; i++)
            if (b->keep[i]) b->node[kept++] = b->node[i];
    }
    if (kept == 0) return LSCHED_OK;
    int32_t rc = y->scorer->score(y->scorer->user, &x->key, b->node, kept, b->score);
    if (rc != LSCHED_OK) return rc;
    s->scored += kept;
    steps_add(y->k, kept);
    for (uint32_t i = 0; i < kept; i++) {
        uint32_t rank = y->v->rank[b->node[i]];
        x->score[rank] = score_of(y, b->node[i], b->score[i]);
        if (y->in_tree) tree_update(x, rank);
    }
    return LSCHED_OK;
}

/* True if the node must not get tasks of this shape and queue now, because the orchestrator
 * rejected such tasks on the node. If the orchestrator rejected a shape on any node, each queue
 * has an index of its own for the shape. */
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
    if (y->in_tree && old != SEARCH_LEAST) tree_update(x, rank);
    if (!x->is_asked[rank]) return LSCHED_OK;
    y->n_asked++;
    y->s->batch->node[y->n++] = node;
    return y->n == LIMIT_POLICY_BATCH ? flush(y) : LSCHED_OK;
}

/* Returns 1 if the node could hold a task of the shape if the node were empty. The result is the
 * same for all nodes of a class, except for shapes that ask for MIG instances: devices that are
 * never repartitioned can have different MIG instances on each node. */
static uint8_t able_by_class(struct sync *y, uint32_t node) {
    uint32_t class = y->k->c[C_NODE_CLASS].u32[node], shape = y->x->key.shape;
    struct search_class *known = &y->s->classes[class];
    if (known->able == 0 || y->k->c[C_SHAPE_MIG_SLICES].u8[shape]) {
        known->able = node_able(y->k, node, shape) ? 2 : 1;
        if (y->x->tier) known->tier = rules_tier(y->k, node, shape);
    }
    if (y->x->tier) y->x->tier[y->v->rank[node]] = known->tier;
    return known->able == 2;
}

/* Marks all nodes as unable to take a task, because the filling of the index was interrupted. The
 * next query fills the index again. */
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
    if (y->s->class_cap) memset(y->s->classes, 0, y->s->class_cap * sizeof *y->s->classes);
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

/* At the first query of the index in a cycle, charges the cycle for the hook answers that the
 * index already held before the query. */
static int32_t pay(const struct sync *y) {
    struct search_index *x = y->x;
    if (!y->scorer->charge || x->cycle == y->s->cycle) return LSCHED_OK;
    x->cycle = y->s->cycle;
    uint64_t held = x->asked > y->n_asked ? x->asked - y->n_asked : 0;
    if (held == 0 || x->cost_asked == 0) return LSCHED_OK;
    return y->scorer->charge(y->scorer->user, x->cost * held / x->cost_asked);
}

/* Sets *out to the index of the key. If there is none, makes an index that is not yet filled. */
static int32_t index_of_key(struct search *s, struct columns *k, const struct view_cache *v,
                            const struct search_key *key, struct search_index **out) {
    uint32_t slot = index_slot(s, key);
    int found = slot < s->n && key_equals(&s->index[slot]->key, key);
    if (found && s->index[slot]->structure == v->structure && s->index[slot]->n == v->n_ranked) {
        *out = s->index[slot];
        return LSCHED_OK;
    }
    if (found) index_evict(s, k, slot);
    int32_t rc = index_new(s, k, key, v->n_ranked, out);
    if (rc == LSCHED_OK) (*out)->structure = v->structure;
    return rc;
}

/* Scores the nodes that changed since the latest query of the index, or all nodes if the touch
 * log does not reach back to that query. Records the number of instructions that the policy
 * executed. */
static int32_t bring_up_to_date(struct sync *y) {
    struct search_index *x = y->x;
    const struct search_scorer *scorer = y->scorer;
    uint64_t before = scorer->spent ? scorer->spent(scorer->user) : 0;
    uint64_t next = y->k->touch.next, behind = next - x->synced;
    int anew = x->synced == UINT64_MAX || x->synced > next || behind > y->k->touch.cap;
    if (!anew && !behind) return LSCHED_OK;
    int32_t rc = anew ? sync_all(y) : sync_touched(y);
    uint64_t seen = touch_seen(y->k);
    x->synced = rc == LSCHED_OK ? seen : UINT64_MAX;
    if (rc == LSCHED_OK && scorer->spent && (anew || y->n_asked > x->cost_asked)) {
        x->cost = scorer->spent(scorer->user) - before;
        x->cost_asked = y->n_asked;
    }
    if (anew) x->cycle = y->s->cycle;
    return rc == SEARCH_CUT ? LSCHED_OK : rc;
}

int32_t search_get(struct search *s, struct columns *k, const struct view_cache *v,
                   const struct search_key *key, const struct search_scorer *scorer,
                   struct search_index **out) {
    int32_t rc = scratch_ready(s, k);
    if (rc == LSCHED_OK) rc = index_of_key(s, k, v, key, out);
    if (rc != LSCHED_OK) return rc;
    (*out)->used = ++s->tick;
    struct sync y = {s, k, v, *out, scorer, 0, 0, 0};
    rc = bring_up_to_date(&y);
    return rc == LSCHED_OK ? pay(&y) : rc;
}
