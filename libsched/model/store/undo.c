/* undo.c -- see undo.h. */
#include "model/store/undo.h"

#include "base/vec.h"
#include "model/store/columns.h"
#include "model/store/undo_check.h"

#define UNDO_KEEP_RECORDS ((size_t)1 << 20)

int32_t undo_grow(struct columns *k) {
    size_t need = k->undo_n + LIMIT_UNDO_SPARE;
    if (need <= k->undo_cap) return LSCHED_OK;
    size_t cap = k->undo_cap + k->undo_cap / 2;
    if (cap < need) cap = need;
    if (cap < 2 * LIMIT_UNDO_SPARE) cap = 2 * LIMIT_UNDO_SPARE;
    void *p = alloc_resize(k->alloc, k->undo, k->undo_cap * sizeof *k->undo, cap * sizeof *k->undo);
    if (!p) return LSCHED_E_NOMEM;
    k->undo = p;
    k->undo_cap = cap;
    return LSCHED_OK;
}

int32_t undo_swap_buckets(struct columns *k, uint32_t table, void *fresh, uint32_t capacity) {
    uint32_t column = table_first[table];
    size_t old_bytes = (size_t)k->capacity[table] * sizeof(uint32_t);
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    if (k->undo_depth > 0 && !VEC_ROOM(k->alloc, k->retired, k->retired_cap, k->retired_n + 1))
        return LSCHED_E_NOMEM;
    if (k->undo_depth > 0) {
        k->retired[k->retired_n] =
            (struct retired_buckets){table, k->capacity[table], k->c[column].u32};
        k->undo[k->undo_n++] = (struct undo_record){UNDO_SWAP, table, k->retired_n++};
    } else {
        alloc_free(k->alloc, k->c[column].u32, old_bytes);
    }
    k->c[column].u32 = fresh;
    k->capacity[table] = k->allocated[column] = capacity;
    k->layout++;
    return LSCHED_OK;
}

static void swap_back(struct columns *k, uint32_t table, uint64_t place) {
    uint32_t column = table_first[table];
    alloc_free(k->alloc, k->c[column].u32, (size_t)k->capacity[table] * sizeof(uint32_t));
    assert(place + 1 == k->retired_n && k->retired[place].table == table);
    k->c[column].u32 = k->retired[place].buckets;
    k->capacity[table] = k->allocated[column] = k->retired[place].capacity;
    k->retired_n = (uint32_t)place;
    k->layout++;
}

int32_t undo_begin(struct columns *k) {
    if (k->undo_depth == 0) k->undo_n = 0;
    int32_t rc = undo_grow(k);
    if (rc != LSCHED_OK) return rc;
    if (k->undo_depth == 0 && k->shadow) undo_check_begin(k);
    k->undo_depth++;
    (void)undo_mark(k);
    return LSCHED_OK;
}

/* Fills the rows that a rollback removes with zeros, because an appended row must be zero. */
static void rows_back(struct columns *k, uint32_t table, uint64_t old) {
    uint64_t now = meta(k, META_TABLE(table, TW_ROWS));
    for (uint64_t t = old; table == T_TASK && t < now; t++) touch_task(k, (uint32_t)t);
    for (uint32_t c = table_first[table]; now > old && c < table_first[table + 1]; c++)
        if (k->c[c].u8)
            memset(k->c[c].u8 + old * column_defs[c].stride, 0,
                   (now - old) * column_defs[c].stride);
}

/* Is called before a record restores a word of META. If the word is the number of rows of a table
 * whose new rows are not logged, the function removes these rows. */
static void before_meta(struct columns *k, const struct undo_record *r) {
    static const uint16_t tables[] = {T_TASK, T_LEAF, T_DECISION};
    for (int i = 0; i < 3; i++)
        if (r->row == META_TABLE(tables[i], TW_ROWS)) rows_back(k, tables[i], r->old);
}

void undo_rollback(struct columns *k, size_t mark) {
    while (k->undo_n > mark) {
        struct undo_record r = k->undo[--k->undo_n];
        if (r.column == UNDO_SWAP) {
            swap_back(k, r.row, r.old);
            continue;
        }
        if (r.column == C_META_WORD) before_meta(k, &r);
        if (r.column == C_META_WORD && r.row == M_STRUCTURE) k->structure++;
        if (r.column == C_META_WORD && r.row == M_NODE_SET) k->node_set++;
        if (r.column == C_META_WORD && r.row == META_TABLE(T_DOMAIN, TW_LIVE)) k->domain_set++;
        if (column_defs[r.column].table == T_NODE) touch_node(k, r.row);
        if (column_defs[r.column].table == T_TASK) touch_task(k, r.row);
        if (column_defs[r.column].table == T_QUEUE) touch_queue(k, r.column, r.row);
        if (column_defs[r.column].table == T_BUNDLE) touch_bundle(k, r.row);
        switch (column_defs[r.column].stride) {
        case 1: k->c[r.column].u8[r.row] = (uint8_t)r.old; break;
        case 2: k->c[r.column].u16[r.row] = (uint16_t)r.old; break;
        case 4: k->c[r.column].u32[r.row] = (uint32_t)r.old; break;
        default: k->c[r.column].u64[r.row] = r.old; break;
        }
    }
}

void undo_end(struct columns *k) {
    assert(k->undo_depth > 0);
    if (--k->undo_depth > 0) return;
    if (k->shadow) undo_check_end(k);
    memset(k->fresh, 0xff, sizeof k->fresh);
    k->undo_n = 0;
    for (uint32_t i = 0; i < k->retired_n; i++)
        alloc_free(k->alloc, k->retired[i].buckets,
                   (size_t)k->retired[i].capacity * sizeof(uint32_t));
    k->retired_n = 0;
    if (k->undo_cap <= UNDO_KEEP_RECORDS) return;
    alloc_free(k->alloc, k->undo, k->undo_cap * sizeof *k->undo);
    k->undo = NULL;
    k->undo_cap = 0;
}
