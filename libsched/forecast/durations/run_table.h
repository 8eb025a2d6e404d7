/*
 * run_table.h -- a bounded table of users with their latest two runs.
 *
 * A user is known by a hash of 128 bits of the name, so that a row has a fixed size; two of a
 * million users share a row with a probability of about 10^-27. The rows are in a list by the
 * time of their latest run, oldest first; a full table uses the oldest row again. What always
 * holds: every used row is in the list and in the chain of its hash. The order of chains
 * influences no result. Cost: O(1).
 */
#ifndef LIBSCHED_FORECAST_RUN_TABLE_H
#define LIBSCHED_FORECAST_RUN_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define RUN_NONE UINT32_MAX

struct run_row {
    uint64_t key[2];
    int64_t runs[2]; /* the latest first; -1: none */
    uint32_t chain, older, newer;
    uint32_t reserved_zero;
};

struct run_table {
    uint32_t rows_max, n_rows, mask; /* mask + 1 chains */
    uint32_t oldest, newest;
    struct run_row *rows;
    uint32_t *chains;
};

/* Bytes that a table needs behind its struct, and the setup of this memory. */
size_t run_table_bytes(uint32_t rows_max);
void run_table_begin(struct run_table *t, uint32_t rows_max, void *memory);
/* The row of a user; NULL if the user is not in the table. */
const struct run_row *run_table_find(const struct run_table *t, const uint64_t key[2]);
/* Replaces the rows of a table by those of another one; the oldest are forgotten if it is smaller.
 */
void run_table_copy(struct run_table *to, const struct run_table *from);
void run_table_add(struct run_table *t, const uint64_t key[2], int64_t ran_us);

#endif
