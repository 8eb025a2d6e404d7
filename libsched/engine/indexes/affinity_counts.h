/*
 * affinity_counts.h -- the number of tasks on each node, or in each domain: a hash table whose
 * key is the row of the node or domain. The table uses open addressing, because only few rows
 * have tasks. A row that is not in the table has the count 0. When the table grows, it drops the
 * rows whose count has become 0. Reading a count and adding to a count cost O(1).
 */
#ifndef LIBSCHED_AFFINITY_COUNTS_H
#define LIBSCHED_AFFINITY_COUNTS_H

#include "model/store/columns.h"

/* `placed`: number of tasks that hold room or are nominated.
 * `releasing`: number of tasks that are releasing. */
struct affinity_count {
    uint32_t placed, releasing;
};

struct affinity_cell {
    uint32_t row; /* NO_ROW if the cell is free */
    struct affinity_count count;
};

struct affinity_counts {
    struct affinity_cell *cell;
    /* `n`: number of cells in use.
     * `cap`: number of cells; a power of two that is at least 4/3 n, or 0. */
    uint32_t n, cap;
};

struct affinity_count affinity_counts_at(const struct affinity_counts *m, uint32_t row);
/* Adds both members of `more` to the count of the row. The sums are computed modulo 2^32;
 * therefore `more` can also hold negative numbers. Returns LSCHED_E_NOMEM if the table cannot
 * grow. */
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
