/* run_table.c -- see run_table.h. */
#include "forecast/durations/run_table.h"

static uint32_t run_table_mask(uint32_t rows_max) {
    uint32_t chains = 1;
    while (chains < rows_max) chains *= 2;
    return chains - 1;
}

size_t run_table_bytes(uint32_t rows_max) {
    return (size_t)rows_max * sizeof(struct run_row) +
           ((size_t)run_table_mask(rows_max) + 1) * sizeof(uint32_t);
}

void run_table_begin(struct run_table *t, uint32_t rows_max, void *memory) {
    *t = (struct run_table){.rows_max = rows_max,
                            .mask = run_table_mask(rows_max),
                            .oldest = RUN_NONE,
                            .newest = RUN_NONE,
                            .rows = memory};
    t->chains = (uint32_t *)(void *)(t->rows + rows_max);
    for (uint32_t i = 0; i <= t->mask; i++) t->chains[i] = RUN_NONE;
}

/* Returns where the number of the user's row stands: in the head of its chain, or in the row
 * before it. If there is no row, the place at the end of the chain. */
static uint32_t *run_table_place(const struct run_table *t, const uint64_t key[2]) {
    uint32_t *at = &t->chains[key[0] & t->mask];
    while (*at != RUN_NONE && (t->rows[*at].key[0] != key[0] || t->rows[*at].key[1] != key[1]))
        at = &t->rows[*at].chain;
    return at;
}

const struct run_row *run_table_find(const struct run_table *t, const uint64_t key[2]) {
    uint32_t row = *run_table_place(t, key);
    return row == RUN_NONE ? NULL : &t->rows[row];
}

static void run_table_unlink(struct run_table *t, const struct run_row *row) {
    if (row->older != RUN_NONE)
        t->rows[row->older].newer = row->newer;
    else
        t->oldest = row->newer;
    if (row->newer != RUN_NONE)
        t->rows[row->newer].older = row->older;
    else
        t->newest = row->older;
}

static void run_table_link(struct run_table *t, uint32_t i) {
    t->rows[i].older = t->newest;
    t->rows[i].newer = RUN_NONE;
    if (t->newest != RUN_NONE)
        t->rows[t->newest].newer = i;
    else
        t->oldest = i;
    t->newest = i;
}

/* A row for a new user, which is in no list and no chain. */
static uint32_t run_table_take(struct run_table *t) {
    if (t->n_rows < t->rows_max) return t->n_rows++;
    uint32_t i = t->oldest;
    *run_table_place(t, t->rows[i].key) = t->rows[i].chain;
    run_table_unlink(t, &t->rows[i]);
    return i;
}

void run_table_add(struct run_table *t, const uint64_t key[2], int64_t ran_us) {
    uint32_t i = *run_table_place(t, key);
    if (i == RUN_NONE) {
        i = run_table_take(t);
        t->rows[i] = (struct run_row){.key = {key[0], key[1]}, .runs = {-1, -1}, .chain = RUN_NONE};
        *run_table_place(t, key) = i;
    } else {
        run_table_unlink(t, &t->rows[i]);
    }
    run_table_link(t, i);
    t->rows[i].runs[1] = t->rows[i].runs[0];
    t->rows[i].runs[0] = ran_us;
}

void run_table_copy(struct run_table *to, const struct run_table *from) {
    run_table_begin(to, to->rows_max, to->rows);
    for (uint32_t i = from->oldest; i != RUN_NONE; i = from->rows[i].newer) {
        const struct run_row *row = &from->rows[i];
        if (row->runs[1] >= 0) run_table_add(to, row->key, row->runs[1]);
        run_table_add(to, row->key, row->runs[0]);
    }
}
