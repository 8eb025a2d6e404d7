/* intern.c -- see intern.h. */
#include "model/store/intern.h"

#include "base/vec.h"

static uint32_t index_of(uint32_t table) {
    switch (table) {
    case T_STRING: return T_IX_STRING;
    case T_LABELS: return T_IX_LABELS;
    case T_CLASS: return T_IX_CLASS;
    case T_SHAPE: return T_IX_SHAPE;
    case T_MACHINE: return T_IX_MACHINE;
    case T_TAINTS: return T_IX_TAINTS;
    case T_DEVCLASS: return T_IX_DEVCLASS;
    case T_SELECTOR: return T_IX_SELECTOR;
    default: return T_IX_JOBSHAPE;
    }
}

uint32_t intern_find(const struct columns *k, uint32_t table, const void *bytes, size_t n) {
    struct index_key key = index_key_text(bytes, n);
    return index_find(k, index_of(table), &key);
}

uint32_t intern_get(struct columns *k, uint32_t table, const void *bytes, size_t n, int *created) {
    uint32_t first = table_first[table];
    *created = 0;
    uint32_t row = intern_find(k, table, bytes, n);
    if (row != NO_ROW) {
        add_u32(k, first + INTERN_REFS, row, 1);
        return row;
    }
    if (undo_room(k) != LSCHED_OK || index_reserve(k, index_of(table), 1) != LSCHED_OK)
        return NO_ROW;
    row = row_new(k, table);
    if (row == NO_ROW) return NO_ROW;
    uint32_t text = text_new(k, bytes, n);
    if (text == NO_ROW || undo_room(k) != LSCHED_OK) return NO_ROW; /* the caller rolls back */
    uint64_t serial = meta(k, M_SERIAL) + 1;
    set_meta(k, M_SERIAL, serial);
    set_u32(k, first + INTERN_BLOB, row, text);
    set_u32(k, first + INTERN_REFS, row, 1);
    set_u64(k, first + INTERN_SERIAL, row, serial);
    index_add(k, index_of(table), row);
    *created = 1;
    return row;
}

int intern_drop(struct columns *k, uint32_t table, uint32_t row) {
    uint32_t first = table_first[table];
    uint32_t refs = k->c[first + INTERN_REFS].u32[row];
    assert(refs > 0);
    if (refs > 1) {
        set_u32(k, first + INTERN_REFS, row, refs - 1);
        return 0;
    }
    index_remove(k, index_of(table), row);
    text_free(k, k->c[first + INTERN_BLOB].u32[row]);
    row_free(k, table, row);
    return 1;
}

void bytes_init(struct bytes *b, struct alloc *alloc) {
    *b = (struct bytes){alloc, NULL, 0, 0, 0, 0};
}

void bytes_close(struct bytes *b) {
    alloc_free(b->alloc, b->p, b->cap);
    b->p = NULL;
    b->n = b->cap = 0;
}

void bytes_put(struct bytes *b, const void *p, size_t n) {
    if (b->failed || n == 0) return;
    if (b->n + n > LIMIT_SHAPE_BYTES) {
        b->failed = b->too_long = 1;
        return;
    }
    if (!VEC_ROOM(b->alloc, b->p, b->cap, b->n + n)) {
        b->failed = 1;
        return;
    }
    memcpy(b->p + b->n, p, n);
    b->n += n;
}

void bytes_u32(struct bytes *b, uint32_t v) {
    uint8_t w[4] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)};
    bytes_put(b, w, sizeof w);
}

void bytes_i64(struct bytes *b, int64_t v) {
    uint64_t u = (uint64_t)v;
    bytes_u32(b, (uint32_t)u);
    bytes_u32(b, (uint32_t)(u >> 32));
}

void bytes_text(struct bytes *b, lsched_text t) {
    bytes_u32(b, (uint32_t)t.len);
    if (t.len) bytes_put(b, t.ptr, (size_t)t.len);
}

uint32_t reader_u32(struct reader *r) {
    if (r->end - r->p < 4) {
        r->bad = 1;
        return 0;
    }
    uint32_t v = (uint32_t)r->p[0] | (uint32_t)r->p[1] << 8 | (uint32_t)r->p[2] << 16 |
                 (uint32_t)r->p[3] << 24;
    r->p += 4;
    return v;
}

int64_t reader_i64(struct reader *r) {
    uint64_t lo = reader_u32(r), hi = reader_u32(r);
    return (int64_t)(lo | hi << 32);
}

lsched_text reader_text(struct reader *r) {
    uint32_t n = reader_u32(r);
    if ((size_t)(r->end - r->p) < n) {
        r->bad = 1;
        return (lsched_text){"", 0};
    }
    lsched_text t = {(const char *)r->p, n};
    r->p += n;
    return t;
}
