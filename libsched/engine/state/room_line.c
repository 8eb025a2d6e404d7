/* room_line.c -- see room_line.h. */
#include "engine/state/room_line.h"

#include "base/binary_heap.h"
#include "base/hash.h"
#include "base/sort.h"
#include "base/vec.h"
#include "model/jobs/bundle.h"
#include "model/nodes/node.h"
#include "model/shapes/node_rules.h"
#include "model/store/steps.h"

/* parent of the line of bundles that wake all at once */
#define LINE_OTHERS (NO_ROW - 1)

/* ---- the heap of a line ---- */

struct line_of {
    struct room_lines *l;
    const struct columns *k;
};

static int room_line_before(const struct line_of *of, uint32_t a, uint32_t b) {
    const struct room_place *x = &of->l->place[a], *y = &of->l->place[b];
    if (x->queue == y->queue && x->key.word[0] == y->key.word[0] &&
        x->key.word[1] == y->key.word[1])
        return a < b;
    return share_key_before(of->k, &x->key, x->queue, &y->key, y->queue);
}

static void room_line_stand(const struct line_of *of, uint32_t b, uint32_t at) {
    of->l->place[b].at = at;
}

HEAP_DEFINE(standing, uint32_t, const struct line_of *, room_line_before, room_line_stand)

/* ---- lines by shape and parent ---- */

static uint32_t *room_line_bucket_of(const struct room_lines *l, uint32_t shape, uint32_t parent) {
    uint32_t mask = l->n_buckets - 1, i = (uint32_t)hash_mix(shape, parent) & mask;
    while (l->bucket[i] &&
           (l->line[l->bucket[i] - 1].shape != shape || l->line[l->bucket[i] - 1].parent != parent))
        i = (i + 1) & mask;
    return &l->bucket[i];
}

/* Returns the line, or NULL if there is none. */
static struct room_line *line_find(const struct room_lines *l, uint32_t shape, uint32_t parent) {
    uint32_t at = l->n_buckets ? *room_line_bucket_of(l, shape, parent) : 0;
    return at ? &l->line[at - 1] : NULL;
}

static int line_room(struct room_lines *l, struct alloc *a) {
    if (2 * (l->n_lines + 1) <= l->n_buckets) return 1;
    uint32_t n = l->n_buckets ? 2 * l->n_buckets : 16, old = l->n_buckets;
    uint32_t *fresh = alloc_zero(a, n * sizeof *fresh);
    if (!fresh) return 0;
    alloc_free(a, l->bucket, old * sizeof *l->bucket);
    l->bucket = fresh;
    l->n_buckets = n;
    for (uint32_t i = 0; i < l->n_lines; i++)
        *room_line_bucket_of(l, l->line[i].shape, l->line[i].parent) = i + 1;
    return 1;
}

/* Returns the line of the shape and parent, made if there is none; NULL if out of memory. */
static struct room_line *line_get(struct room_lines *l, struct alloc *a, uint32_t shape,
                                  uint32_t parent) {
    struct room_line *found = line_find(l, shape, parent);
    if (found) return found;
    if (!line_room(l, a) || !VEC_ROOM(a, l->line, l->cap_lines, l->n_lines + 1)) return NULL;
    struct room_line *line = &l->line[l->n_lines++];
    *line = (struct room_line){.shape = shape, .parent = parent, .next = NO_ROW};
    if (l->of_shape[shape]) line->next = l->of_shape[shape] - 1;
    l->of_shape[shape] = l->n_lines;
    *room_line_bucket_of(l, shape, parent) = l->n_lines;
    return line;
}

static uint32_t first_line_of(const struct room_lines *l, uint32_t shape) {
    return shape < l->cap_shapes && l->of_shape[shape] ? l->of_shape[shape] - 1 : NO_ROW;
}

/* ---- membership ---- */

static int waits_in_line(const struct columns *k, uint32_t b) {
    return row_is_live(k, T_BUNDLE, b) && k->c[C_BUNDLE_STATE].u8[b] == BUNDLE_PARKED &&
           k->c[C_BUNDLE_LIST].u8[b] == PARKED_SHAPE;
}

/* Returns the parent of the line in which the bundle belongs. */
static uint32_t room_line_parent_of(const struct share_tree *s, const struct columns *k,
                                    uint32_t b) {
    uint32_t code = k->c[C_BUNDLE_CODE].u8[b], shape = k->c[C_BUNDLE_LIST_OF].u32[b];
    int by_room = (code == LSCHED_WAIT_ROOM || code == LSCHED_WAIT_GANG) &&
                  !(k->c[C_SHAPE_RULES].u8[shape] & RULES_OF_JOBS) &&
                  k->c[C_SHAPE_DAY].u32[shape] == 0;
    return by_room ? share_parent(s, k, k->c[C_BUNDLE_QUEUE].u32[b]) : LINE_OTHERS;
}

static void leave_line(struct room_lines *l, const struct columns *k, uint32_t b) {
    struct room_place *p = &l->place[b];
    const struct line_of of = {l, k};
    if (!p->line) return;
    struct room_line *line = &l->line[p->line - 1];
    standing_drop(&of, line->heap, &line->n, p->at);
    if (p->next != NO_ROW) l->place[p->next].prev = p->prev;
    if (p->prev != NO_ROW)
        l->place[p->prev].next = p->next;
    else
        l->of_queue[p->queue] = p->next == NO_ROW ? 0 : p->next + 1;
    p->line = 0;
    steps_add(k, 1);
}

/* Adds the bundle to its line. heaped: 0 if the caller makes the heaps afterwards. */
static int32_t join_line(struct room_lines *l, struct share_tree *s, struct columns *k, uint32_t b,
                         int heaped) {
    const struct line_of of = {l, k};
    struct room_line *line =
        line_get(l, k->alloc, k->c[C_BUNDLE_LIST_OF].u32[b], room_line_parent_of(s, k, b));
    if (!line || !VEC_ROOM(k->alloc, line->heap, line->cap, line->n + 1)) return LSCHED_E_NOMEM;
    struct room_place *p = &l->place[b];
    uint32_t q = k->c[C_BUNDLE_QUEUE].u32[b];
    lsched_share_key key;
    int32_t rc = share_key_with(s, k, q, b, &key);
    if (rc != LSCHED_OK) return rc;
    *p = (struct room_place){key, (uint32_t)(line - l->line) + 1, line->n, q, NO_ROW, NO_ROW};
    if (l->of_queue[q]) {
        p->next = l->of_queue[q] - 1;
        l->place[p->next].prev = b;
    }
    l->of_queue[q] = b + 1;
    if (heaped)
        standing_add(&of, line->heap, &line->n, b);
    else
        line->heap[line->n++] = b;
    steps_add(k, 1);
    return LSCHED_OK;
}

/* ---- up to date ---- */

static int tables_room(struct room_lines *l, struct columns *k) {
    struct alloc *a = k->alloc;
    return VEC_ROOM_ZERO(a, l->place, l->cap_places, table_rows(k, T_BUNDLE)) &&
           VEC_ROOM_ZERO(a, l->of_shape, l->cap_shapes, table_rows(k, T_SHAPE)) &&
           VEC_ROOM_ZERO(a, l->of_queue, l->cap_queues, table_rows(k, T_QUEUE));
}

static void lines_empty(struct room_lines *l, struct alloc *a) {
    for (uint32_t i = 0; i < l->n_lines; i++)
        alloc_free(a, l->line[i].heap, l->line[i].cap * sizeof *l->line[i].heap);
    l->n_lines = 0;
    if (l->n_buckets) memset(l->bucket, 0, l->n_buckets * sizeof *l->bucket);
    if (l->cap_places) memset(l->place, 0, l->cap_places * sizeof *l->place);
    if (l->cap_shapes) memset(l->of_shape, 0, l->cap_shapes * sizeof *l->of_shape);
    if (l->cap_queues) memset(l->of_queue, 0, l->cap_queues * sizeof *l->of_queue);
}

static int32_t lines_build(struct room_lines *l, struct share_tree *s, struct columns *k) {
    const struct line_of of = {l, k};
    lines_empty(l, k->alloc);
    for (uint32_t shape = (uint32_t)meta(k, M_PARKED_SHAPES); shape != NO_ROW;
         shape = k->c[C_SHAPE_PARKED_NEXT].u32[shape])
        for (uint32_t b = k->c[C_SHAPE_PARKED].u32[shape]; b != NO_ROW;
             b = k->c[C_BUNDLE_NEXT].u32[b]) {
            int32_t rc = join_line(l, s, k, b, 0);
            if (rc != LSCHED_OK) return rc;
        }
    for (uint32_t i = 0; i < l->n_lines; i++) standing_make(&of, l->line[i].heap, l->line[i].n);
    return LSCHED_OK;
}

/* Takes over the new key of a queue for each of its bundles, one after the other. */
static int32_t key_changed(struct room_lines *l, struct share_tree *s, const struct columns *k,
                           uint32_t queue) {
    const struct line_of of = {l, k};
    uint32_t b = queue < l->cap_queues && l->of_queue[queue] ? l->of_queue[queue] - 1 : NO_ROW;
    for (; b != NO_ROW; b = l->place[b].next) {
        struct room_line *line = &l->line[l->place[b].line - 1];
        int32_t rc = share_key_with(s, k, queue, b, &l->place[b].key);
        standing_settle(&of, line->heap, line->n, l->place[b].at);
        steps_add(k, 1);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* Records that the offer of the parent of the queue can have changed. */
static int32_t offer_is_dirty(struct room_lines *l, struct columns *k, uint32_t parent) {
    if (l->n_dirty && l->dirty[l->n_dirty - 1] == parent) return LSCHED_OK;
    if (!VEC_ROOM(k->alloc, l->dirty, l->cap_dirty, l->n_dirty + 1)) return LSCHED_E_NOMEM;
    l->dirty[l->n_dirty++] = parent;
    return LSCHED_OK;
}

static int shape_is_awake(const struct room_lines *l, uint32_t shape) {
    uint32_t i = 0;
    while (i < l->n_awake && l->awake[i].shape != shape) i++;
    return i < l->n_awake;
}

/* Returns the first bundle of the queue, from bundle b on, in an awake line; NO_ROW if there is
 * none. */
static uint32_t next_awake(const struct room_lines *l, uint32_t b) {
    for (; b != NO_ROW; b = l->place[b].next) {
        const struct room_line *line = &l->line[l->place[b].line - 1];
        if (line->parent != LINE_OTHERS && shape_is_awake(l, line->shape)) break;
    }
    return b;
}

static uint32_t first_awake(const struct room_lines *l, uint32_t queue) {
    int any = queue < l->cap_queues && l->of_queue[queue];
    return next_awake(l, any ? l->of_queue[queue] - 1 : NO_ROW);
}

/* Really wakes the bundles of the queue in awake lines. */
static int32_t wake_queue(struct room_lines *l, struct share_tree *s, struct columns *k,
                          uint32_t queue) {
    uint32_t b = first_awake(l, queue);
    if (b == NO_ROW) return LSCHED_OK;
    for (uint32_t next; b != NO_ROW; b = next) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        next = next_awake(l, l->place[b].next);
        leave_line(l, k, b);
        bundle_wake(k, b);
    }
    return share_update(s, k, queue);
}

static int32_t read_keys(struct room_lines *l, struct share_tree *s, struct columns *k) {
    const struct touch_log *t = &s->changed;
    int32_t rc = LSCHED_OK;
    for (; l->keys_seen < t->next && rc == LSCHED_OK; l->keys_seen++) {
        uint32_t q = t->rows[l->keys_seen & (t->cap - 1)];
        if (q >= l->cap_queues || !l->of_queue[q]) continue;
        rc = key_changed(l, s, k, q);
        if (l->n_awake && rc == LSCHED_OK) rc = offer_is_dirty(l, k, share_parent(s, k, q));
        if (l->open && rc == LSCHED_OK && k->c[C_QUEUE_HEAP].u32[q] != NO_ROW && s->ops->uses_want)
            rc = wake_queue(l, s, k, q);
    }
    (void)touch_log_seen(&s->changed);
    return rc;
}

/* Reads what was parked and woken. A bundle whose line can have changed leaves and joins again. */
static int32_t read_bundles(struct room_lines *l, struct share_tree *s, struct columns *k) {
    const struct touch_log *t = &k->bundle_touch;
    for (; l->bundles_seen < t->next; l->bundles_seen++) {
        uint32_t b = t->rows[l->bundles_seen & (t->cap - 1)];
        if (b >= l->cap_places) continue; /* a row that a rollback has removed */
        leave_line(l, k, b);
        int32_t rc = waits_in_line(k, b) ? join_line(l, s, k, b, 1) : LSCHED_OK;
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

static int32_t lines_sync(struct room_lines *l, struct share_tree *s, struct columns *k) {
    if (!tables_room(l, k) ||
        touch_log_reserve(k->alloc, &k->bundle_touch, 2 * table_rows(k, T_BUNDLE)) != LSCHED_OK) {
        l->valid = 0;
        return LSCHED_E_NOMEM;
    }
    int kept = l->valid && l->structure == k->structure && l->root == share_root(s) &&
               touch_log_reaches(&k->bundle_touch, l->bundles_seen) &&
               touch_log_reaches(&s->changed, l->keys_seen);
    int32_t rc = LSCHED_OK;
    l->valid = 0;
    if (kept) {
        rc = read_bundles(l, s, k);
        if (rc == LSCHED_OK) rc = read_keys(l, s, k);
    } else {
        rc = lines_build(l, s, k);
        l->bundles_seen = k->bundle_touch.next;
        l->keys_seen = s->changed.next;
        l->structure = k->structure;
        l->root = share_root(s);
    }
    (void)touch_log_seen(&k->bundle_touch);
    (void)touch_log_seen(&s->changed);
    l->valid = rc == LSCHED_OK;
    return rc;
}

/* ---- awake shapes ---- */

void room_line_rest(struct room_lines *l, struct share_tree *s) {
    if (l->n_awake) share_forget(s); /* a cycle ended without an answer; its offers are void */
    l->n_awake = l->n_grown = l->n_dirty = 0;
    l->open = 0;
    l->groups_seen = 0;
    l->stamp++;
}

int32_t room_line_grew(struct room_lines *l, struct columns *k, uint32_t node) {
    if (!VEC_ROOM(k->alloc, l->grown, l->cap_grown, l->n_grown + 1)) return LSCHED_E_NOMEM;
    l->grown[l->n_grown++] = node;
    return LSCHED_OK;
}

int room_line_is_awake(const struct room_lines *l, uint32_t shape) {
    return shape < l->cap_woken && l->woken[shape] == l->stamp;
}

int32_t room_line_wake(struct room_lines *l, struct columns *k, uint32_t shape) {
    if (!VEC_ROOM(k->alloc, l->awake, l->cap_awake, l->n_awake + 1) ||
        !VEC_ROOM_ZERO(k->alloc, l->woken, l->cap_woken, table_rows(k, T_SHAPE)))
        return LSCHED_E_NOMEM;
    l->woken[shape] = l->stamp;
    l->awake[l->n_awake++] = (struct room_awake){shape, 0, 0};
    return LSCHED_OK;
}

/* True if the bundle would be the first one of its queue if all bundles in awake lines woke. */
static int would_lead(const struct room_lines *l, const struct columns *k, uint32_t b) {
    uint32_t q = l->place[b].queue;
    if (k->c[C_QUEUE_HEAP].u32[q] != NO_ROW) return 0;
    for (uint32_t x = first_awake(l, q); x != NO_ROW; x = next_awake(l, l->place[x].next))
        if (x != b && bundle_heap.before(k, x, b)) return 0;
    return 1;
}

/* Returns the bundle that the awake lines of the parent put first, NO_ROW if there is none. */
static uint32_t first_of_lines(const struct room_lines *l, const struct columns *k,
                               uint32_t parent) {
    const struct line_of of = {(struct room_lines *)l, k};
    uint32_t best = NO_ROW;
    for (uint32_t i = 0; i < l->n_awake; i++) {
        const struct room_line *line = line_find(l, l->awake[i].shape, parent);
        steps_add(k, 1);
        if (!line || line->n == 0 || l->awake[i].is_tired) continue;
        if (best == NO_ROW || room_line_before(&of, line->heap[0], best)) best = line->heap[0];
    }
    return best;
}

/* Makes the offer of a parent again. If the key of a queue follows its first bundle, a bundle that
 * would not be the first one stands in its line under a key that its queue would not have. Such a
 * queue really wakes. */
static int32_t offer_again(struct room_lines *l, struct share_tree *s, struct columns *k,
                           uint32_t parent) {
    for (;;) {
        uint32_t b = first_of_lines(l, k, parent);
        if (b == NO_ROW) return share_offer(s, k, parent, NO_ROW, NO_ROW);
        uint32_t queue = l->place[b].queue;
        if (!s->ops->uses_want || would_lead(l, k, b)) return share_offer(s, k, parent, queue, b);
        int32_t rc = wake_queue(l, s, k, queue);
        if (rc != LSCHED_OK) return rc;
    }
}

/* Records that the offers of all parents of queues in the lines of the shape can have changed. */
static int32_t shape_is_dirty(struct room_lines *l, struct columns *k, uint32_t shape) {
    int32_t rc = LSCHED_OK;
    for (uint32_t i = first_line_of(l, shape); i != NO_ROW && rc == LSCHED_OK; i = l->line[i].next)
        if (l->line[i].parent != LINE_OTHERS) rc = offer_is_dirty(l, k, l->line[i].parent);
    return rc;
}

static int parent_before(const struct columns *k, uint32_t a, uint32_t b) {
    (void)k;
    return a < b;
}

SORT_IN_PLACE(sort_parents, uint32_t, const struct columns *, parent_before)

/* Makes the dirty offers again. */
static int32_t make_offers(struct room_lines *l, struct share_tree *s, struct columns *k) {
    int32_t rc = LSCHED_OK;
    uint32_t last = NO_ROW;
    sort_parents(k, l->dirty, l->n_dirty);
    for (uint32_t i = 0; i < l->n_dirty && rc == LSCHED_OK; i++) {
        uint32_t parent = l->dirty[i];
        if (parent != last) rc = offer_again(l, s, k, parent);
        last = parent;
    }
    l->n_dirty = 0;
    return rc;
}

static int32_t really_wake(struct share_tree *s, struct columns *k, uint32_t b) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    bundle_wake(k, b);
    return share_update(s, k, k->c[C_BUNDLE_QUEUE].u32[b]);
}

/* Really wakes all parked bundles of a shape. */
static int32_t room_line_wake_shape(struct share_tree *s, struct columns *k, uint32_t shape) {
    int32_t rc = LSCHED_OK;
    while (k->c[C_SHAPE_PARKED].u32[shape] != NO_ROW && rc == LSCHED_OK) {
        rc = really_wake(s, k, k->c[C_SHAPE_PARKED].u32[shape]);
        steps_add(k, 1);
    }
    return rc;
}

/* Really wakes the bundles that are still in the lines of a shape. */
static int32_t wake_lines(struct room_lines *l, struct share_tree *s, struct columns *k,
                          uint32_t shape) {
    int32_t rc = LSCHED_OK;
    for (uint32_t i = first_line_of(l, shape); i != NO_ROW; i = l->line[i].next)
        while (l->line[i].n && rc == LSCHED_OK) {
            uint32_t b = l->line[i].heap[l->line[i].n - 1];
            if (waits_in_line(k, b)) rc = really_wake(s, k, b);
            /* a bundle that could not wake is still parked, so it stays in its line */
            if (rc == LSCHED_OK) leave_line(l, k, b);
        }
    return rc;
}

int32_t room_line_flush(struct room_lines *l, struct share_tree *s, struct columns *k) {
    uint32_t n = l->n_awake;
    int open = l->open && n > 0;
    int32_t rc = LSCHED_OK;
    l->n_awake = 0; /* without awake shapes there are no offers */
    l->open = 0;
    for (uint32_t i = 0; open && i < l->n_lines && rc == LSCHED_OK; i++)
        if (l->line[i].parent != LINE_OTHERS)
            rc = share_offer(s, k, l->line[i].parent, NO_ROW, NO_ROW);
    for (uint32_t i = 0; i < n && rc == LSCHED_OK; i++)
        rc = open ? wake_lines(l, s, k, l->awake[i].shape)
                  : room_line_wake_shape(s, k, l->awake[i].shape);
    return rc;
}

/* Really wakes the bundles of the shape that can start for other reasons than new room. */
static int32_t room_line_wake_others(struct room_lines *l, struct share_tree *s, struct columns *k,
                                     uint32_t shape) {
    struct room_line *line = line_find(l, shape, LINE_OTHERS);
    int32_t rc = LSCHED_OK;
    while (line && line->n && rc == LSCHED_OK) {
        uint32_t b = line->heap[0];
        rc = really_wake(s, k, b);
        if (rc == LSCHED_OK) leave_line(l, k, b);
    }
    return rc;
}

/* Really wakes the bundles of active queues in awake lines, if the key of a queue follows its first
 * bundle: the queue is active under the key that it has with all of them. */
static int32_t wake_active(struct room_lines *l, struct share_tree *s, struct columns *k) {
    if (!s->ops->uses_want) return LSCHED_OK;
    int32_t rc = share_list_active(s, k);
    for (uint32_t i = 0; i < s->n_list && rc == LSCHED_OK; i++)
        rc = wake_queue(l, s, k, s->list[i]);
    return rc;
}

int32_t room_line_open(struct room_lines *l, struct share_tree *s, struct columns *k) {
    if (l->n_awake == 0) return LSCHED_OK;
    if (s->mixed || lines_sync(l, s, k) != LSCHED_OK) return room_line_flush(l, s, k);
    l->removed_seen = k->bundle_touch.next;
    l->open = 1;
    for (uint32_t i = 0; i < l->n_awake; i++) {
        int32_t rc = room_line_wake_others(l, s, k, l->awake[i].shape);
        if (rc != LSCHED_OK) return rc;
        if (shape_is_dirty(l, k, l->awake[i].shape) != LSCHED_OK) return room_line_flush(l, s, k);
    }
    int32_t rc = wake_active(l, s, k);
    return rc == LSCHED_OK ? make_offers(l, s, k) : rc;
}

/* Removes from the lines the bundles that another file has woken since. A bundle that was tried and
 * parked again joins its line in the next cycle, because this cycle does not try it again. */
static int32_t read_woken(struct room_lines *l, struct columns *k) {
    const struct touch_log *t = &k->bundle_touch;
    int32_t rc = LSCHED_OK;
    for (; l->removed_seen < t->next && rc == LSCHED_OK; l->removed_seen++) {
        uint32_t b = t->rows[l->removed_seen & (t->cap - 1)];
        if (b >= l->cap_places || !l->place[b].line || waits_in_line(k, b)) continue;
        uint32_t parent = l->line[l->place[b].line - 1].parent;
        leave_line(l, k, b);
        if (parent != LINE_OTHERS) rc = offer_is_dirty(l, k, parent);
    }
    (void)touch_log_seen(&k->bundle_touch);
    return rc;
}

/* True if a node that gained room still fits one task of the shape. */
static int room_line_has_room(struct room_lines *l, const struct columns *k, struct room_awake *w) {
    for (; w->at < l->n_grown; w->at++) {
        uint32_t node = l->grown[w->at];
        steps_add(k, 1);
        if (row_is_live(k, T_NODE, node) && k->c[C_NODE_STATE].u8[node] == LSCHED_NODE_READY &&
            node_fits(k, node, w->shape) && node_able(k, node, w->shape))
            return 1;
    }
    return 0;
}

/* True if a sleeping shape can change the order in which other bundles are tried: the key of an
 * inner queue follows its first bundle, and others compete below inner queues. */
static int sleep_moves_others(struct room_lines *l, const struct share_tree *s,
                              const struct columns *k) {
    if (!s->ops->uses_want || s->n_roots == s->n_order) return 0;
    if (meta(k, M_ACTIVE)) return 1;
    for (uint32_t i = 0; i < l->n_awake; i++)
        if (room_line_has_room(l, k, &l->awake[i])) return 1;
    return 0;
}

/* Lets the shapes sleep for which no room is left. Room becomes less only when the transaction of a
 * job is kept, and then there is another decision group. */
static int32_t sleep_without_room(struct room_lines *l, const struct share_tree *s,
                                  struct columns *k) {
    int32_t rc = LSCHED_OK;
    if (l->groups_seen == meta(k, M_GROUP_SERIAL) + 1 || sleep_moves_others(l, s, k))
        return LSCHED_OK;
    l->groups_seen = meta(k, M_GROUP_SERIAL) + 1;
    for (uint32_t i = 0; i < l->n_awake && rc == LSCHED_OK;) {
        if (l->awake[i].is_tired || room_line_has_room(l, k, &l->awake[i])) {
            i++;
            continue;
        }
        rc = shape_is_dirty(l, k, l->awake[i].shape);
        if (rc == LSCHED_OK && s->ops->uses_want)
            l->awake[i].is_tired = 1;
        else if (rc == LSCHED_OK)
            l->awake[i] = l->awake[--l->n_awake];
    }
    return rc;
}

int32_t room_line_next(struct room_lines *l, struct share_tree *s, struct columns *k) {
    if (l->n_awake == 0) return LSCHED_OK;
    /* Room that comes free later, and room that came free in this cycle, can be on any node, and
     * only an attempt says whether a bundle can use it. */
    int elsewhere = meta(k, M_LEAVING) + meta(k, M_NOMINATED) > 0 || meta(k, M_GREW_HEAD) != NO_ROW;
    if (elsewhere || !touch_log_reaches(&k->bundle_touch, l->removed_seen) ||
        !touch_log_reaches(&s->changed, l->keys_seen))
        return room_line_flush(l, s, k);
    int32_t rc = read_woken(l, k);
    if (rc == LSCHED_OK) rc = read_keys(l, s, k);
    if (rc == LSCHED_OK) rc = sleep_without_room(l, s, k);
    /* without memory for the list of offers, all bundles wake */
    if (rc != LSCHED_OK) return room_line_flush(l, s, k);
    rc = make_offers(l, s, k);
    /* tired shapes sleep when nothing is left to try */
    if (rc == LSCHED_OK && meta(k, M_ACTIVE) == 0 && share_best(s, k) == NO_ROW) l->n_awake = 0;
    return rc;
}

int32_t room_line_pull(struct room_lines *l, struct share_tree *s, struct columns *k,
                       uint32_t queue) {
    uint32_t parent = share_parent(s, k, queue);
    if (l->n_awake == 0 || s->offer[parent] != queue) return LSCHED_OK;
    int32_t rc = wake_queue(l, s, k, queue);
    return rc == LSCHED_OK ? offer_again(l, s, k, parent) : rc;
}

/* ---- end and checks ---- */

void room_line_close(struct room_lines *l, struct columns *k) {
    struct alloc *a = k->alloc;
    lines_empty(l, a);
    alloc_free(a, l->line, l->cap_lines * sizeof *l->line);
    alloc_free(a, l->bucket, l->n_buckets * sizeof *l->bucket);
    alloc_free(a, l->place, l->cap_places * sizeof *l->place);
    alloc_free(a, l->of_shape, l->cap_shapes * sizeof *l->of_shape);
    alloc_free(a, l->of_queue, l->cap_queues * sizeof *l->of_queue);
    alloc_free(a, l->awake, l->cap_awake * sizeof *l->awake);
    alloc_free(a, l->grown, l->cap_grown * sizeof *l->grown);
    alloc_free(a, l->woken, l->cap_woken * sizeof *l->woken);
    alloc_free(a, l->dirty, l->cap_dirty * sizeof *l->dirty);
    memset(l, 0, sizeof *l);
}

int room_line_is_sound(struct room_lines *l, struct share_tree *s, struct columns *k) {
    const struct line_of of = {l, k};
    uint32_t in_lines = 0, waiting = 0;
    if (!l->valid || !s->valid || lines_sync(l, s, k) != LSCHED_OK) return 1;
    for (uint32_t i = 0; i < l->n_lines; i++) {
        const struct room_line *line = &l->line[i];
        for (uint32_t j = 0; j < line->n; j++) {
            uint32_t b = line->heap[j];
            const struct room_place *p = &l->place[b];
            lsched_share_key key = {{0, 0}};
            if (share_key_with(s, k, p->queue, b, &key) != LSCHED_OK) return 0;
            if (!waits_in_line(k, b) || k->c[C_BUNDLE_LIST_OF].u32[b] != line->shape ||
                room_line_parent_of(s, k, b) != line->parent || p->line != i + 1 || p->at != j ||
                p->queue != k->c[C_BUNDLE_QUEUE].u32[b] || p->key.word[0] != key.word[0] ||
                p->key.word[1] != key.word[1] ||
                (j && room_line_before(&of, b, line->heap[(j - 1) / 2])))
                return 0;
        }
        in_lines += line->n;
    }
    for (uint32_t b = 0; b < table_rows(k, T_BUNDLE); b++) waiting += (uint32_t)waits_in_line(k, b);
    return in_lines == waiting;
}
