/*
 * affinity_counts.h -- a number of tasks per row, where few rows have any: an open hash of rows.
 * What is not there is 0; rows that came to 0 go when the table grows. Reading and adding cost
 * O(1).
 */
#ifndef LIBSCHED_AFFINITY_COUNTS_H
#define LIBSCHED_AFFINITY_COUNTS_H

#include "model/store/columns.h"

/* Tasks that hold room or have a claim; tasks that were told to stop. */
struct near_count {
    uint32_t placed, leaving;
};

struct near_cell {
    uint32_t row; /* NO_ROW: free */
    struct near_count count;
};

struct near_counts {
    struct near_cell *cell;
    uint32_t n, cap; /* cells in use; a power of two above 4/3 of them, or 0 */
};

struct near_count near_counts_at(const struct near_counts *m, uint32_t row);
/* More of the row, or less: numbers are taken modulo 2^32. LSCHED_E_NOMEM. */
int32_t near_counts_add(struct near_counts *m, struct columns *k, uint32_t row,
                        struct near_count more);
/* Bytes that it has. */
static inline uint64_t near_counts_bytes(const struct near_counts *m) {
    return (uint64_t)m->cap * sizeof *m->cell;
}
/* True if they count the same. */
int near_counts_equal(const struct near_counts *a, const struct near_counts *b);
void near_counts_drop(struct near_counts *m, struct columns *k);

#endif
