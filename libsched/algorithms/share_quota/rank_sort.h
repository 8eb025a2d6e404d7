/*
 * rank_sort.h -- sorts row numbers in place by an order that the caller states.
 *
 * qsort of the C library may allocate, and where elements are equal its result is the library's
 * own; here the order must be total (no two rows equal), so there is one result. Heap sort, because
 * it needs no memory and its worst case is O(n log n); rows that are in order already, the common
 * case of siblings by creation, cost one look each.
 */
#ifndef LIBSCHED_RANK_SORT_H
#define LIBSCHED_RANK_SORT_H

#include <stdint.h>

typedef int rank_before(const void *of, uint32_t a, uint32_t b);

void rank_sort(uint32_t *rows, uint32_t n, rank_before *before, const void *of);

#endif
