/*
 * heap.h -- leftist heaps whose links are in columns, for example the jobs of a bundle and the
 * bundles of a queue.
 *
 * Four columns of a row have its left, right and parent row and its distance; the owner of the
 * heap stores the root. Inserting, removing or moving a row costs O(log n) in the worst case. Why
 * not a pairing heap: its worst case is O(n), and the undo space of one operation must be
 * bounded. `before` is a strict order. Therefore the first row is unique and does not depend on
 * the shape of the heap.
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
/* Makes one heap of n > 0 rows, whatever their links were, and sets *root. Costs O(n). Overwrites
 * rows[]. Returns LSCHED_E_NOMEM if the undo log cannot grow. */
int32_t heap_build(struct columns *k, const struct heap_kind *h, uint32_t *rows, uint32_t n,
                   uint32_t *root);

#endif
