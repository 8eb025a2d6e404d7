/*
 * image.c -- clone and image hash: the functions that treat all columns alike. See image.h;
 * image_save.c and image_load.c have the byte format.
 *
 * Cost: a copy is one memcpy of the rows in use for each column. In every registry the rows after
 * those in use are zero. Therefore a copy that skips them is equal to its source, and an appended
 * row need not be cleared.
 */
#include "model/image/image.h"

#include "base/hash.h"
#include "model/machine/machine.h"

/* Returns 0 for a column of a family whose kind does not exist. Such a column has no values. Its
 * memory can exist nevertheless, because the memory is kept when the addition of a kind is
 * undone. */
static int column_in_use(const struct columns *k, uint32_t column) {
    const struct column_def *d = &column_defs[column];
    return d->kind < 0 || (uint64_t)d->kind < meta(k, M_N_KINDS);
}

uint64_t image_hash(const struct columns *k) {
    uint64_t h = 0;
    for (uint32_t c = 0; c < COLUMNS; c++) {
        uint32_t rows = table_rows(k, column_defs[c].table);
        if (rows == 0 || !column_in_use(k, c)) continue;
        h = hash_mix(h, c);
        h = hash_mix(h, hash_bytes(k->c[c].u8, (size_t)rows * column_defs[c].stride, c));
    }
    return h;
}

/* Data for a copy: the capacity that each table of dst will have, and new memory for columns of
 * dst that do not exist or are too small. */
struct copy {
    uint32_t capacity[TABLES];
    union column_data fresh[COLUMNS];
};

static uint32_t capacity_for(const struct columns *dst, const struct columns *src, uint32_t t) {
    uint32_t rows = table_rows(src, t);
    if (dst->capacity[t] >= rows) return dst->capacity[t];
    uint64_t cap = (uint64_t)rows + rows / 32 + 8;
    return cap < table_memory_rows(src, t) ? (uint32_t)cap : table_memory_rows(src, t);
}

static size_t column_bytes(uint32_t column, uint32_t rows) {
    return (size_t)rows * column_defs[column].stride;
}

static int32_t copy_prepare(struct copy *y, struct columns *dst, const struct columns *src) {
    memset(y, 0, sizeof *y);
    for (uint32_t t = 0; t < TABLES; t++) y->capacity[t] = capacity_for(dst, src, t);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        uint32_t t = column_defs[c].table;
        if (!column_in_use(src, c) || y->capacity[t] == 0) continue;
        if (dst->c[c].u8 && dst->capacity[t] == y->capacity[t]) continue;
        y->fresh[c].u8 = alloc_new(dst->alloc, column_bytes(c, y->capacity[t]));
        if (y->fresh[c].u8) continue;
        while (c-- > 0)
            alloc_free(dst->alloc, y->fresh[c].u8,
                       column_bytes(c, y->capacity[column_defs[c].table]));
        return LSCHED_E_NOMEM;
    }
    return LSCHED_OK;
}

/* Copies one column. used: number of rows of dst that were in use before the copy; these rows can
 * have values other than zero. */
static void copy_column(struct copy *y, struct columns *dst, const struct columns *src, uint32_t c,
                        uint32_t used) {
    uint32_t t = column_defs[c].table, cap = y->capacity[t], rows = table_rows(src, t);
    size_t stride = column_defs[c].stride;
    if (!column_in_use(src, c) || cap == 0) {
        alloc_free(dst->alloc, dst->c[c].u8, dst->allocated[c] * stride);
        dst->c[c].u8 = NULL;
        dst->allocated[c] = 0;
        return;
    }
    if (y->fresh[c].u8) {
        alloc_free(dst->alloc, dst->c[c].u8, dst->allocated[c] * stride);
        dst->c[c] = y->fresh[c];
        dst->allocated[c] = cap;
        used = cap;
    }
    if (rows) memcpy(dst->c[c].u8, src->c[c].u8, rows * stride);
    if (used > rows) memset(dst->c[c].u8 + rows * stride, 0, (used - rows) * stride);
}

int32_t columns_copy(struct columns *dst, const struct columns *src) {
    assert(dst->undo_depth == 0 && dst != src);
    struct copy y;
    uint32_t used[TABLES];
    int32_t rc = copy_prepare(&y, dst, src);
    if (rc != LSCHED_OK) return rc;
    for (uint32_t t = 0; t < TABLES; t++)
        /* must be read before META is copied, because the copy changes these numbers */
        used[t] = table_rows(dst, t);
    for (uint32_t c = 0; c < COLUMNS; c++) copy_column(&y, dst, src, c, used[column_defs[c].table]);
    for (uint32_t t = 0; t < TABLES; t++) dst->capacity[t] = y.capacity[t];
    dst->kinds = (uint32_t)meta(src, M_N_KINDS);
    dst->allowances = src->allowances;
    dst->warnings = src->warnings;
    dst->layout++;
    touch_log_skip(&dst->touch); /* all caches that were made from dst must be rebuilt */
    touch_log_skip(&dst->task_touch);
    touch_log_skip(&dst->queue_touch);
    touch_log_skip(&dst->bundle_touch);
    touch_log_skip(&dst->job_touch);
    dst->structure++;
    dst->domain_set++;
    dst->node_set++;
    dst->queue_terms++;
    machine_cache_clear(dst);
    return LSCHED_OK;
}
