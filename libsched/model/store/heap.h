/*
 * heap.h -- leftist heaps whose links are columns: jobs of a bundle, bundles of a queue.
 *
 * Four columns hold left, right, parent and distance; the owner has a word for the root. To
 * insert, remove or move any row costs O(log n) in the worst case, which a pairing heap cannot
 * promise: the undo space of an operation is bounded. The order is strict, so the first row is
 * unique, and the result never depends on the shape of the heap.
 */
#ifndef LIBSCHED_HEAP_H
#define LIBSCHED_HEAP_H

#include "model/store/columns.h"

struct heap_kind {
    uint32_t left, right, parent, distance; /* columns */
    int (*before)(const struct columns *k, uint32_t a, uint32_t b);
};

/* Return the new root. The links of a row outside a heap are NO_ROW, NO_ROW, NO_ROW, 0. */
uint32_t heap_insert(struct columns *k, const struct heap_kind *h, uint32_t root, uint32_t row);
uint32_t heap_remove(struct columns *k, const struct heap_kind *h, uint32_t root, uint32_t row);
/* Makes one heap of n > 0 rows, whatever their links were; O(n). The contents of `rows` are
 * overwritten. LSCHED_E_NOMEM: no undo space. */
int32_t heap_build(struct columns *k, const struct heap_kind *h, uint32_t *rows, uint32_t n,
                   uint32_t *root);

#endif
