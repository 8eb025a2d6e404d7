/*
 * treap.h -- search trees over rows, whose nodes keep a sum of what is below them.
 *
 * A tree is an array of links by row and a root. The owner knows the order of the rows: it walks
 * from the root to the place of a new row, and reads what it has summed up to choose a way. The
 * mixed row decides how deep a node is, so the depth is O(log n) in expectation, the same rows have
 * the same tree whatever came first, and no decision depends on the shape.
 *
 * What always holds: a parent comes before its children in the order of the mixed rows, and
 * `renew` was called for each node after the last change below it. Cost: O(log n) for each change,
 * O(1) amortized for treap_next(). The functions allocate no memory and do not recurse.
 * Why not a sorted array: an owner with sums would write all sums after each change.
 */
#ifndef LIBSCHED_TREAP_H
#define LIBSCHED_TREAP_H

#include <stdint.h>

#define TREAP_NONE UINT32_MAX

struct treap_link {
    uint32_t left, right, parent;
};

struct treap {
    struct treap_link *link; /* by row */
    uint32_t *root;
    /* computes what the row keeps of itself and the rows below it; their parts are right */
    void (*renew)(void *of, uint32_t row);
    void *of;
};

/* Adds the row below the row `above` (TREAP_NONE: the tree is empty), where there is no child. */
void treap_put(const struct treap *t, uint32_t row, uint32_t above, int left);
void treap_take_out(const struct treap *t, uint32_t row);
/* Returns the first row of the tree, and the row after `row`; TREAP_NONE: there is none. */
uint32_t treap_first(const struct treap_link *link, uint32_t root);
uint32_t treap_next(const struct treap_link *link, uint32_t row);

#endif
