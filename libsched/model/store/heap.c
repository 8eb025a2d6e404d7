/* heap.c -- see heap.h. */
#include "model/store/heap.h"

static uint32_t left_of(const struct columns *k, const struct heap_kind *h, uint32_t row) {
    return k->c[h->left].u32[row];
}

static uint32_t heap_right_of(const struct columns *k, const struct heap_kind *h, uint32_t row) {
    return k->c[h->right].u32[row];
}

static uint8_t distance_of(const struct columns *k, const struct heap_kind *h, uint32_t row) {
    return row == NO_ROW ? 0 : k->c[h->distance].u8[row];
}

/* Restores the heap order from `row` upwards: at each row, the child with the greater distance
 * becomes the left one, and the distance is corrected. Stops at a row whose distance does not
 * change. */
static void heap_fix_up(struct columns *k, const struct heap_kind *h, uint32_t row) {
    while (row != NO_ROW) {
        uint32_t l = left_of(k, h, row), r = heap_right_of(k, h, row);
        if (distance_of(k, h, l) < distance_of(k, h, r)) {
            set_u32(k, h->left, row, r);
            set_u32(k, h->right, row, l);
            r = l;
        }
        uint8_t d = (uint8_t)(distance_of(k, h, r) + 1);
        if (k->c[h->distance].u8[row] == d) return;
        set_u8(k, h->distance, row, d);
        row = k->c[h->parent].u32[row];
    }
}

/* Merges two heaps without recursion: walks down the right spines and links, of two rows, the one
 * that comes later below the one that comes first. Then it corrects the distances upwards. */
static uint32_t heap_merge(struct columns *k, const struct heap_kind *h, uint32_t a, uint32_t b) {
    if (a == NO_ROW) return b;
    if (b == NO_ROW) return a;
    if (h->before(k, b, a)) {
        uint32_t t = a;
        a = b;
        b = t;
    }
    uint32_t root = a;
    for (;;) { /* here a comes before b, so b is linked into the right spine of a */
        uint32_t r = heap_right_of(k, h, a);
        if (r == NO_ROW) {
            set_u32(k, h->right, a, b);
            set_u32(k, h->parent, b, a);
            break;
        }
        if (h->before(k, b, r)) {
            set_u32(k, h->right, a, b);
            set_u32(k, h->parent, b, a);
            uint32_t t = b;
            b = r;
            a = t;
        } else {
            a = r;
        }
    }
    /* Correct the distances of all rows from a upwards, because the distance of a row above a can
     * be wrong even if the distance of a does not change. */
    for (uint32_t row = a; row != NO_ROW; row = k->c[h->parent].u32[row]) {
        uint32_t l = left_of(k, h, row), r = heap_right_of(k, h, row);
        if (distance_of(k, h, l) < distance_of(k, h, r)) {
            set_u32(k, h->left, row, r);
            set_u32(k, h->right, row, l);
            r = l;
        }
        set_u8(k, h->distance, row, (uint8_t)(distance_of(k, h, r) + 1));
        if (row == root) break;
    }
    return root;
}

int heap_append(struct columns *k, const struct heap_kind *h, uint32_t tail, uint32_t row) {
    if (tail == NO_ROW || left_of(k, h, tail) != NO_ROW || !h->before(k, tail, row)) return 0;
    set_u32(k, h->left, row, NO_ROW);
    set_u32(k, h->right, row, NO_ROW);
    set_u32(k, h->parent, row, tail);
    set_u8(k, h->distance, row, 1);
    set_u32(k, h->left, tail, row);
    return 1;
}

uint32_t heap_insert(struct columns *k, const struct heap_kind *h, uint32_t root, uint32_t row) {
    set_u32(k, h->left, row, NO_ROW);
    set_u32(k, h->right, row, NO_ROW);
    set_u32(k, h->parent, row, NO_ROW);
    set_u8(k, h->distance, row, 1);
    return heap_merge(k, h, root, row);
}

uint32_t heap_remove(struct columns *k, const struct heap_kind *h, uint32_t root, uint32_t row) {
    uint32_t l = left_of(k, h, row), r = heap_right_of(k, h, row), p = k->c[h->parent].u32[row];
    if (l != NO_ROW) set_u32(k, h->parent, l, NO_ROW);
    if (r != NO_ROW) set_u32(k, h->parent, r, NO_ROW);
    uint32_t sub = heap_merge(k, h, l, r);
    set_u32(k, h->left, row, NO_ROW);
    set_u32(k, h->right, row, NO_ROW);
    set_u32(k, h->parent, row, NO_ROW);
    set_u8(k, h->distance, row, 0);
    if (p == NO_ROW) return sub;
    if (left_of(k, h, p) == row)
        set_u32(k, h->left, p, sub);
    else
        set_u32(k, h->right, p, sub);
    if (sub != NO_ROW) set_u32(k, h->parent, sub, p);
    heap_fix_up(k, h, p);
    return root;
}

/* Merges pairs of rows, then pairs of the merged heaps, and so on. This is fast, because each
 * merge walks only two short spines. */
int32_t heap_build(struct columns *k, const struct heap_kind *h, uint32_t *rows, uint32_t n,
                   uint32_t *root) {
    for (uint32_t i = 0; i < n; i++) {
        if (undo_room(k) != LSCHED_OK) return LSCHED_E_NOMEM;
        set_u32(k, h->left, rows[i], NO_ROW);
        set_u32(k, h->right, rows[i], NO_ROW);
        set_u32(k, h->parent, rows[i], NO_ROW);
        set_u8(k, h->distance, rows[i], 1);
    }
    for (; n > 1; n = (n + 1) / 2) {
        for (uint32_t i = 0; i < n / 2; i++) {
            if (undo_room(k) != LSCHED_OK) return LSCHED_E_NOMEM;
            rows[i] = heap_merge(k, h, rows[2 * i], rows[2 * i + 1]);
        }
        if (n % 2) rows[n / 2] = rows[n - 1];
    }
    *root = rows[0];
    return LSCHED_OK;
}

uint32_t heap_next(const struct columns *k, const struct heap_kind *h, uint32_t root, uint32_t row,
                   int below) {
    uint32_t l = below ? left_of(k, h, row) : NO_ROW, r = below ? heap_right_of(k, h, row) : NO_ROW;
    if (l != NO_ROW || r != NO_ROW) return l != NO_ROW ? l : r;
    while (row != root) {
        uint32_t up = k->c[h->parent].u32[row];
        r = heap_right_of(k, h, up);
        if (left_of(k, h, up) == row && r != NO_ROW) return r;
        row = up;
    }
    return NO_ROW;
}
