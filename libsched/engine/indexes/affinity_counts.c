/* affinity_counts.c -- see affinity_counts.h. */
#include "engine/indexes/affinity_counts.h"

#include "model/store/steps.h"

/* Returns the index of the cell that holds the row. If no cell holds the row, returns the index
 * of the free cell where the row would be inserted. */
static uint32_t cell_of(const struct affinity_cell *cell, uint32_t cap, uint32_t row) {
    uint32_t i = (uint32_t)(row * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (cap - 1);
    while (cell[i].row != NO_ROW && cell[i].row != row) i = (i + 1) & (cap - 1);
    return i;
}

static int is_zero(struct affinity_count c) {
    return c.placed == 0 && c.releasing == 0;
}

struct affinity_count affinity_counts_at(const struct affinity_counts *m, uint32_t row) {
    struct affinity_count none = {0, 0};
    if (m->cap == 0) return none;
    uint32_t i = cell_of(m->cell, m->cap, row);
    return m->cell[i].row == row ? m->cell[i].count : none;
}

static int32_t grow(struct affinity_counts *m, struct columns *k) {
    uint32_t used = 0, cap = 8;
    if (4 * ((uint64_t)m->n + 1) <= 3 * (uint64_t)m->cap) return LSCHED_OK;
    for (uint32_t i = 0; i < m->cap; i++)
        used += m->cell[i].row != NO_ROW && !is_zero(m->cell[i].count);
    while (cap < 2 * (used + 1)) cap *= 2;
    struct affinity_cell *fresh = alloc_new(k->alloc, cap * sizeof *fresh);
    if (!fresh) return LSCHED_E_NOMEM;
    memset(fresh, 0xff, cap * sizeof *fresh); /* sets every row to NO_ROW */
    for (uint32_t i = 0; i < m->cap; i++)
        if (m->cell[i].row != NO_ROW && !is_zero(m->cell[i].count))
            fresh[cell_of(fresh, cap, m->cell[i].row)] = m->cell[i];
    steps_add(k, m->cap);
    alloc_free(k->alloc, m->cell, m->cap * sizeof *fresh);
    *m = (struct affinity_counts){fresh, used, cap};
    return LSCHED_OK;
}

int32_t affinity_counts_add(struct affinity_counts *m, struct columns *k, uint32_t row,
                            struct affinity_count more) {
    int32_t rc = grow(m, k);
    if (rc != LSCHED_OK) return rc;
    struct affinity_cell *c = &m->cell[cell_of(m->cell, m->cap, row)];
    if (c->row == NO_ROW) {
        *c = (struct affinity_cell){row, {0, 0}};
        m->n++;
    }
    c->count.placed += more.placed;
    c->count.releasing += more.releasing;
    return LSCHED_OK;
}

static int within(const struct affinity_counts *a, const struct affinity_counts *b) {
    for (uint32_t i = 0; i < a->cap; i++) {
        if (a->cell[i].row == NO_ROW) continue;
        struct affinity_count other = affinity_counts_at(b, a->cell[i].row);
        if (other.placed != a->cell[i].count.placed ||
            other.releasing != a->cell[i].count.releasing)
            return 0;
    }
    return 1;
}

int affinity_counts_equal(const struct affinity_counts *a, const struct affinity_counts *b) {
    return within(a, b) && within(b, a);
}

void affinity_counts_drop(struct affinity_counts *m, struct columns *k) {
    alloc_free(k->alloc, m->cell, m->cap * sizeof *m->cell);
    *m = (struct affinity_counts){NULL, 0, 0};
}
