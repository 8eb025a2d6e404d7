/* rank_sort.c -- see rank_sort.h. */
#include "algorithms/share_quota/rank_sort.h"

/* Let rows[at] sink in the heap of n rows whose root is the last of all. */
static void sink(uint32_t *rows, uint32_t n, uint32_t at, rank_before *before, const void *of) {
    uint32_t row = rows[at];
    for (;;) {
        uint64_t child = 2 * (uint64_t)at + 1;
        if (child >= n) break;
        if (child + 1 < n && before(of, rows[child], rows[child + 1])) child++;
        if (!before(of, row, rows[child])) break;
        rows[at] = rows[child];
        at = (uint32_t)child;
    }
    rows[at] = row;
}

void rank_sort(uint32_t *rows, uint32_t n, rank_before *before, const void *of) {
    uint32_t sorted = 1;
    while (sorted < n && before(of, rows[sorted - 1], rows[sorted])) sorted++;
    if (sorted >= n) return;
    for (uint32_t at = n / 2; at-- > 0;) sink(rows, n, at, before, of);
    for (uint32_t left = n - 1; left > 0; left--) {
        uint32_t last = rows[0];
        rows[0] = rows[left];
        rows[left] = last;
        sink(rows, left, 0, before, of);
    }
}
