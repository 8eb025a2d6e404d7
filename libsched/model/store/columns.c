/* columns.c -- see columns.h. This file allocates the memory of columns, and makes and frees
 * rows. */
#include "model/store/columns.h"

#include "model/store/generation.h"
#include "model/store/undo_check.h"

int column_present(const struct columns *k, uint32_t column) {
    int kind = column_defs[column].kind;
    return kind < 0 || (uint32_t)kind < k->kinds;
}

/* largest number of rows that table_reserve() fills with zeros in advance */
#define ZERO_ROWS 2048u

static uint32_t rows_to_allocate(uint32_t old, uint32_t rows) {
    uint64_t n = old < 4096 ? (uint64_t)old * 2 : (uint64_t)old + old / 4;
    if (n < rows) n = rows;
    if (n < 8) n = 8;
    return n < LIMIT_ROWS_MAX ? (uint32_t)n : LIMIT_ROWS_MAX;
}

/* Enlarges the memory of the columns one after the other, and sets *least to the number of rows
 * for which every column has memory. The allocator can enlarge a large block in place, without a
 * copy. If one column cannot grow, the columns that have grown keep their larger memory, whose
 * size is in `allocated`. The table's capacity, and therefore the state, does not change. */
static int32_t memory_grow(struct columns *k, uint32_t table, uint32_t rows, int exact,
                           uint32_t *least) {
    *least = UINT32_MAX;
    for (uint32_t c = table_first[table]; c < table_first[table + 1]; c++) {
        if (!column_present(k, c)) continue;
        if (k->allocated[c] < rows) {
            uint32_t n = exact ? rows : rows_to_allocate(k->allocated[c], rows);
            size_t s = column_defs[c].stride;
            uint8_t *p = alloc_resize(k->alloc, k->c[c].u8, k->allocated[c] * s, n * s);
            k->layout++;
            if (!p) return LSCHED_E_NOMEM;
            k->c[c].u8 = p;
            k->allocated[c] = n;
        }
        if (k->allocated[c] < *least) *least = k->allocated[c];
    }
    return LSCHED_OK;
}

int32_t table_reserve(struct columns *k, uint32_t table, uint64_t rows) {
    uint32_t old = k->capacity[table], least;
    if (rows <= old) return LSCHED_OK;
    if (rows > LIMIT_ROWS_MAX) return LSCHED_E_LIMIT;
    int32_t rc = memory_grow(k, table, (uint32_t)rows, 0, &least);
    if (rc != LSCHED_OK) return rc;
    uint32_t n = least - old < ZERO_ROWS ? least : old + ZERO_ROWS;
    if (n < rows) n = (uint32_t)rows;
    for (uint32_t c = table_first[table]; c < table_first[table + 1]; c++) {
        size_t s = column_defs[c].stride;
        if (column_present(k, c)) memset(k->c[c].u8 + old * s, 0, (n - old) * s);
    }
    k->capacity[table] = n;
    return LSCHED_OK;
}

int32_t table_reserve_unset(struct columns *k, uint32_t table, uint64_t rows) {
    uint32_t least;
    assert(k->capacity[table] == 0);
    if (rows > LIMIT_ROWS_MAX) return LSCHED_E_LIMIT;
    int32_t rc = rows ? memory_grow(k, table, (uint32_t)rows, 1, &least) : LSCHED_OK;
    if (rc == LSCHED_OK) k->capacity[table] = (uint32_t)rows;
    return rc;
}

int32_t columns_init(struct columns *k, struct alloc *alloc) {
    memset(k, 0, sizeof *k);
    k->alloc = alloc;
    memset(k->fresh, 0xff, sizeof k->fresh);
    int32_t rc = table_reserve(k, T_META, META_WORDS);
    if (rc == LSCHED_OK) k->steps = alloc_zero(alloc, STEPS_WORDS * sizeof *k->steps);
    if (rc == LSCHED_OK && !k->steps) rc = LSCHED_E_NOMEM;
#ifdef LSCHED_CHECK_UNDO
    if (rc == LSCHED_OK) rc = undo_check_on(k);
#endif
    if (rc != LSCHED_OK) {
        columns_close(k);
        return rc;
    }
    k->c[C_META_WORD].u64[META_TABLE(T_META, TW_ROWS)] = META_WORDS;
    for (uint32_t t = 0; t < TABLES; t++) {
        k->c[C_META_WORD].u64[META_TABLE(t, TW_FREE_HEAD)] = NO_ROW;
        k->c[C_META_WORD].u64[META_TABLE(t, TW_FREE_TAIL)] = NO_ROW;
    }
    for (uint32_t h = 0; h < BLOCK_HEAPS; h++)
        for (uint32_t c = 0; c < BLOCK_CLASSES; c++)
            k->c[C_META_WORD].u64[META_BLOCK(h, c)] = NO_ROW;
    static const uint16_t none[] = {
        M_OPEN_HEAD,       M_OPEN_TAIL,    M_GREW_HEAD,      M_WAIT_HEAD,   M_WAIT_TAIL,
        M_REFUSED_HEAD,    M_REFUSED_TAIL, M_PARKED_SHAPES,  M_NEVER_HEAD,  M_POLICY_HEAD,
        M_ANY_HEAD,        M_UNTIL_HEAD,   M_DUE_HEAD,       M_RULES_HEAD,  M_PLAN_HEAD,
        M_PUT_OFF_HEAD,    M_REFUSAL_HEAD, M_GAVE_HEAD,      M_LIFE_HEAD,   M_HOST_HEAD,
        M_CHECKPOINT_HEAD, M_RESIZE_AWAKE, M_RESIZE_LIMITED, M_SUPPLY_HEAD, M_GATE_HEAD,
        M_GATE_NEWS,       M_GATE_LAST,    M_METER_HEAD,     M_WARN_HEAD,   M_WARN_NEWS};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        k->c[C_META_WORD].u64[none[i]] = NO_ROW;
    return LSCHED_OK;
}

void columns_close(struct columns *k) {
    undo_check_off(k);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        if (!k->c[c].u8) continue;
        alloc_free(k->alloc, k->c[c].u8, (size_t)k->allocated[c] * column_defs[c].stride);
    }
    undo_close(k);
    touch_log_close(k->alloc, &k->touch);
    touch_log_close(k->alloc, &k->task_touch);
    touch_log_close(k->alloc, &k->queue_touch);
    touch_log_close(k->alloc, &k->bundle_touch);
    touch_log_close(k->alloc, &k->job_touch);
    alloc_free(k->alloc, k->steps, STEPS_WORDS * sizeof *k->steps);
    memset(k, 0, sizeof *k);
}

int32_t columns_add_kind(struct columns *k, uint32_t kind) {
    if (kind < k->kinds) return LSCHED_OK;
    assert(kind == k->kinds && kind < KINDS_MAX);
    uint32_t c;
    int32_t rc = LSCHED_OK;
    for (c = 0; c < COLUMNS && rc == LSCHED_OK; c++) {
        uint32_t cap = k->capacity[column_defs[c].table];
        if (column_defs[c].kind != (int)kind || cap == 0) continue;
        k->c[c].i64 = alloc_zero(k->alloc, (size_t)cap * 8);
        if (!k->c[c].i64)
            rc = LSCHED_E_NOMEM;
        else
            k->allocated[c] = cap;
    }
    if (rc == LSCHED_OK) {
        k->kinds++;
        k->layout++;
        return LSCHED_OK;
    }
    for (uint32_t d = 0; d < c; d++) {
        if (column_defs[d].kind != (int)kind || !k->c[d].u8) continue;
        alloc_free(k->alloc, k->c[d].u8, (size_t)k->allocated[d] * 8);
        k->c[d].u8 = NULL;
        k->allocated[d] = 0;
    }
    return rc;
}

/* ---- rows ---- */

void columns_set_none(struct columns *k, uint32_t row, const uint16_t *columns, size_t n) {
    for (size_t i = 0; i < n; i++) set_u32(k, columns[i], row, NO_ROW);
}

uint32_t rows_append(struct columns *k, uint32_t table, uint32_t n) {
    uint32_t rows = table_rows(k, table);
    if ((uint64_t)rows + n > k->capacity[table] &&
        table_reserve(k, table, (uint64_t)rows + n) != LSCHED_OK)
        return NO_ROW;
    set_meta(k, META_TABLE(table, TW_ROWS), (uint64_t)rows + n);
    return rows;
}

/* Sets all columns of a freed row except GEN to zero. The writes are logged, so that a rollback
 * restores the row. */
static void row_clear(struct columns *k, uint32_t table, uint32_t row) {
    uint32_t keep = table_generation(table);
    for (uint32_t c = table_first[table]; c < table_first[table + 1]; c++) {
        if (c == keep || !k->c[c].u8) continue;
        switch (column_defs[c].stride) {
        case 1: set_u8(k, c, row, 0); break;
        case 2: set_u16(k, c, row, 0); break;
        case 4: set_u32(k, c, row, 0); break;
        default: set_u64(k, c, row, 0); break;
        }
    }
}

uint32_t row_new(struct columns *k, uint32_t table) {
    uint32_t link = table_link[table];
    uint32_t row = (uint32_t)meta(k, META_TABLE(table, TW_FREE_HEAD));
    if (row != NO_ROW) {
        uint32_t next = k->c[link].u32[row];
        set_meta(k, META_TABLE(table, TW_FREE_HEAD), next);
        if (next == NO_ROW) set_meta(k, META_TABLE(table, TW_FREE_TAIL), NO_ROW);
    } else {
        row = rows_append(k, table, 1);
        if (row == NO_ROW) return NO_ROW;
        uint32_t gen = table_generation(table);
        if (gen != COLUMNS && k->c[gen].u32[row] < generation_first(k))
            set_u32(k, gen, row, generation_first(k));
    }
    set_u32(k, link, row, ROW_LIVE);
    set_meta(k, META_TABLE(table, TW_LIVE), meta(k, META_TABLE(table, TW_LIVE)) + 1);
    return row;
}

void row_offer(struct columns *k, uint32_t table, uint32_t row) {
    uint32_t tail = (uint32_t)meta(k, META_TABLE(table, TW_FREE_TAIL));
    if (tail == NO_ROW)
        set_meta(k, META_TABLE(table, TW_FREE_HEAD), row);
    else
        set_u32(k, table_link[table], tail, row);
    set_meta(k, META_TABLE(table, TW_FREE_TAIL), row);
}

void row_free(struct columns *k, uint32_t table, uint32_t row) {
    uint32_t link = table_link[table], gen = table_generation(table);
    assert(k->c[link].u32[row] == ROW_LIVE);
    row_clear(k, table, row);
    set_u32(k, link, row, NO_ROW);
    set_meta(k, META_TABLE(table, TW_LIVE), meta(k, META_TABLE(table, TW_LIVE)) - 1);
    if (gen != COLUMNS) {
        /* the row's generation can belong to an earlier incarnation */
        uint32_t next = k->c[gen].u32[row] + 1;
        if (next < generation_first(k)) next = generation_first(k);
        set_u32(k, gen, row, next);
        if (next > generation_last(k)) return; /* the row retires */
    }
    row_offer(k, table, row);
}
