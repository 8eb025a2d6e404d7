/*
 * intern.h -- interned contents: contents that many objects share and that are stored once, such
 * as strings, label sets, node classes, task shapes and job shapes.
 *
 * A row of an interned table has its canonical bytes as a text, the number of its holders and a
 * serial number. Canonical bytes have names and never rows, so that they mean the same in every
 * cluster. A serial number is never used again. Therefore a cache whose keys are serial numbers
 * can never confuse two contents, even if a row is freed and used again. When the last holder
 * drops the row, the row is freed.
 */
#ifndef LIBSCHED_INTERN_H
#define LIBSCHED_INTERN_H

#include "model/store/index.h"

/* Every interned table begins with these columns. */
enum { INTERN_LINK, INTERN_BLOB, INTERN_REFS, INTERN_SERIAL };

/* Returns the row of these bytes, which is made if the bytes are new, and adds one holder. Sets
 * *created to 1 if the row is new, else to 0. Returns NO_ROW if out of memory. */
uint32_t intern_get(struct columns *k, uint32_t table, const void *bytes, size_t n, int *created);
uint32_t intern_find(const struct columns *k, uint32_t table, const void *bytes, size_t n);
static inline void intern_hold(struct columns *k, uint32_t table, uint32_t row) {
    add_u32(k, table_first[table] + INTERN_REFS, row, 1);
}
/* Removes one holder; returns 1 if the row was freed. Before the call, if the row has only one
 * holder (intern_is_last()), the caller must free all data of the row that the table has in other
 * columns. */
int intern_drop(struct columns *k, uint32_t table, uint32_t row);
static inline int intern_is_last(const struct columns *k, uint32_t table, uint32_t row) {
    return k->c[table_first[table] + INTERN_REFS].u32[row] == 1;
}
static inline uint64_t intern_serial(const struct columns *k, uint32_t table, uint32_t row) {
    return k->c[table_first[table] + INTERN_SERIAL].u64[row];
}
static inline uint32_t intern_text(const struct columns *k, uint32_t table, uint32_t row) {
    return k->c[table_first[table] + INTERN_BLOB].u32[row];
}
static inline uint32_t string_get(struct columns *k, const void *bytes, size_t n) {
    int created;
    return intern_get(k, T_STRING, bytes, n, &created);
}
static inline lsched_text text_of(const struct columns *k, uint32_t text) {
    return (lsched_text){(const char *)text_bytes(k, text), text_len(k, text)};
}

/* ---- canonical bytes: a buffer that grows with the cluster's allocator, and a reader that
 * checks bounds ---- */
struct bytes {
    struct alloc *alloc;
    uint8_t *p;
    size_t n;
    uint32_t cap;
    int failed; /* out of memory, or more than LIMIT_SHAPE_BYTES (then too_long is set) */
    int too_long;
};
void bytes_init(struct bytes *b, struct alloc *alloc);
void bytes_close(struct bytes *b);
void bytes_put(struct bytes *b, const void *p, size_t n);
void bytes_u32(struct bytes *b, uint32_t v); /* little-endian */
void bytes_i64(struct bytes *b, int64_t v);
void bytes_text(struct bytes *b, lsched_text t); /* length, bytes */

struct reader {
    const uint8_t *p, *end;
    int bad;
};
uint32_t reader_u32(struct reader *r);
int64_t reader_i64(struct reader *r);
lsched_text reader_text(struct reader *r);
static inline struct reader reader_of(const struct columns *k, uint32_t text) {
    const uint8_t *p = text_bytes(k, text);
    return (struct reader){p, p + text_len(k, text), 0};
}
static inline int text_order(lsched_text a, lsched_text b) {
    size_t n = (size_t)(a.len < b.len ? a.len : b.len);
    /* memcmp() is not called, because the pointer of an empty text can be NULL */
    int c = n ? memcmp(a.ptr, b.ptr, n) : 0;
    return c != 0 ? c : a.len < b.len ? -1 : a.len > b.len;
}

#endif
