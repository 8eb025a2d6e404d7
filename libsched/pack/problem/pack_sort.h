/*
 * pack_sort.h -- heap sort of elements of any size, in place. qsort of the C library may allocate, and orders equals as it likes; with
 * an order in which no two are equal the result here is the only one there is. O(n log n) comparisons, no recursion.
 */
#ifndef LIBSCHED_PACK_SORT_H
#define LIBSCHED_PACK_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PACK_SORT_BYTES_MAX = 64 };

/* n elements of `size` bytes, at most PACK_SORT_BYTES_MAX. */
static inline void pack_sort(void *first, uint32_t n, size_t size,
                             int (*order)(const void *a, const void *b)) {
    unsigned char *e = first, held[PACK_SORT_BYTES_MAX];
    for (uint32_t root = n / 2, end = n; end > 1;) {
        if (root > 0) {
            root--;
        } else {
            end--; /* the greatest goes behind the heap */
            memcpy(held, e + end * size, size);
            memcpy(e + end * size, e, size);
            memcpy(e, held, size);
        }
        uint32_t at = root;
        memcpy(held, e + at * size, size);
        for (uint64_t child; (child = 2 * (uint64_t)at + 1) < end; at = (uint32_t)child) {
            if (child + 1 < end && order(e + child * size, e + (child + 1) * size) < 0) child++;
            if (order(held, e + child * size) >= 0) break;
            memcpy(e + at * size, e + child * size, size);
        }
        memcpy(e + at * size, held, size);
    }
}

#endif
