/*
 * bin_heap.h -- disjoint sets of bins from which the bin with the lowest rank comes first. A bin is
 * in at most one set, and no two bins have equal ranks. A set is a pairing heap (Fredman,
 * Sedgewick, Sleator and Tarjan 1986) whose links are an array with one element for each bin, so
 * that a set takes no memory of its own.
 *
 * What always holds: the root of a set is its lowest bin, and no bin has a lower rank than its
 * parent. Ranks can change at any time if the order of the bins in each set stays. The order
 * in which bins come out depends on the bins alone.
 *
 * Cost: O(1) to add a bin and to look at the lowest one, O(log n) amortized to remove any bin.
 * Nothing recurses and nothing allocates memory.
 *
 * Why not base/binary_heap.h: many sets have one bin each, and bins move from set to set all the
 * time, so that an array for each set would mean an allocation for each move.
 */
#ifndef LIBSCHED_BIN_HEAP_H
#define LIBSCHED_BIN_HEAP_H

#include <stdint.h>

#define BIN_HEAP_NONE UINT32_MAX

/* Links of one bin:
 *   child    first child
 *   next     next child of the same parent
 *   before   previous child of the same parent; for a first child, the parent
 *   rank     set by the caller */
struct bin_heap_links {
    uint32_t child, next, before, rank;
};

/* Adds a bin, which is in no set, to the set with this root; BIN_HEAP_NONE: to an empty set.
 * Returns the root of the set. */
uint32_t bin_heap_add(struct bin_heap_links *links, uint32_t root, uint32_t bin);
/* Removes a bin of the set with this root. Returns the root of the rest, or BIN_HEAP_NONE. */
uint32_t bin_heap_remove(struct bin_heap_links *links, uint32_t root, uint32_t bin);

#endif
