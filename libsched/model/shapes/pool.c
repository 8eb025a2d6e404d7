/* pool.c -- see pool.h. */
#include "model/shapes/pool.h"

uint32_t pool_find(const struct columns *k, lsched_text name) {
    for (uint32_t p = 0; p < pool_count(k); p++)
        if (text_order(text_of(k, k->c[C_POOL_NAME].u32[p]), name) == 0) return p;
    return NO_ROW;
}

/* Returns 1 if the label set `set` has all labels of the label set `wanted`. Both are sorted by
 * key, therefore one pass is enough. */
static int has_all(const struct columns *k, uint32_t set, uint32_t wanted) {
    struct reader s = reader_of(k, intern_text(k, T_LABELS, set)),
                  w = reader_of(k, intern_text(k, T_LABELS, wanted));
    uint32_t left = reader_u32(&s);
    for (uint32_t n = reader_u32(&w); n > 0; n--) {
        lsched_text key = reader_text(&w), value = reader_text(&w);
        int found = 0;
        while (!found && left > 0) {
            lsched_text k2 = reader_text(&s), v2 = reader_text(&s);
            left--;
            int order = text_order(k2, key);
            if (order > 0 || (order == 0 && text_order(v2, value) != 0)) return 0;
            found = order == 0;
        }
        if (!found) return 0;
    }
    return 1;
}

void pool_fill(struct columns *k, uint32_t labels) {
    uint64_t pools = 0;
    for (uint32_t p = 0; p < pool_count(k); p++)
        pools |= (uint64_t)has_all(k, labels, k->c[C_POOL_LABELS].u32[p]) << p;
    if (k->c[C_LABELS_POOLS].u64[labels] != pools) set_u64(k, C_LABELS_POOLS, labels, pools);
}

static uint32_t intern_set(struct columns *k, const lsched_label *labels, uint32_t n) {
    struct bytes b;
    int created;
    bytes_init(&b, k->alloc);
    bytes_u32(&b, n);
    for (uint32_t i = 0; i < n; i++) {
        bytes_text(&b, labels[i].key);
        bytes_text(&b, labels[i].value);
    }
    uint32_t row = b.failed ? NO_ROW : intern_get(k, T_LABELS, b.p, b.n, &created);
    bytes_close(&b);
    return row;
}

int32_t pool_add(struct columns *k, lsched_text name, const lsched_label *labels, uint32_t n,
                 uint64_t tag, uint32_t *row) {
    if (pool_count(k) == LSCHED_POOLS_MAX) return LSCHED_E_LIMIT;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t set = intern_set(k, labels, n);
    uint32_t text = set == NO_ROW ? NO_ROW : text_new(k, name.ptr, (size_t)name.len);
    uint32_t pool = text == NO_ROW ? NO_ROW : row_new(k, T_POOL);
    if (pool == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_POOL_NAME, pool, text);
    set_u32(k, C_POOL_LABELS, pool, set);
    set_u64(k, C_POOL_TAG, pool, tag);
    EACH_LIVE(k, T_LABELS, l) {
        rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        pool_fill(k, l);
    }
    *row = pool;
    return LSCHED_OK;
}
