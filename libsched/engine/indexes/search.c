/* search.c -- see search.h. */
#include "engine/indexes/search.h"

#include "base/bisect.h"
#include "base/hash.h"
#include "base/vec.h"
#include "engine/indexes/topology_room.h"
#include "model/nodes/node.h"
#include "model/devices/device_match.h"
#include "model/devices/device_select.h"
#include "model/jobs/refusal.h"
#include "model/shapes/node_rules.h"
#include "model/store/steps.h"

/* The arrays that only some indexes have. */
enum { WITH_TIERS = 1, WITH_MATCH = 2, WITH_MERIT = 4 };

static int arrays_of(const struct search_index *x) {
    return (x->tier ? WITH_TIERS : 0) | (x->match ? WITH_MATCH : 0) | (x->merit ? WITH_MERIT : 0);
}

/* Returns the bytes of the block that holds an index and its arrays. */
static uint64_t block_bytes(uint32_t n, int parts) {
    uint64_t each = 14u + (parts & WITH_TIERS ? 4u : 0u) + (parts & WITH_MERIT ? 8u : 0u) +
                    (parts & WITH_MATCH ? sizeof(struct search_match) : 0u);
    return sizeof(struct search_index) + n * each;
}

/* Returns the number of leaves of an index for a number of node rows. Some leaves stay free, so
 * that the index does not grow with each new node. */
static uint32_t leaves_for(uint32_t rows) {
    return rows + rows / 8 + 8;
}

/* ---- the order of use ---- */

static void use_end(struct search *s, struct search_index *x) {
    *(x->older ? &x->older->newer : &s->oldest) = x->newer;
    *(x->newer ? &x->newer->older : &s->newest) = x->older;
}

static void use_begin(struct search *s, struct search_index *x) {
    x->older = s->newest;
    x->newer = NULL;
    *(s->newest ? &s->newest->newer : &s->oldest) = x;
    s->newest = x;
}

static void use_again(struct search *s, struct search_index *x) {
    if (x == s->newest) return;
    use_end(s, x);
    use_begin(s, x);
}

static void index_free(struct search *s, struct columns *k, struct search_index *x) {
    s->bytes -= x->bytes;
    s->n_jobs -= x->key.job != NO_ROW;
    s->dropped++;
    use_end(s, x);
    for (uint32_t t = 0; t < LSCHED_TOPOLOGIES_MAX; t++) {
        topology_room_free(k, x->rooms[t][TOPOLOGY_ROOM_FREE]);
        topology_room_free(k, x->rooms[t][TOPOLOGY_ROOM_EMPTY]);
    }
    alloc_free(k->alloc, x, block_bytes(x->n, arrays_of(x)));
}

void search_drop_all(struct search *s, struct columns *k) {
    for (uint32_t i = 0; i < s->n; i++) index_free(s, k, s->index[i]);
    alloc_free(k->alloc, s->index, s->cap * sizeof(struct search_index *));
    alloc_free(k->alloc, s->batch, sizeof *s->batch);
    alloc_free(k->alloc, s->stamp, s->stamp_cap * sizeof *s->stamp);
    alloc_free(k->alloc, s->classes, s->class_cap * sizeof *s->classes);
    *s = (struct search){.scored = s->scored,
                         .hits = s->hits,
                         .fills = s->fills,
                         .cycle = s->cycle,
                         .dropped = s->dropped};
}

/* ---- finding an index in a sorted list, which the memory bound keeps short ---- */

static int key_equals(const struct search_key *a, const struct search_key *b) {
    return a->serial == b->serial && a->queue == b->queue && a->job == b->job &&
           a->shortage == b->shortage && a->later == b->later && a->strategy == b->strategy &&
           a->charge_max == b->charge_max && a->hooks == b->hooks && a->placed == b->placed &&
           a->n_values == b->n_values &&
           (a->n_values == 0 || memcmp(a->values, b->values, a->n_values * sizeof *a->values) == 0);
}

uint64_t search_key_hash(const struct search_key *key) {
    uint64_t h = key->serial * 0x9E3779B97F4A7C15u ^ (uint64_t)key->queue << 32 ^ key->job ^
                 key->shortage ^ (uint64_t)key->later << 31 ^ (uint64_t)key->strategy << 48 ^
                 (uint64_t)key->charge_max << 16 ^ (uint64_t)key->hooks << 24 ^
                 (uint64_t)key->placed << 40;
    for (uint32_t i = 0; i < key->n_values; i++) h = hash_mix(h, key->values[i]);
    return h ^ h >> 29;
}

static uint32_t index_slot(const struct search *s, const struct search_key *key) {
    /* index[] is sorted by the hash of the key: binary search needs no second structure */
    uint32_t lo = 0, hi = s->n;
    uint64_t h = search_key_hash(key);
    BISECT_FIRST(lo, hi, mid, search_key_hash(&s->index[mid]->key) >= h);
    while (lo < s->n && search_key_hash(&s->index[lo]->key) == h &&
           !key_equals(&s->index[lo]->key, key))
        lo++;
    return lo;
}

/* Returns the index of the key; NULL if there is none. Tasks of one shape mostly follow each other,
 * so the index that was used last is compared first. */
static struct search_index *index_known(const struct search *s, const struct search_key *key) {
    if (s->newest && key_equals(&s->newest->key, key)) return s->newest;
    uint32_t slot = index_slot(s, key);
    return slot < s->n && key_equals(&s->index[slot]->key, key) ? s->index[slot] : NULL;
}

int search_has(const struct search *s, const struct search_key *key) {
    return index_known(s, key) != NULL;
}

static void index_evict(struct search *s, struct columns *k, uint32_t slot) {
    index_free(s, k, s->index[slot]);
    memmove(s->index + slot, s->index + slot + 1,
            (s->n - slot - 1) * sizeof(struct search_index *));
    s->n--;
}

void search_drop_jobs(struct search *s, struct columns *k) {
    if (s->n_jobs == 0) return;
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
        steps_add(k, 1);
        index_evict(s, k, index_slot(s, &s->oldest->key));
    }
}

/* Makes an index in which no node can take a task. */
static struct search_index *index_make(struct columns *k, const struct search_key *key, uint32_t n,
                                       int parts) {
    uint64_t bytes = block_bytes(n, parts);
    struct search_index *x = alloc_zero(k->alloc, bytes);
    if (!x) return NULL;
    x->key = *key;
    x->n = n;
    x->bytes = bytes;
    x->score = (int64_t *)(void *)(x + 1);
    x->merit = parts & WITH_MERIT ? x->score + n : NULL;
    x->winner = (uint32_t *)(void *)(x->score + (x->merit ? 2 * n : n));
    uint32_t *next = x->winner + n;
    x->tier = parts & WITH_TIERS ? (int32_t *)(void *)next : NULL;
    if (parts & WITH_TIERS) next += n;
    x->match = parts & WITH_MATCH ? (struct search_match *)(void *)next : NULL;
    x->is_able = x->match ? (uint8_t *)(x->match + n) : (uint8_t *)next;
    x->is_asked = x->is_able + n;
    x->synced = UINT64_MAX; /* not yet filled */
    for (uint32_t i = 0; i < n; i++) x->score[i] = SEARCH_LEAST;
    return x;
}

/* Returns the arrays that an index of the key must have now. */
static int parts_for(const struct columns *k, const struct search_key *key,
                     const struct search_scorer *scorer) {
    int tiers = table_rows(k, T_NODE) > 0 && rules_have_tiers(k, key->shape);
    return (tiers ? WITH_TIERS : 0) | (device_match_searched(k, key->shape) ? WITH_MATCH : 0) |
           (scorer->merit ? WITH_MERIT : 0);
}

static int32_t index_new(struct search *s, struct columns *k, const struct search_key *key,
                         int parts, struct search_index **out) {
    uint32_t n = leaves_for(table_rows(k, T_NODE));
    sweep(s, k);
    evict_to_fit(s, k, block_bytes(n, parts));
    /* The elements of the list are pointers.  NOLINTNEXTLINE(bugprone-sizeof-expression) */
    if (!VEC_ROOM(k->alloc, s->index, s->cap, s->n + 1)) return LSCHED_E_NOMEM;
    struct search_index *x = index_make(k, key, n, parts);
    if (!x) return LSCHED_E_NOMEM;
    s->bytes += x->bytes;
    s->n_jobs += key->job != NO_ROW;
    uint32_t slot = index_slot(s, key);
    memmove(s->index + slot + 1, s->index + slot, (s->n - slot) * sizeof(struct search_index *));
    s->index[slot] = x;
    s->n++;
    use_begin(s, x);
    *out = x;
    return LSCHED_OK;
}

static int32_t scratch_ready(struct search *s, struct columns *k) {
    uint32_t rows = table_rows(k, T_NODE);
    if (!s->batch) s->batch = alloc_new(k->alloc, sizeof *s->batch);
    if (!s->batch || !VEC_ROOM_ZERO(k->alloc, s->stamp, s->stamp_cap, rows) ||
        !VEC_ROOM(k->alloc, s->classes, s->class_cap, table_rows(k, T_CLASS)))
        return LSCHED_E_NOMEM;
    return touch_log_reserve(k->alloc, &k->touch, rows);
}

/* ---- the tree ---- */

/* The children of tree node i are 2i and 2i + 1; a number that is not less than n is a leaf. */
static uint32_t tree_child(const struct search_index *x, uint32_t i) {
    return i < x->n ? x->winner[i] : i - x->n;
}

static uint32_t tree_better(const struct search_index *x, uint32_t i) {
    uint32_t a = tree_child(x, 2 * i), b = tree_child(x, 2 * i + 1);
    return search_before(x, b, a) ? b : a;
}

static void tree_build(struct search_index *x) {
    for (uint32_t i = x->n - 1; i >= 1; i--) x->winner[i] = tree_better(x, i);
}

/* Updates the tree after the score of one node became better. Where the node won before, it wins
 * again; above the first tree node at which it loses, nothing changes. A node that is filled up
 * under binpack therefore costs a single comparison. */
static void tree_improve(struct search_index *x, uint32_t node) {
    if (x->winner[1] == node) return;
    for (uint32_t i = (x->n + node) / 2; i >= 1; i /= 2) {
        if (x->winner[i] == node) continue;
        if (!search_before(x, node, x->winner[i])) return;
        x->winner[i] = node;
    }
}

/* Updates the tree after the score of one node became worse. Where another node won before, it
 * wins again, also above. */
static void tree_worsen(struct search_index *x, uint32_t node) {
    for (uint32_t i = (x->n + node) / 2; i >= 1 && x->winner[i] == node; i /= 2)
        x->winner[i] = tree_better(x, i);
}

/* Changes the score and the merit of one node, whose tier and mark are unchanged, in an index whose
 * tree is up to date for those before. */
static void score_set(struct search_index *x, uint32_t node, int64_t score, int64_t merit) {
    int64_t was = x->score[node];
    int better = score > was, worse = score < was;
    if (x->merit) {
        int both = score != SEARCH_LEAST && was != SEARCH_LEAST && merit != x->merit[node];
        if (both) better = merit > x->merit[node], worse = !better;
        x->merit[node] = merit;
    }
    x->score[node] = score;
    if (better) tree_improve(x, node);
    if (worse) tree_worsen(x, node);
}

/* Exchanges an index for one with more leaves. Returns NULL if memory is out. */
static struct search_index *index_grow(struct search *s, struct columns *k,
                                       struct search_index *old) {
    uint32_t slot = index_slot(s, &old->key), n = leaves_for(table_rows(k, T_NODE));
    struct search_index *x = index_make(k, &old->key, n, arrays_of(old));
    if (!x) return NULL;
    struct search_index to = *old;
    to.n = n;
    to.score = x->score;
    to.winner = x->winner;
    to.merit = x->merit;
    to.tier = x->tier;
    to.match = x->match;
    to.is_able = x->is_able;
    to.is_asked = x->is_asked;
    to.bytes = old->bytes - block_bytes(old->n, arrays_of(old)) + x->bytes;
    *x = to;
    memcpy(x->score, old->score, old->n * sizeof *x->score);
    if (x->merit && old->merit) memcpy(x->merit, old->merit, old->n * sizeof *x->merit);
    if (x->tier && old->tier) memcpy(x->tier, old->tier, old->n * sizeof *x->tier);
    if (x->match && old->match) memcpy(x->match, old->match, old->n * sizeof *x->match);
    memcpy(x->is_able, old->is_able, old->n * sizeof *x->is_able);
    memcpy(x->is_asked, old->is_asked, old->n * sizeof *x->is_asked);
    steps_add(k, n);
    tree_build(x);
    s->bytes += x->bytes - old->bytes;
    s->dropped++;
    use_end(s, old);
    use_begin(s, x);
    s->index[slot] = x;
    alloc_free(k->alloc, old, block_bytes(old->n, arrays_of(old)));
    return x;
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
    int in_tree;      /* 1 to update the winner tree with each score; 0: it is built at the end */
    uint32_t n_asked; /* nodes for which filter and score were called */
    int cut;          /* 1 if the filling of the index was cut off */
    int later;        /* 1: nodes are scored after the cycle has paid for the searches ... */
    uint64_t due;     /* ... which took so many steps */
    /* steps of the searches for what nodes could hold, once for each class */
    uint64_t able_steps;
};

static void node_offers(const struct sync *y, uint32_t node, int64_t score, int64_t merit) {
    if (y->in_tree) {
        score_set(y->x, node, score, merit);
        return;
    }
    y->x->score[node] = score;
    if (y->x->merit) y->x->merit[node] = merit;
}

/* Takes score and merit of a node into the index. If the orchestrator recently rejected tasks of
 * this shape and queue on the node, the node must come after all other nodes. Therefore its score
 * is mapped to the lowest quarter of the 64-bit range, where the order among such nodes does not
 * change, and its merit is the least. Without this, the same few nodes could be tried again and
 * again, and the job would never get to the other nodes. */
static void node_is_scored(const struct sync *y, uint32_t node, int64_t score, int64_t merit) {
    const struct search_key *key = &y->x->key;
    if (score == SEARCH_LEAST) score++;
    if (key->queue != NO_ROW &&
        refusal_remembered(y->k, key->queue, key->shape, node, (int)key->later)) {
        score = SEARCH_LEAST + 1 + (int64_t)(((uint64_t)score - (uint64_t)SEARCH_LEAST) >> 2);
        merit = INT64_MIN;
    }
    node_offers(y, node, score, merit);
}

/* Moves the nodes that the filter keeps to the front of the batch. Returns their number, or the
 * error of the filter. */
static int32_t keep_nodes(struct sync *y, uint32_t n) {
    struct search_batch *b = y->s->batch;
    if (!y->scorer->keep) return (int32_t)n;
    int32_t rc = y->scorer->keep(y->scorer->user, &y->x->key, b->node, n, b->keep);
    if (rc != LSCHED_OK) return rc;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!b->keep[i]) node_offers(y, b->node[i], SEARCH_LEAST, 0);
        if (b->keep[i]) b->node[kept++] = b->node[i];
    }
    return (int32_t)kept;
}

static int32_t flush(struct sync *y) {
    struct search *s = y->s;
    struct search_index *x = y->x;
    struct search_batch *b = s->batch;
    if (y->n == 0) return LSCHED_OK;
    int32_t kept = keep_nodes(y, y->n);
    y->n = 0;
    if (kept <= 0) return kept;
    int32_t rc = y->scorer->score(y->scorer->user, &x->key, b->node, (size_t)kept, b->score);
    if (rc != LSCHED_OK) return rc;
    s->scored += (uint64_t)kept;
    steps_add(y->k, (uint64_t)kept);
    if (x->merit) y->scorer->merit(y->scorer->user, &x->key, b->node, (size_t)kept, b->merit);
    for (int32_t i = 0; i < kept; i++)
        node_is_scored(y, b->node[i], b->score[i], x->merit ? b->merit[i] : 0);
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

static int has_room_counted(const struct sync *y, uint32_t node) {
    struct search_index *x = y->x;
    uint64_t before = y->k->steps[STEPS_MATCH];
    int room =
        x->is_able[node] && y->v->node_ready[node] && !is_refused(y, node) && has_room(y, node);
    if (!x->match) return room;
    uint64_t steps = y->k->steps[STEPS_MATCH] - before;
    x->match_steps += steps - x->match[node].room;
    x->match[node].room = (uint32_t)steps;
    return room;
}

static int32_t search_ask(struct sync *y, uint32_t node) {
    y->n_asked++;
    y->s->batch->node[y->n++] = node;
    return y->n == LIMIT_POLICY_BATCH ? flush(y) : LSCHED_OK;
}

/* Looks at a node whose is_able is up to date. The score of a node with room is computed later,
 * in flush(); until then the node keeps its old score, for which the tree is right. */
static int32_t search_look_at(struct sync *y, uint32_t node) {
    struct search_index *x = y->x;
    x->asked -= x->is_asked[node];
    x->is_asked[node] = (uint8_t)has_room_counted(y, node);
    x->asked += x->is_asked[node];
    if (!x->is_asked[node]) {
        node_offers(y, node, SEARCH_LEAST, 0);
        return LSCHED_OK;
    }
    return y->later ? LSCHED_OK : search_ask(y, node);
}

/* True if nodes of one class can differ in the tasks of the shape that they could hold if they were
 * empty. This is so for shapes that ask for MIG instances: devices that are never repartitioned can
 * have different MIG instances on each node. */
static int differs_in_class(const struct sync *y) {
    return y->k->c[C_SHAPE_MIG_SLICES].u8[y->x->key.shape];
}

/* Returns 1 if the node could hold a task of the shape if the node were empty. */
static uint8_t able_by_class(struct sync *y, uint32_t node) {
    uint32_t class = y->k->c[C_NODE_CLASS].u32[node], shape = y->x->key.shape;
    struct search_class *known = &y->s->classes[class];
    if (known->able == 0 || differs_in_class(y)) {
        uint64_t before = y->k->steps[STEPS_MATCH];
        known->able = node_able(y->k, node, shape) ? 2 : 1;
        known->match = (uint32_t)(y->k->steps[STEPS_MATCH] - before);
        y->able_steps += known->match;
        if (y->x->tier) known->tier = rules_tier(y->k, node, shape);
    }
    if (y->x->tier) y->x->tier[node] = known->tier;
    if (y->x->match) y->x->match[node].able = known->match;
    return known->able == 2;
}

/* Brings is_able and the tier of a node up to date. The node loses its score first, because the
 * tree compares tiers and marks, too. */
static void renew_able(struct sync *y, uint32_t node) {
    struct search_index *x = y->x;
    uint32_t shape = x->key.shape;
    int live = y->v->node_live[node];
    score_set(x, node, SEARCH_LEAST, 0);
    x->able -= x->is_able[node];
    uint64_t before = y->k->steps[STEPS_MATCH];
    x->is_able[node] = live && node_able(y->k, node, shape);
    if (x->match) x->match[node].able = (uint32_t)(y->k->steps[STEPS_MATCH] - before);
    x->able += x->is_able[node];
    if (x->tier) x->tier[node] = live ? rules_tier(y->k, node, shape) : 0;
}

/* Marks all nodes as unable to take a task, because the filling of the index was interrupted, or
 * because the cycle cannot pay for it. The next query fills the index again. */
static void leave_empty(struct search_index *x) {
    for (uint32_t i = 0; i < x->n; i++) x->score[i] = SEARCH_LEAST;
    memset(x->is_able, 0, x->n * sizeof *x->is_able);
    x->able = 0;
    tree_build(x);
}

/* True if this query must spend work units for the searches for devices that match. */
static int pays_for_match(const struct sync *y) {
    return y->x->match && y->scorer->spend && y->x->match_cycle != y->s->cycle;
}

static int match_is_too_dear(const struct sync *y, uint64_t steps) {
    return steps / SEARCH_MATCH_STEPS > y->scorer->units_left(y->scorer->user);
}

static int is_cut(const struct sync *y, uint32_t node) {
    return (node % SEARCH_CUT_EVERY == 0 && y->scorer->interrupted &&
            y->scorer->interrupted(y->scorer->user)) ||
           (pays_for_match(y) && match_is_too_dear(y, y->x->match_steps + y->able_steps));
}

/* Returns the steps that the filling of the index would take now. What a node could hold is
 * searched once for each class. */
static uint64_t match_steps_of(const struct sync *y) {
    const struct search_index *x = y->x;
    const struct columns *k = y->k;
    uint64_t steps = x->match_steps;
    uint32_t rows = table_rows(k, T_NODE);
    struct search_class *seen = y->s->classes;
    if (y->s->class_cap) memset(seen, 0, y->s->class_cap * sizeof *seen);
    steps_add(k, rows);
    for (uint32_t node = 0; node < rows; node++) {
        uint32_t class = k->c[C_NODE_CLASS].u32[node];
        if (!y->v->node_live[node] || (seen[class].able && !differs_in_class(y))) continue;
        seen[class].able = 1;
        steps += x->match[node].able;
    }
    return steps;
}

/* Spends the work units for the searches for devices that match. If the cycle has too few left, it
 * stops, and the index is empty, as if it had never been filled: the cycle then goes on alike.
 * `cut`: the filling ended because of this. */
static void match_pay(const struct sync *y, int cut) {
    struct search_index *x = y->x;
    if (!pays_for_match(y)) return;
    uint64_t steps = cut ? x->match_steps + y->able_steps : y->later ? y->due : match_steps_of(y);
    if (match_is_too_dear(y, steps)) {
        leave_empty(x);
        x->synced = UINT64_MAX;
        x->filled++;
    } else {
        x->match_cycle = y->s->cycle;
    }
    y->scorer->spend(y->scorer->user, steps / SEARCH_MATCH_STEPS);
}

/* Counts what this query is to pay for, after all nodes were looked at. True if the cycle has too
 * few units left; then no node is scored. */
static int due_is_too_dear(struct sync *y) {
    if (!y->later) return 0;
    y->due = match_steps_of(y);
    return match_is_too_dear(y, y->due);
}

static int32_t sync_all(struct sync *y) {
    struct search_index *x = y->x;
    uint32_t rows = table_rows(y->k, T_NODE);
    x->able = 0;
    x->filled++;
    x->match_steps = 0;
    if (x->match) memset(x->match, 0, x->n * sizeof *x->match);
    if (y->s->class_cap) memset(y->s->classes, 0, y->s->class_cap * sizeof *y->s->classes);
    y->in_tree = 0;
    y->later = pays_for_match(y);
    steps_add(y->k, rows);
    for (uint32_t node = 0; node < rows; node++) {
        if (is_cut(y, node)) {
            leave_empty(x);
            y->cut = 1;
            return SEARCH_CUT;
        }
        x->is_able[node] = y->v->node_live[node] && able_by_class(y, node);
        x->able += x->is_able[node];
        int32_t rc = search_look_at(y, node);
        if (rc != LSCHED_OK) return rc;
    }
    if (due_is_too_dear(y)) return SEARCH_CUT;
    int32_t rc = LSCHED_OK;
    for (uint32_t node = 0; y->later && rc == LSCHED_OK && node < rows; node++)
        if (x->is_asked[node]) rc = search_ask(y, node);
    if (rc != LSCHED_OK) return rc;
    rc = flush(y);
    tree_build(x);
    return rc;
}

/* True if entry i of the touch log is the first one of a node of the index in this walk; *node is
 * the node. A row that was appended and removed again was never in the index. */
static int is_first_touch(const struct sync *y, uint64_t i, uint32_t *node) {
    const struct touch_log *t = &y->k->touch;
    const struct search *s = y->s;
    *node = t->rows[i & (t->cap - 1)];
    if (*node >= s->stamp_cap || *node >= y->v->rows_cap || *node >= y->x->n ||
        s->stamp[*node] == s->sync)
        return 0;
    s->stamp[*node] = s->sync;
    return 1;
}

static int32_t sync_touched(struct sync *y) {
    const struct touch_log *t = &y->k->touch;
    struct search *s = y->s;
    struct search_index *x = y->x;
    int differs = differs_in_class(y);
    s->sync++;
    y->in_tree = 1;
    y->later = pays_for_match(y);
    steps_add(y->k, t->next - x->synced);
    for (uint64_t i = x->synced; i < t->next; i++) {
        uint32_t node;
        if (!is_first_touch(y, i, &node)) continue;
        if (differs || y->v->node_edition[node] > x->edition) renew_able(y, node);
        int32_t rc = search_look_at(y, node);
        if (rc != LSCHED_OK) return rc;
    }
    if (due_is_too_dear(y)) return SEARCH_CUT;
    int32_t rc = LSCHED_OK;
    s->sync++;
    for (uint64_t i = x->synced; y->later && rc == LSCHED_OK && i < t->next; i++) {
        uint32_t node;
        if (is_first_touch(y, i, &node) && x->is_asked[node]) rc = search_ask(y, node);
    }
    return rc == LSCHED_OK ? flush(y) : rc;
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

/* Returns the index if it has room for all nodes and the arrays that it must have, or a larger one
 * that takes its place, or NULL. The first taint in the cluster can give tiers to nodes that had
 * none, and a new table of slow-downs merits. */
static struct search_index *usable(struct search *s, struct columns *k, struct search_index *x,
                                   int parts) {
    if (arrays_of(x) != parts) return NULL;
    return x->n >= table_rows(k, T_NODE) ? x : index_grow(s, k, x);
}

/* Sets *out to the index of the key. If there is none, makes an index that is not yet filled. */
static int32_t index_of_key(struct search *s, struct columns *k, const struct search_key *key,
                            const struct search_scorer *scorer, struct search_index **out) {
    struct search_index *found = index_known(s, key);
    int parts = parts_for(k, key, scorer);
    *out = found ? usable(s, k, found, parts) : NULL;
    if (found && !*out) index_evict(s, k, index_slot(s, key));
    int32_t rc = *out ? LSCHED_OK : index_new(s, k, key, parts, out);
    if (rc != LSCHED_OK) return rc;
    if ((*out)->version != scorer->version) (*out)->synced = UINT64_MAX;
    (*out)->version = scorer->version;
    return LSCHED_OK;
}

/* Scores the nodes that changed since the latest query of the index, or all nodes if the touch
 * log does not reach back to that query. Records the number of instructions that the policy
 * executed. */
static int32_t bring_up_to_date(struct sync *y) {
    struct search_index *x = y->x;
    const struct search_scorer *scorer = y->scorer;
    uint64_t before = scorer->spent ? scorer->spent(scorer->user) : 0;
    int anew = !touch_log_reaches(&y->k->touch, x->synced);
    *(anew ? &y->s->fills : &y->s->hits) += 1;
    if (x->synced == y->k->touch.next) return LSCHED_OK;
    int32_t rc = anew ? sync_all(y) : sync_touched(y);
    uint64_t seen = touch_seen(y->k);
    x->synced = rc == LSCHED_OK ? seen : UINT64_MAX;
    x->edition = y->v->edition;
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
    if (rc == LSCHED_OK) rc = index_of_key(s, k, key, scorer, out);
    if (rc != LSCHED_OK) return rc;
    use_again(s, *out);
    (*out)->mark = v->nodes.mark;
    struct sync y = {.s = s, .k = k, .v = v, .x = *out, .scorer = scorer};
    rc = bring_up_to_date(&y);
    if (rc == LSCHED_OK) match_pay(&y, y.cut);
    if (rc == LSCHED_OK && (*out)->synced == UINT64_MAX) return LSCHED_OK; /* left empty */
    return rc == LSCHED_OK ? pay(&y) : rc;
}
