/*
 * heap.h -- leftist heaps whose links are in columns, for example the jobs of a bundle and the
 * bundles of a queue.
 *
 * Four columns of a row have its left, right and parent row and its distance; the owner of the
 * heap stores the root. Inserting, removing or moving a row costs O(log n) in the worst case. Why
 * not a pairing heap: its worst case is O(n), and the undo space of one operation must be
 * bounded. `before` is a strict order. Therefore the first row is unique and does not depend on
 * the shape of the heap.
 *
 * Rows that arrive in order cost O(1). An owner can remember one row of its heap, the *tail*. A
 * new row that comes after the tail becomes the left child of the tail if the tail has no child:
 * no distance changes. Rows that arrive in order thus form a chain of left children, and the
 * removal of the first row of such a chain is O(1), too, because the row has only one child. Any
 * row of the heap can be the tail; the tail decides only the shape of the heap. Why not a ring
 * beside the heap: two structures with one order would have to be compared at each step.
 */
#ifndef LIBSCHED_HEAP_H
#define LIBSCHED_HEAP_H

#include "model/store/columns.h"

struct heap_kind {
    uint32_t left, right, parent, distance; /* columns */
    int (*before)(const struct columns *k, uint32_t a, uint32_t b);
};

/* Both functions return the new root. A row that is in no heap has left, right and parent NO_ROW
 * and distance 0. */
uint32_t heap_insert(struct columns *k, const struct heap_kind *h, uint32_t root, uint32_t row);
uint32_t heap_remove(struct columns *k, const struct heap_kind *h, uint32_t root, uint32_t row);
/* Inserts the row below the tail, and returns 1. Returns 0 and changes nothing if the tail has a
 * child, if the row comes before the tail, or if tail is NO_ROW. */
int heap_append(struct columns *k, const struct heap_kind *h, uint32_t tail, uint32_t row);
/* Makes one heap of n > 0 rows, whatever their links were, and sets *root. Costs O(n). Overwrites
 * rows[]. Returns LSCHED_E_NOMEM if the undo log cannot grow. */
int32_t heap_build(struct columns *k, const struct heap_kind *h, uint32_t *rows, uint32_t n,
                   uint32_t *root);
/* Returns the row that a walk over the heap visits after `row`, NO_ROW at its end. The walk begins
 * at the root, and visits a row before the rows below it; these are left out if `below` is 0. The
 * order of the others depends on the shape of the heap. Cost: O(rows) for a whole walk. */
uint32_t heap_next(const struct columns *k, const struct heap_kind *h, uint32_t root, uint32_t row,
                   int below);

#endif
