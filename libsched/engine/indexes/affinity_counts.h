/*
 * affinity_counts.h -- numbers of tasks by row (of nodes or domains), for tables where few rows
 * have any: a hash table with open addressing. A row that is not in the table has the count 0.
 * Rows whose count became 0 are dropped when the table grows. Reading and adding cost O(1).
 */
#ifndef LIBSCHED_AFFINITY_COUNTS_H
#define LIBSCHED_AFFINITY_COUNTS_H

#include "model/store/columns.h"

/* `placed`: tasks that hold room or are nominated. `releasing`: tasks that are releasing. */
struct affinity_count {
    uint32_t placed, releasing;
};

struct affinity_cell {
    uint32_t row; /* NO_ROW if the cell is free */
    struct affinity_count count;
};

struct affinity_counts {
    struct affinity_cell *cell;
    uint32_t n, cap; /* n: cells in use; cap: a power of two of at least 4/3 n, or 0 */
};

struct affinity_count affinity_counts_at(const struct affinity_counts *m, uint32_t row);
/* Adds `more` to the count of the row. Numbers are added modulo 2^32, therefore `more` can also
 * subtract. Returns LSCHED_E_NOMEM if the table cannot grow. */
int32_t affinity_counts_add(struct affinity_counts *m, struct columns *k, uint32_t row,
                            struct affinity_count more);
/* Returns the memory that the table uses, in bytes. */
static inline uint64_t affinity_counts_bytes(const struct affinity_counts *m) {
    return (uint64_t)m->cap * sizeof *m->cell;
}
/* True if both tables have the same count for every row. */
int affinity_counts_equal(const struct affinity_counts *a, const struct affinity_counts *b);
void affinity_counts_drop(struct affinity_counts *m, struct columns *k);

#endif
