/* share_tree.c -- see share_tree.h. */
#include "engine/state/share_tree.h"

#include "base/binary_heap.h"
#include "base/vec.h"
#include "model/demand/job_counts.h"
#include "model/jobs/bundle.h"
#include "model/queues/usage_decay.h"
#include "model/store/blocks.h"
#include "model/store/steps.h"

/* if more than one queue of this many has moved, all count as moved */
#define MOVED_FEW 16

struct siblings {
    struct share_tree *s;
    const struct columns *k;
};

int share_key_before(const struct columns *k, const lsched_share_key *key_a, uint32_t a,
                     const lsched_share_key *key_b, uint32_t b) {
    for (int w = 0; w < 2; w++)
        if (key_a->word[w] != key_b->word[w]) return key_a->word[w] < key_b->word[w];
    int64_t x = k->c[C_QUEUE_CREATED].i64[a], y = k->c[C_QUEUE_CREATED].i64[b];
    if (x != y) return x < y;
    return text_compare(k, k->c[C_QUEUE_NAME].u32[a], k->c[C_QUEUE_NAME].u32[b]) < 0;
}

/* Does what share_key_before() does. Queues that were added together often have equal keys, so
 * their names are compared by the ranks of the view and not by their texts. */
int share_comes_first(const struct share_tree *s, const struct columns *k, uint32_t a, uint32_t b) {
    const lsched_share_key *x = &s->key[a], *y = &s->key[b];
    if (x->word[0] != y->word[0]) return x->word[0] < y->word[0];
    if (x->word[1] != y->word[1]) return x->word[1] < y->word[1];
    int64_t p = k->c[C_QUEUE_CREATED].i64[a], q = k->c[C_QUEUE_CREATED].i64[b];
    if (p != q) return p < q;
    int before = s->view->queue_name_rank[a] < s->view->queue_name_rank[b];
    assert(before == share_key_before(k, x, a, y, b));
    return before;
}

static int share_tree_before(const struct siblings *of, uint32_t a, uint32_t b) {
    return share_comes_first(of->s, of->k, a, b);
}

/* ---- one binary heap in a section of items[] ---- */

static void share_tree_stand(const struct siblings *of, uint32_t queue, uint32_t at) {
    of->s->place[queue] = at;
}

HEAP_DEFINE(active, uint32_t, const struct siblings *, share_tree_before, share_tree_stand)

static void heap_set_active(struct share_tree *s, const struct columns *k, uint32_t queue,
                            int active) {
    const struct siblings of = {s, k};
    uint32_t slot = share_parent(s, k, queue), at = s->place[queue];
    uint32_t *heap = s->items + s->heap_of[slot], *n = &s->heap_n[slot];
    if (!active && at != NO_ROW) {
        s->place[queue] = NO_ROW;
        active_drop(&of, heap, n, at);
    } else if (active && at == NO_ROW) {
        active_add(&of, heap, n, queue);
    } else if (active) {
        active_settle(&of, heap, *n, at);
    }
}

/* Returns the child of the parent that is served first: an active child or the offer. */
static uint32_t first_child(const struct share_tree *s, const struct columns *k, uint32_t parent) {
    uint32_t first = s->heap_n[parent] ? s->items[s->heap_of[parent]] : NO_ROW;
    uint32_t offer = s->offer[parent];
    if (offer == NO_ROW || first == NO_ROW) return offer == NO_ROW ? first : offer;
    return share_comes_first(s, k, offer, first) ? offer : first;
}

/* ---- keys ---- */

/* Writes to want[] the amounts that the first job in or below the queue needs next. A leaf queue
 * takes the job from its first bundle b, another queue copies the amounts of its best child. */
static void next_want(struct share_tree *s, const struct columns *k, uint32_t queue, uint32_t b,
                      uint32_t best, int64_t *want) {
    uint32_t kinds = (uint32_t)meta(k, M_N_KINDS);
    memset(want, 0, KINDS_MAX * sizeof *want);
    if (b != NO_ROW)
        job_next_need(k, bundle_head(k, b), want);
    else if (best != NO_ROW)
        memcpy(want, s->want + (size_t)best * KINDS_MAX, kinds * sizeof *want);
    memcpy(s->want + (size_t)queue * KINDS_MAX, want, KINDS_MAX * sizeof *want);
}

/* Computes the key of a queue. b: the first bundle of a leaf queue, NO_ROW if there is none. */
static int32_t key_of(struct share_tree *s, const struct columns *k, uint32_t queue, uint32_t b,
                      lsched_share_key *key) {
    uint32_t best = first_child(s, k, queue);
    static const int64_t none[KINDS_MAX];
    int64_t want[KINDS_MAX];
    if (b != NO_ROW) s->head_order[queue] = k->c[C_JOB_ORDER].i64[bundle_head(k, b)];
    if (s->ops->uses_want) next_want(s, k, queue, b, best, want);
    return s->ops->update(s->self, s->view, queue, b != NO_ROW || best != NO_ROW, best,
                          s->ops->uses_want ? want : none, key);
}

static int32_t update_one(struct share_tree *s, const struct columns *k, uint32_t queue) {
    lsched_share_key was = s->key[queue];
    uint32_t first = k->c[C_QUEUE_HEAP].u32[queue], none = s->heap_n[queue] == 0;
    none &= s->offer[queue] == NO_ROW;
    int32_t rc = key_of(s, k, queue, first == NO_ROW ? s->lead[queue] : first, &s->key[queue]);
    if (rc == LSCHED_OK) heap_set_active(s, k, queue, first != NO_ROW || !none);
    if (was.word[0] != s->key[queue].word[0] || was.word[1] != s->key[queue].word[1] ||
        (s->ops->uses_want && none))
        touch_log_add(&s->changed, queue);
    return rc;
}

int32_t share_key_with(struct share_tree *s, const struct columns *k, uint32_t queue,
                       uint32_t bundle, lsched_share_key *key) {
    *key = s->key[queue];
    if (!s->ops->uses_want) return LSCHED_OK;
    uint32_t first = k->c[C_QUEUE_HEAP].u32[queue];
    lsched_share_key own;
    if (first == NO_ROW) first = s->lead[queue];
    int32_t rc = key_of(s, k, queue, bundle, key);
    /* the queue counts in the tree, so the algorithm must know it as it is */
    return rc == LSCHED_OK && first != NO_ROW ? key_of(s, k, queue, first, &own) : rc;
}

int32_t share_update(struct share_tree *s, const struct columns *k, uint32_t queue) {
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        steps_add(k, 1);
        int32_t rc = update_one(s, k, q);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

int32_t share_offer(struct share_tree *s, const struct columns *k, uint32_t parent, uint32_t queue,
                    uint32_t bundle) {
    uint32_t old = s->offer[parent], *lead = s->lead;
    int32_t rc = LSCHED_OK;
    if (!s->ops->uses_want) bundle = NO_ROW;
    if (old == queue && (queue == NO_ROW || lead[queue] == bundle)) return LSCHED_OK;
    s->offer[parent] = queue;
    if (old != NO_ROW && lead[old] != NO_ROW) {
        lead[old] = NO_ROW;
        rc = update_one(s, k, old);
    }
    if (rc == LSCHED_OK && bundle != NO_ROW) {
        lead[queue] = bundle;
        rc = update_one(s, k, queue);
    }
    return parent == s->cap || rc != LSCHED_OK ? rc : share_update(s, k, parent);
}

int32_t share_list_active(struct share_tree *s, const struct columns *k) {
    s->n_list = 0;
    for (uint32_t i = 0, slot = s->cap; i <= s->n_list; i++) {
        if (i) slot = s->list[i - 1];
        uint32_t n = s->heap_n[slot];
        if (!VEC_ROOM(k->alloc, s->list, s->cap_list, (uint64_t)s->n_list + n + 1))
            return LSCHED_E_NOMEM;
        memcpy(s->list + s->n_list, s->items + s->heap_of[slot], n * sizeof *s->list);
        s->n_list += n;
    }
    return LSCHED_OK;
}

uint32_t share_best(const struct share_tree *s, const struct columns *k) {
    uint32_t slot = s->cap;
    for (;;) {
        uint32_t first = first_child(s, k, slot);
        if (first == NO_ROW) return slot == s->cap ? NO_ROW : slot;
        slot = first;
        if (k->c[C_QUEUE_HEAP].u32[slot] != NO_ROW) return slot; /* only leaf queues have jobs */
    }
}

/* ---- begin ---- */

/* All arrays are in one block: key[] and want[] with one entry per queue row, and seven arrays of
 * 32-bit words that have one more entry, for the virtual root. */
static size_t block_of_rows(uint32_t rows) {
    return rows * (sizeof(lsched_share_key) + KINDS_MAX * sizeof(int64_t)) +
           (rows + 1ul) * sizeof(uint32_t) * 7;
}

static int32_t arrays_new(struct share_tree *s, struct alloc *a, uint32_t rows) {
    if (s->cap >= rows && s->cap) return LSCHED_OK;
    uint32_t cap = rows + rows / 4 + 8;
    lsched_share_key *block = alloc_zero(a, block_of_rows(cap));
    if (!block) return LSCHED_E_NOMEM;
    if (s->cap) alloc_free(a, s->key, block_of_rows(s->cap));
    s->cap = cap;
    s->key = block;
    s->want = (int64_t *)(void *)(block + cap);
    s->heap_of = (uint32_t *)(void *)(s->want + (size_t)cap * KINDS_MAX);
    s->heap_n = s->heap_of + cap + 1;
    s->items = s->heap_n + cap + 1;
    s->place = s->items + cap + 1;
    s->order = s->place + cap + 1;
    s->offer = s->order + cap + 1;
    s->lead = s->offer + cap + 1;
    return LSCHED_OK;
}

/* Divides items[] into sections: each queue gets a section for the heap of its children, with one
 * entry per child. Fills order[] with the rows of all queues, deepest queues first. Returns the
 * number of queues. */
static uint32_t lay_out(struct share_tree *s, const struct columns *k, uint32_t rows) {
    for (uint32_t i = 0; i <= s->cap; i++) s->heap_n[i] = 0, s->offer[i] = s->lead[i] = NO_ROW;
    uint32_t n_at[LSCHED_QUEUE_DEPTH_MAX + 2] = {0}, live = 0;
    s->n_roots = 0;
    s->mixed = 0;
    for (uint32_t q = 0; q < rows; q++) {
        if (!row_is_live(k, T_QUEUE, q)) continue;
        s->heap_n[share_parent(s, k, q)]++;
        n_at[LSCHED_QUEUE_DEPTH_MAX + 1 - k->c[C_QUEUE_DEPTH].u32[q]]++;
        s->place[q] = NO_ROW;
        uint32_t parent = k->c[C_QUEUE_PARENT].u32[q];
        s->n_roots += parent == NO_ROW;
        if (parent != NO_ROW)
            s->mixed |= k->c[C_QUEUE_PRIORITY_NOW].i32[q] !=
                        k->c[C_QUEUE_PRIORITY_NOW].i32[k->c[C_QUEUE_CHILD].u32[parent]];
        live++;
    }
    uint32_t first = 0;
    for (uint32_t i = 0; i <= s->cap; i++) {
        s->heap_of[i] = first;
        first += s->heap_n[i];
        s->heap_n[i] = 0;
    }
    for (uint32_t d = 0, sum = 0; d < LSCHED_QUEUE_DEPTH_MAX + 2; d++) {
        uint32_t here = n_at[d];
        n_at[d] = sum;
        sum += here;
    }
    for (uint32_t q = 0; q < rows; q++)
        if (row_is_live(k, T_QUEUE, q))
            s->order[n_at[LSCHED_QUEUE_DEPTH_MAX + 1 - k->c[C_QUEUE_DEPTH].u32[q]]++] = q;
    return live;
}

/* Builds all arrays and the algorithm's own data from the columns. */
static int32_t share_tree_build(struct share_tree *s, struct columns *k, struct view_cache *view) {
    uint32_t rows = table_rows(k, T_QUEUE);
    steps_add(k, rows);
    int32_t rc = touch_log_reserve(k->alloc, &k->queue_touch, rows);
    if (rc == LSCHED_OK) rc = touch_log_reserve(k->alloc, &s->changed, rows);
    if (rc == LSCHED_OK) rc = arrays_new(s, k->alloc, rows);
    if (rc != LSCHED_OK) return rc;
    touch_log_skip(&s->changed);
    s->head_order = view->queue_head;
    s->structure = k->structure;
    s->terms = k->queue_terms;
    s->usage_weight = view->view.usage_weight_milli;
    view_decayed(view, k);
    s->n_order = lay_out(s, k, rows);
    if (s->ops->begin) rc = s->ops->begin(s->self, s->view);
    for (uint32_t i = 0; i < s->n_order && rc == LSCHED_OK; i++) rc = update_one(s, k, s->order[i]);
    return rc;
}

/* True if the tree differs from a new one at most in the paths of queues that changed since. */
static int is_kept(const struct share_tree *s, const struct columns *k, const lsched_share_ops *ops,
                   const void *self, const struct view_cache *view) {
    return s->valid && s->ops == ops && s->self == self && s->structure == k->structure &&
           s->terms == k->queue_terms && s->head_order == view->queue_head &&
           s->usage_weight == view->view.usage_weight_milli && !usage_decay_is_on(k) &&
           touch_log_reaches(&k->queue_touch, s->seen);
}

static void note_moved(void *to, uint32_t queue) {
    struct share_tree *s = to;
    if (s->n_moved <= s->n_order / MOVED_FEW &&
        VEC_ROOM(s->alloc, s->moved, s->cap_moved, s->n_moved + 1))
        s->moved[s->n_moved++] = queue;
    else
        s->n_moved = UINT32_MAX; /* not all queues are listed */
}

/* Brings the algorithm's amounts up to date. Returns 1, 0 if all arrays must be built again, or a
 * negative error code. */
static int32_t share_tree_follow(struct share_tree *s, const struct columns *k) {
    const struct touch_log *t = &k->queue_touch;
    uint32_t n = (uint32_t)(t->next - s->seen);
    if (!VEC_ROOM(k->alloc, s->list, s->cap_list, n + 1)) return 0;
    for (uint32_t i = 0; i < n; i++) s->list[i] = t->rows[(s->seen + i) & (t->cap - 1)];
    s->n_moved = 0;
    s->alloc = k->alloc;
    return s->ops->follow(s->self, s->view, s->list, n, note_moved, s);
}

/* Updates the paths of the queues that changed since the tree was last up to date. */
static int32_t share_tree_catch_up(struct share_tree *s, const struct columns *k) {
    const struct touch_log *t = &k->queue_touch;
    int32_t rc = LSCHED_OK;
    for (uint64_t at = s->seen; at < t->next && rc == LSCHED_OK; at++)
        rc = share_update(s, k, t->rows[at & (t->cap - 1)]);
    if (!s->ops->follow) return rc;
    if (s->n_moved == UINT32_MAX) { /* inactive queues get their keys when they become active */
        steps_add(k, s->n_order);
        touch_log_skip(&s->changed);
        s->n_moved = 0;
    }
    for (uint32_t i = 0; i < s->n_moved && rc == LSCHED_OK; i++)
        rc = share_update(s, k, s->moved[i]);
    if (rc == LSCHED_OK) rc = share_list_active(s, k);
    for (uint32_t i = s->n_list; i-- > 0 && rc == LSCHED_OK;) rc = update_one(s, k, s->list[i]);
    return rc;
}

int32_t share_begin(struct share_tree *s, struct columns *k, const lsched_share_ops *ops,
                    void *self, struct view_cache *view) {
    int kept = is_kept(s, k, ops, self, view), same = kept && s->seen == k->queue_touch.next;
    int32_t rc = LSCHED_OK;
    if (same && (ops->local_keys || meta(k, M_ACTIVE) == 0)) return LSCHED_OK;
    s->ops = ops;
    s->self = self;
    s->view = &view->view;
    s->valid = 0;
    s->news = 1;
    /* with more changes than queues, a new tree is cheaper than the paths of the changes */
    kept &= share_keeps_keys(ops) && k->queue_touch.next - s->seen <= s->n_order;
    if (kept && ops->follow) kept = (rc = share_tree_follow(s, k)) > 0;
    if (rc >= 0) rc = kept ? share_tree_catch_up(s, k) : share_tree_build(s, k, view);
    s->seen = touch_log_seen(&k->queue_touch);
    s->valid = rc == LSCHED_OK;
    return rc;
}

void share_close(struct share_tree *s, struct columns *k) {
    if (s->cap) alloc_free(k->alloc, s->key, block_of_rows(s->cap));
    touch_log_close(k->alloc, &s->changed);
    alloc_free(k->alloc, s->list, s->cap_list * sizeof *s->list);
    alloc_free(k->alloc, s->moved, s->cap_moved * sizeof *s->moved);
    memset(s, 0, sizeof *s);
}
