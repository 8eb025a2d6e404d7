/*
 * affinity_counts.h -- numbers of tasks by row (of nodes or domains), for tables where few rows
 * have any: a hash table with open addressing. A row that is not in the table has the count 0.
 * Rows whose count became 0 are dropped when the table grows. Reading and adding cost O(1).
 */
#ifndef LIBSCHED_AFFINITY_COUNTS_H
#define LIBSCHED_AFFINITY_COUNTS_H

#include "model/store/columns.h"

/* `placed`: tasks that hold room or are nominated. `leaving`: tasks that are releasing. */
struct near_count {
    uint32_t placed, leaving;
};

struct near_cell {
    uint32_t row; /* NO_ROW if the cell is free */
    struct near_count count;
};

struct near_counts {
    struct near_cell *cell;
    uint32_t n, cap; /* n: cells in use; cap: a power of two of at least 4/3 n, or 0 */
};

struct near_count near_counts_at(const struct near_counts *m, uint32_t row);
/* Adds `more` to the count of the row. Numbers are added modulo 2^32, therefore `more` can also
 * subtract. Returns LSCHED_E_NOMEM if the table cannot grow. */
int32_t near_counts_add(struct near_counts *m, struct columns *k, uint32_t row,
                        struct near_count more);
/* Returns the bytes of memory that the table uses. */
static inline uint64_t near_counts_bytes(const struct near_counts *m) {
    return (uint64_t)m->cap * sizeof *m->cell;
}
/* True if both tables have the same count for every row. */
int near_counts_equal(const struct near_counts *a, const struct near_counts *b);
void near_counts_drop(struct near_counts *m, struct columns *k);

#endif
