/* generation.c -- see generation.h. */
#include "model/store/generation.h"

_Static_assert(((uint64_t)LSCHED_INCARNATION_MAX + 1) * GENERATIONS ==
                   (uint64_t)LIMIT_GENERATION_MAX + 1,
               "incarnations and objects fill the bits of a generation");

int generation_can_come(const struct columns *k, uint32_t table, uint32_t row, uint32_t gen) {
    if (gen < generation_first(k)) return 0;
    if (row >= table_rows(k, table)) return 1;
    uint32_t is = k->c[table_generation(table)].u32[row];
    return row_is_live(k, table, row) ? gen > is : gen >= is;
}

static int32_t table_next(struct columns *k, uint32_t table, uint32_t last, uint32_t first) {
    uint32_t gen = table_generation(table);
    for (uint32_t row = 0; row < table_rows(k, table); row++) {
        if (row_is_live(k, table, row)) continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        if (k->c[gen].u32[row] > last) row_offer(k, table, row);
        set_u32(k, gen, row, first);
    }
    return LSCHED_OK;
}

int32_t generation_next(struct columns *k, uint32_t incarnation) {
    uint32_t last = generation_last(k);
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    assert(incarnation > meta(k, M_INCARNATION) && incarnation <= LSCHED_INCARNATION_MAX);
    set_meta(k, M_INCARNATION, incarnation);
    uint64_t group = generation_group_first(k);
    if (group > meta(k, M_GROUP_SERIAL)) set_meta(k, M_GROUP_SERIAL, group);
    for (uint32_t t = 0; t < TABLES && rc == LSCHED_OK; t++)
        if (table_generation(t) != COLUMNS) rc = table_next(k, t, last, generation_first(k));
    return rc == LSCHED_OK ? undo_room(k) : rc;
}
