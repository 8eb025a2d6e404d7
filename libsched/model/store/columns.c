/* columns.c -- see columns.h. This file has registry, growth and rows; undo.c has the log,
 * image.c clone, save and load. */
#include "model/store/columns.h"

#include "model/store/generation.h"
#include "model/store/undo_check.h"

#define STRIDE_U8  1
#define STRIDE_U16 2
#define STRIDE_U32 4
#define STRIDE_U64 8
#define STRIDE_I32 4
#define STRIDE_I64 8

#define MEANING_V          MEANS_VALUE
#define MEANING_X          MEANS_NOTHING
#define MEANING_T          MEANS_TEXT
#define MEANING_R_KIND     T_KIND
#define MEANING_R_STRING   T_STRING
#define MEANING_R_LABELS   T_LABELS
#define MEANING_R_CLASS    T_CLASS
#define MEANING_R_TOPOLOGY T_TOPOLOGY
#define MEANING_R_DOMAIN   T_DOMAIN
#define MEANING_R_NODE     T_NODE
#define MEANING_R_SHAPE    T_SHAPE
#define MEANING_R_JOBSHAPE T_JOBSHAPE
#define MEANING_R_QUEUE    T_QUEUE
#define MEANING_R_JOB      T_JOB
#define MEANING_R_TASK     T_TASK
#define MEANING_R_DERIVED  T_DERIVED
#define MEANING_R_DEVCLASS T_DEVCLASS
#define MEANING_R_POOL     T_POOL

#define TABLE(t)
#define RAW(t)
#define COL(t, n, type, meaning) \
    {#t "." #n, T_##t, COL_##type, STRIDE_##type, -1, MEANING_##meaning},
#define FAMILY(t, n, k, meaning) \
    { #t "." #n, T_##t, COL_I64, 8, k, MEANING_##meaning }
#define KCOL(t, n, m)                                                                     \
    FAMILY(t, n, 0, m), FAMILY(t, n, 1, m), FAMILY(t, n, 2, m), FAMILY(t, n, 3, m),       \
        FAMILY(t, n, 4, m), FAMILY(t, n, 5, m), FAMILY(t, n, 6, m), FAMILY(t, n, 7, m),   \
        FAMILY(t, n, 8, m), FAMILY(t, n, 9, m), FAMILY(t, n, 10, m), FAMILY(t, n, 11, m), \
        FAMILY(t, n, 12, m), FAMILY(t, n, 13, m), FAMILY(t, n, 14, m), FAMILY(t, n, 15, m),
const struct column_def column_defs[COLUMNS] = {
#include "model/store/schema.def"
};
#undef TABLE
#undef RAW
#undef COL
#undef KCOL

#define COL(t, n, type, meaning)
#define KCOL(t, n, meaning)
#define TABLE(t) #t,
#define RAW(t)   #t,
const char *const table_names[TABLES] = {
#include "model/store/schema.def"
};
#undef TABLE
#undef RAW
#define TABLE(t) CBEGIN_##t,
#define RAW(t)   CBEGIN_##t,
const uint16_t table_first[TABLES + 1] = {
#include "model/store/schema.def"
    COLUMNS};
#undef TABLE
#undef RAW
#define TABLE(t) 0,
#define RAW(t)   1,
const uint8_t table_is_raw[TABLES] = {
#include "model/store/schema.def"
};
#undef TABLE
#undef RAW
#undef COL
#undef KCOL

/* LINK column of each table, COLUMNS if a table has none. */
#define NO_COLUMN COLUMNS
static const uint16_t link_column[TABLES] = {
#define RAW(t)   [T_##t] = NO_COLUMN,
#define TABLE(t) [T_##t] = C_##t##_LINK,
#define COL(t, n, type, meaning)
#define KCOL(t, n, meaning)
#include "model/store/schema.def"
#undef TABLE
#undef RAW
#undef COL
#undef KCOL
};

int column_present(const struct columns *k, uint32_t column) {
    int kind = column_defs[column].kind;
    return kind < 0 || (uint32_t)kind < k->kinds;
}

/* Enlarges the columns of a table one after the other, in place where the allocator can (a large
 * block is remapped, not copied). If one column cannot grow, those that have grown keep their
 * larger blocks, which `allocated` records; the table's capacity, and so the state, is
 * unchanged. */
static int32_t table_resize(struct columns *k, uint32_t table, uint32_t rows) {
    for (uint32_t c = table_first[table]; c < table_first[table + 1]; c++) {
        if (!column_present(k, c) || k->allocated[c] >= rows) continue;
        size_t s = column_defs[c].stride, old = k->allocated[c];
        uint8_t *p = alloc_resize(k->alloc, k->c[c].u8, old * s, rows * s);
        k->layout++;
        if (!p) return LSCHED_E_NOMEM;
        memset(p + old * s, 0, (rows - old) * s);
        k->c[c].u8 = p;
        k->allocated[c] = rows;
    }
    k->capacity[table] = rows;
    return LSCHED_OK;
}

int32_t table_reserve(struct columns *k, uint32_t table, uint64_t rows) {
    if (rows <= k->capacity[table]) return LSCHED_OK;
    if (rows > LIMIT_ROWS_MAX) return LSCHED_E_LIMIT;
    uint64_t cap = k->capacity[table];
    cap = cap < 4096 ? cap * 2 : cap + cap / 4;
    if (cap < rows) cap = rows;
    if (cap < 8) cap = 8;
    if (cap > LIMIT_ROWS_MAX) cap = LIMIT_ROWS_MAX;
    return table_resize(k, table, (uint32_t)cap);
}

int32_t columns_init(struct columns *k, struct alloc *alloc) {
    memset(k, 0, sizeof *k);
    k->alloc = alloc;
    memset(k->fresh, 0xff, sizeof k->fresh);
    int32_t rc = table_reserve(k, T_META, META_WORDS);
    if (rc == LSCHED_OK) k->steps = alloc_zero(alloc, sizeof *k->steps);
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
    static const uint16_t none[] = {M_OPEN_HEAD,   M_OPEN_TAIL,    M_GREW_HEAD,    M_WAIT_HEAD,
                                    M_WAIT_TAIL,   M_REFUSED_HEAD, M_REFUSED_TAIL, M_PARKED_SHAPES,
                                    M_NEVER_HEAD,  M_POLICY_HEAD,  M_ANY_HEAD,     M_UNTIL_HEAD,
                                    M_DUE_HEAD,    M_RULES_HEAD,   M_PLAN_HEAD,    M_PUT_OFF_HEAD,
                                    M_REFUSAL_HEAD};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        k->c[C_META_WORD].u64[none[i]] = NO_ROW;
    return LSCHED_OK;
}

int32_t touch_log_reserve(struct columns *k, struct touch_log *t, uint32_t rows) {
    uint32_t want = 1024;
    while (want < rows && want < LIMIT_TOUCHES) want *= 2;
    if (t->cap >= want) return LSCHED_OK;
    uint32_t *p = alloc_new(k->alloc, want * sizeof *p);
    if (!p) return LSCHED_E_NOMEM;
    alloc_free(k->alloc, t->rows, t->cap * sizeof *p);
    t->rows = p;
    t->cap = want;
    touch_log_skip(t); /* the rows logged before are lost to all readers */
    return LSCHED_OK;
}

void columns_close(struct columns *k) {
    undo_check_off(k);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        if (!k->c[c].u8) continue;
        alloc_free(k->alloc, k->c[c].u8, (size_t)k->allocated[c] * column_defs[c].stride);
    }
    alloc_free(k->alloc, k->undo, k->undo_cap * sizeof *k->undo);
    alloc_free(k->alloc, k->touch.rows, k->touch.cap * sizeof *k->touch.rows);
    alloc_free(k->alloc, k->task_touch.rows, k->task_touch.cap * sizeof *k->task_touch.rows);
    alloc_free(k->alloc, k->retired, k->retired_cap * sizeof *k->retired);
    alloc_free(k->alloc, k->steps, sizeof *k->steps);
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

int row_is_live(const struct columns *k, uint32_t table, uint32_t row) {
    return row < table_rows(k, table) && k->c[link_column[table]].u32[row] == ROW_LIVE;
}

uint32_t rows_append(struct columns *k, uint32_t table, uint32_t n) {
    uint32_t rows = table_rows(k, table);
    if (table_reserve(k, table, (uint64_t)rows + n) != LSCHED_OK) return NO_ROW;
    set_meta(k, META_TABLE(table, TW_ROWS), (uint64_t)rows + n);
    return rows;
}

/* Zeroes a row through the log when it is freed, so that undo restores it; GEN stays. */
static void row_clear(struct columns *k, uint32_t table, uint32_t row) {
    uint32_t keep = generation_column(table);
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
    uint32_t link = link_column[table];
    uint32_t row = (uint32_t)meta(k, META_TABLE(table, TW_FREE_HEAD));
    if (row != NO_ROW) {
        uint32_t next = k->c[link].u32[row];
        set_meta(k, META_TABLE(table, TW_FREE_HEAD), next);
        if (next == NO_ROW) set_meta(k, META_TABLE(table, TW_FREE_TAIL), NO_ROW);
    } else {
        row = rows_append(k, table, 1);
        if (row == NO_ROW) return NO_ROW;
        uint32_t gen = generation_column(table);
        if (gen != NO_COLUMN && k->c[gen].u32[row] < generation_first(k))
            set_u32(k, gen, row, generation_first(k));
    }
    set_u32(k, link, row, ROW_LIVE);
    set_meta(k, META_TABLE(table, TW_LIVE), meta(k, META_TABLE(table, TW_LIVE)) + 1);
    return row;
}

void row_free(struct columns *k, uint32_t table, uint32_t row) {
    uint32_t link = link_column[table], gen = generation_column(table);
    assert(k->c[link].u32[row] == ROW_LIVE);
    row_clear(k, table, row);
    set_u32(k, link, row, NO_ROW);
    set_meta(k, META_TABLE(table, TW_LIVE), meta(k, META_TABLE(table, TW_LIVE)) - 1);
    if (gen != NO_COLUMN) {
        /* the generation can be of an earlier incarnation */
        uint32_t next = k->c[gen].u32[row] + 1;
        if (next < generation_first(k)) next = generation_first(k);
        set_u32(k, gen, row, next);
        if (next > generation_last(k)) return; /* the row retires */
    }
    uint32_t tail = (uint32_t)meta(k, META_TABLE(table, TW_FREE_TAIL));
    if (tail == NO_ROW)
        set_meta(k, META_TABLE(table, TW_FREE_HEAD), row);
    else
        set_u32(k, link, tail, row);
    set_meta(k, META_TABLE(table, TW_FREE_TAIL), row);
}
