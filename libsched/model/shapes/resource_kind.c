/* resource_kind.c -- see resource_kind.h. */
#include "model/shapes/resource_kind.h"

uint32_t kind_name_new(struct columns *k, const char *name, size_t n) {
    char copy[LSCHED_NAME_BYTES_MAX + 1] = {0};
    assert(n <= LSCHED_NAME_BYTES_MAX);
    memcpy(copy, name, n);
    uint32_t text = text_new(k, copy, n + 1);
    if (text != NO_ROW) set_u64(k, C_TEXT_WORD, text, (uint64_t)text_hash_of(name, n) << 32 | n);
    return text;
}

int32_t kind_add(struct columns *k, const char *name, size_t n) {
    uint32_t row = name_find(k, T_IX_KIND, name, n);
    if (row != NO_ROW) return (int32_t)row;
    uint32_t kind = kind_count(k);
    if (kind >= KINDS_MAX) return LSCHED_E_LIMIT;
    int32_t rc = columns_add_kind(k, kind);
    if (rc == LSCHED_OK) rc = index_reserve(k, T_IX_KIND, 1);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t text = kind_name_new(k, name, n);
    row = text == NO_ROW ? NO_ROW : row_new(k, T_KIND);
    if (row == NO_ROW) return LSCHED_E_NOMEM;
    assert(row == kind);
    set_u32(k, C_KIND_NAME, row, text);
    index_add(k, T_IX_KIND, row);
    set_meta(k, M_N_KINDS, kind + 1u);
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++) {
        rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        if (!row_is_live(k, T_QUEUE, q)) continue;
        set_i64(k, C_QUEUE_LIMIT + kind, q, LSCHED_UNLIMITED);
        set_i64(k, C_QUEUE_LIMIT_NOW + kind, q, LSCHED_UNLIMITED);
        set_i64(k, C_QUEUE_LEND + kind, q, LSCHED_UNLIMITED);
        set_i64(k, C_QUEUE_WEIGHT + kind, q, 1000);
        set_i64(k, C_QUEUE_WEIGHT_NOW + kind, q, 1000);
    }
    return (int32_t)row;
}
