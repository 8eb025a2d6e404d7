/* absence_line.c -- see absence_line.h. */
#include "engine/state/absence_line.h"

#include <assert.h>

#include "base/hash.h"
#include "base/sort.h"
#include "base/vec.h"
#include "model/nodes/absence.h"
#include "model/store/steps.h"

static uint64_t absence_mark(uint32_t node) {
    return hash_mix(1, node + 1ull);
}

static void absence_entry_renew(void *of, uint32_t at) {
    const struct absence_line *l = of;
    struct absence_entry *x = &l->entry[at];
    const uint32_t below[2] = {l->link[at].left, l->link[at].right};
    x->least_back = x->back;
    x->sum = absence_mark(at);
    x->count = 1;
    for (uint32_t i = 0; i < 2; i++) {
        if (below[i] == NO_ROW) continue;
        const struct absence_entry *y = &l->entry[below[i]];
        if (y->least_back < x->least_back) x->least_back = y->least_back;
        x->sum += y->sum;
        x->count += y->count;
    }
}

static struct treap absence_tree(struct absence_line *l) {
    return (struct treap){l->link, &l->root, absence_entry_renew, l};
}

/* True if the node leaves before another one of the line, or with it and is the first of both. */
static int leaves_first(const struct absence_line *l, uint32_t a, uint32_t b) {
    int64_t x = l->entry[a].leaves, y = l->entry[b].leaves;
    return x != y ? x < y : a < b;
}

static void absence_entry_put(struct absence_line *l, struct columns *k, uint32_t node) {
    uint32_t above = NO_ROW, at = l->root;
    int left = 0;
    while (at != NO_ROW) {
        steps_add(k, 1);
        above = at;
        left = leaves_first(l, node, at);
        at = left ? l->link[at].left : l->link[at].right;
    }
    struct treap tree = absence_tree(l);
    treap_put(&tree, node, above, left);
    l->entry[node].is_in = 1;
}

static void absence_entry_take_out(struct absence_line *l, uint32_t node) {
    struct treap tree = absence_tree(l);
    treap_take_out(&tree, node);
    l->entry[node].is_in = 0;
}

/* Returns 1 if the node is to leave after the time of the line, and fills *next; else 0. *right: 1
 * if that is what the entry of the node says. */
static int absence_entry_next(const struct absence_line *l, const struct columns *k, uint32_t node,
                              struct absence *next, int *right) {
    const struct absence_entry *x = &l->entry[node];
    int is = row_is_live(k, T_NODE, node) && absence_next(k, node, l->at, next);
    *right = x->is_in == is && (!is || (x->leaves == next->leaves && x->back == next->back));
    return is;
}

/* Makes the entry of the node that of its next absence at the time of the line. */
static void absence_entry_set(struct absence_line *l, struct columns *k, uint32_t node) {
    struct absence next;
    struct absence_entry *x = &l->entry[node];
    int right;
    steps_add(k, 1);
    int is = absence_entry_next(l, k, node, &next, &right);
    if (right) return;
    if (x->is_in) absence_entry_take_out(l, node);
    if (!is) return;
    x->leaves = next.leaves;
    x->back = next.back;
    absence_entry_put(l, k, node);
}

/* Returns a node of the line that is back by the time `at`; NO_ROW: there is none. */
static uint32_t absence_line_over(const struct absence_line *l, int64_t at) {
    uint32_t node = l->root;
    if (node == NO_ROW || l->entry[node].least_back > at) return NO_ROW;
    while (l->entry[node].back > at) {
        uint32_t left = l->link[node].left;
        int is_left = left != NO_ROW && l->entry[left].least_back <= at;
        node = is_left ? left : l->link[node].right;
    }
    return node;
}

static int32_t absence_line_room(struct absence_line *l, struct columns *k) {
    uint32_t rows = table_rows(k, T_NODE);
    if (!VEC_ROOM_ZERO(k->alloc, l->entry, l->cap, rows) ||
        !VEC_ROOM(k->alloc, l->link, l->cap_links, rows))
        return LSCHED_E_NOMEM;
    return touch_log_reserve(k->alloc, &k->touch, rows);
}

static void absence_line_make(struct absence_line *l, struct columns *k) {
    l->root = NO_ROW;
    for (uint32_t node = 0; node < l->cap; node++) l->entry[node].is_in = 0;
    steps_add(k, table_rows(k, T_NODE));
    for (uint32_t node = 0; node < table_rows(k, T_NODE); node++)
        if (absence_is_set(k, node)) absence_entry_set(l, k, node);
}

int32_t absence_line_sync(struct absence_line *l, struct columns *k, int64_t at) {
    const struct touch_log *t = &k->touch;
    if (l->known && l->synced == t->next && l->at == at) return LSCHED_OK;
    int32_t rc = absence_line_room(l, k);
    if (rc != LSCHED_OK) return rc;
    int goes_on = l->known && touch_log_reaches(t, l->synced) && at >= l->at;
    l->at = at;
    if (goes_on) {
        for (uint64_t i = l->synced; i < t->next; i++) {
            uint32_t node = t->rows[i & (t->cap - 1)];
            if (node < table_rows(k, T_NODE)) absence_entry_set(l, k, node);
        }
        for (uint32_t node; (node = absence_line_over(l, at)) != NO_ROW;)
            absence_entry_set(l, k, node);
    } else {
        absence_line_make(l, k);
    }
    l->known = 1;
    l->synced = touch_log_seen(&k->touch);
    return LSCHED_OK;
}

uint64_t absence_line_nodes(const struct absence_line *l, struct columns *k, int64_t now,
                            int64_t length) {
    uint64_t sum = 0;
    uint32_t count = 0, at = absence_line_top(l);
    assert(l->known && l->at == now);
    while (at != NO_ROW) {
        const struct absence_entry *x = &l->entry[at];
        uint32_t left = l->link[at].left, right = l->link[at].right;
        steps_add(k, 1);
        if (length != LSCHED_NEVER_US && x->leaves - now >= length) {
            at = left;
            continue;
        }
        sum += x->sum - (right == NO_ROW ? 0 : l->entry[right].sum);
        count += x->count - (right == NO_ROW ? 0 : l->entry[right].count);
        at = right;
    }
    return count ? hash_mix(sum, count) | 1 : 0;
}

#define ROW_BEFORE(of, a, b) ((void)(of), (a) < (b))
SORT_IN_PLACE(sort_ended, uint32_t, int, ROW_BEFORE)

/* Lists the nodes that were to leave before the time of the first end, and are back by `now`. */
static int32_t absence_line_list(struct absence_line *l, struct columns *k, int64_t now,
                                 uint32_t *n) {
    *n = 0;
    int32_t rc = absence_line_sync(l, k, absences_next(k) - 1);
    if (rc != LSCHED_OK) return rc;
    if (!VEC_ROOM(k->alloc, l->ended, l->cap_ended, absence_line_count(l))) return LSCHED_E_NOMEM;
    for (uint32_t node; (node = absence_line_over(l, now)) != NO_ROW;) {
        l->ended[(*n)++] = node;
        absence_entry_take_out(l, node);
    }
    l->at = now;
    sort_ended(0, l->ended, *n);
    return LSCHED_OK;
}

int32_t absence_line_end(struct absence_line *l, struct columns *k, int64_t now) {
    uint32_t n;
    if (absences_next(k) > now) return LSCHED_OK;
    int32_t rc = absence_line_list(l, k, now, &n);
    if (rc != LSCHED_OK) return rc;
    for (uint32_t i = 0; i < n; i++) {
        rc = undo_room(k);
        if (rc != LSCHED_OK) {
            l->known = 0;
            return rc;
        }
        absence_end(k, l->ended[i], now);
        absence_entry_set(l, k, l->ended[i]);
    }
    l->synced = touch_log_seen(&k->touch); /* the ends are in the log, and in the line */
    rc = undo_room(k);
    if (rc == LSCHED_OK) absences_first_end(k, absence_line_back(l));
    return rc;
}

void absence_line_drop(struct absence_line *l, struct columns *k) {
    alloc_free(k->alloc, l->entry, l->cap * sizeof *l->entry);
    alloc_free(k->alloc, l->link, l->cap_links * sizeof *l->link);
    alloc_free(k->alloc, l->ended, l->cap_ended * sizeof *l->ended);
    *l = (struct absence_line){0};
}

int absence_line_is_sound(struct absence_line *l, struct columns *k) {
    uint32_t last = NO_ROW, n = 0;
    if (!l->known) return 1;
    if (absence_line_sync(l, k, l->at) != LSCHED_OK) return 1; /* nothing is said without memory */
    for (uint32_t at = absence_line_first(l); at != NO_ROW; at = absence_line_next(l, at), n++) {
        if (!l->entry[at].is_in || (last != NO_ROW && !leaves_first(l, last, at))) return 0;
        last = at;
    }
    if (l->root != NO_ROW && l->entry[l->root].count != n) return 0;
    for (uint32_t node = 0; node < table_rows(k, T_NODE); node++) {
        struct absence next;
        int right;
        (void)absence_entry_next(l, k, node, &next, &right);
        if (!right) return 0;
        n -= (uint32_t)l->entry[node].is_in;
    }
    return n == 0;
}
