/*
 * check_blocks.c -- checks the lists of blocks of several rows: texts, devices and their SHARED
 * rows, NUMA nodes, groups of job shapes, answers of selectors, cells of a day. Each row belongs
 * to exactly one block, and each block has one owner or is free; no two blocks overlap and no row
 * is lost. Texts have the hash and the zero padding that lookups rely on.
 *
 * A byte per row records that a block uses the row. The sizes of classes are computed here
 * independently of blocks.c (blocks.h defines them).
 */
#include "model/check/check.h"

#include "model/store/blocks.h"
#include "model/shapes/daily_demand.h"
#include "model/machine/machine.h"

struct claims {
    struct check *c;
    uint8_t *taken;
    uint32_t table, rows;
    uint64_t n;
    /* owner of the present block, for messages; NO_ROW: the free list */
    uint32_t who_table, who_row;
};

static struct row_name who(const struct claims *m) {
    if (m->who_row == NO_ROW) return (struct row_name){"the free list"};
    return row_name(m->c->k, m->who_table, m->who_row);
}

static uint32_t class_number(uint64_t n) {
    uint32_t class = n <= 32 ? (uint32_t)n - 1 : 32;
    for (uint64_t size = 64; n > 32 && size < n; size *= 2) class ++;
    return class;
}

static uint64_t rows_of_class(uint32_t class) {
    return class < 32 ? class + 1 : (uint64_t)64 << (class - 32);
}

/* Marks the rows of a block for n rows as used; the rows that its size class has beyond n must be
 * zero. */
static int32_t claim(struct claims *m, uint64_t first, uint64_t n) {
    const struct columns *k = m->c->k;
    uint64_t size = n ? rows_of_class(class_number(n)) : 0;
    if (n == 0 || first >= m->rows || size > m->rows - first)
        return check_fail(m->c, "%s holds %llu rows of %s from %llu, of %u", who(m).text,
                          (unsigned long long)n, table_names[m->table], (unsigned long long)first,
                          m->rows);
    for (uint64_t row = first; row < first + size; row++) {
        if (m->taken[row])
            return check_fail(m->c, "%s and another hold row %llu of %s", who(m).text,
                              (unsigned long long)row, table_names[m->table]);
        m->taken[row] = 1;
        if (row < first + n) continue;
        for (uint32_t i = table_first[m->table]; i < table_first[m->table + 1]; i++)
            for (uint32_t b = 0; b < column_defs[i].stride; b++)
                if (k->c[i].u8[row * column_defs[i].stride + b])
                    return check_fail(m->c, "%s: unused row %llu of %s is not zero", who(m).text,
                                      (unsigned long long)row, table_names[m->table]);
    }
    m->n += size;
    return LSCHED_OK;
}

static uint64_t free_link(const struct columns *k, uint32_t heap, uint64_t row) {
    switch (heap) {
    case BLOCKS_TEXT: return k->c[C_TEXT_WORD].u64[row];
    case BLOCKS_DEVICE: return k->c[C_DEVICE_NODE].u32[row];
    case BLOCKS_SHARED: return (uint32_t)k->c[C_SHARED_CORES_FREE].i32[row];
    case BLOCKS_NUMA: return (uint64_t)k->c[C_NUMA_CPU_FREE].i64[row];
    case BLOCKS_ANSWER: return k->c[C_ANSWER_WORD].u64[row];
    case BLOCKS_CELL: return (uint64_t)k->c[C_CELL_NOW].i64[row];
    default: return k->c[C_GROUP_PARENT].u32[row];
    }
}

/* Checks that a free block is zero except for its link, which is in its first row: the first word
 * of the first column. */
static int32_t check_free_piece(struct claims *m, uint64_t first, uint64_t n) {
    const struct columns *k = m->c->k;
    for (uint32_t i = table_first[m->table]; i < table_first[m->table + 1]; i++) {
        uint32_t s = column_defs[i].stride;
        for (uint64_t at = i == table_first[m->table] ? s : 0; at < n * s; at++)
            if (k->c[i].u8[first * s + at])
                return check_fail(m->c, "free piece %llu of %s is not zero",
                                  (unsigned long long)first, table_names[m->table]);
    }
    return LSCHED_OK;
}

static int32_t claim_free(struct claims *m, uint32_t heap) {
    const struct columns *k = m->c->k;
    m->who_row = NO_ROW;
    for (uint32_t class = 0; class < BLOCK_CLASSES; class ++) {
        uint64_t size = rows_of_class(class);
        for (uint64_t at = meta(k, META_BLOCK(heap, class)); at != NO_ROW;
             at = free_link(k, heap, at)) {
            int32_t rc = claim(m, at, size);
            if (rc == LSCHED_OK) rc = check_free_piece(m, at, size);
            if (rc != LSCHED_OK) return rc;
        }
    }
    return LSCHED_OK;
}

static int32_t claims_begin(struct claims *m, struct check *c, uint32_t table) {
    *m = (struct claims){c, NULL, table, table_rows(c->k, table), 0, 0, NO_ROW};
    m->taken = alloc_zero(c->k->alloc, (size_t)m->rows + 1);
    return m->taken ? LSCHED_OK : check_nomem(c);
}

static int32_t claims_end(struct claims *m, uint32_t heap, int32_t rc) {
    if (rc == LSCHED_OK) rc = claim_free(m, heap);
    if (rc == LSCHED_OK && m->n != m->rows)
        rc = check_fail(m->c, "%llu of %u rows of %s belong to nobody",
                        (unsigned long long)(m->rows - m->n), m->rows, table_names[m->table]);
    alloc_free(m->c->k->alloc, m->taken, (size_t)m->rows + 1);
    return rc;
}

/* ---- texts ---- */

/* Checks a text and marks its rows. spare: zero bytes for which the block has room after the
 * text. */
static int32_t claim_text(struct claims *m, uint32_t text, uint32_t spare) {
    const struct columns *k = m->c->k;
    if (text >= m->rows)
        return check_fail(m->c, "the text of %s is row %u of %u", who(m).text, text, m->rows);
    uint64_t len = text_len(k, text), words = 1 + (len + spare + 7) / 8;
    int32_t rc = claim(m, text, words);
    if (rc != LSCHED_OK) return rc;
    const uint8_t *p = text_bytes(k, text);
    for (uint64_t i = len; i < (words - 1) * 8; i++)
        if (p[i]) return check_fail(m->c, "the text of %s is not padded with zero", who(m).text);
    if (text_hash(k, text) != text_hash_of(p, (size_t)len))
        return check_fail(m->c, "the text of %s has another hash", who(m).text);
    return LSCHED_OK;
}

static const uint16_t text_columns[] = {
    C_KIND_NAME,       C_STRING_BLOB,   C_LABELS_BLOB,   C_CLASS_BLOB,    C_TOPOLOGY_NAME,
    C_TOPOLOGY_LEVELS, C_DOMAIN_NAME,   C_NODE_NAME,     C_SHAPE_BLOB,    C_JOBSHAPE_BLOB,
    C_QUEUE_NAME,      C_JOB_NAME,      C_DERIVED_NAME,  C_POOL_NAME,     C_MACHINE_BLOB,
    C_TAINTS_BLOB,     C_DEVCLASS_BLOB, C_SELECTOR_BLOB, C_SELECTOR_PARTS};

static int is_name(uint32_t column) {
    return column == C_KIND_NAME || column == C_TOPOLOGY_NAME || column == C_NODE_NAME ||
           column == C_QUEUE_NAME || column == C_JOB_NAME || column == C_DERIVED_NAME ||
           column == C_POOL_NAME;
}

/* Returns 1 for the names of kinds, which the API returns without a copy, so they must end in
 * NUL. */
static uint32_t ends_in_nul(uint32_t column) {
    return column == C_KIND_NAME || column == C_DERIVED_NAME;
}

static int32_t claim_texts(struct claims *m, uint32_t column) {
    const struct columns *k = m->c->k;
    struct check *c = m->c;
    uint32_t table = column_defs[column].table;
    for (uint32_t row = 0; row < table_rows(k, table); row++) {
        if (!row_is_live(k, table, row)) continue;
        uint32_t text = k->c[column].u32[row];
        m->who_table = table;
        m->who_row = row;
        int32_t rc = claim_text(m, text, ends_in_nul(column));
        if (rc != LSCHED_OK) return rc;
        uint32_t len = text_len(k, text);
        if (is_name(column) &&
            (len == 0 || len > LSCHED_NAME_BYTES_MAX || memchr(text_bytes(k, text), 0, len)))
            return check_fail(c, "%s: a name of %u bytes, or one with NUL", NAME(table, row), len);
    }
    return LSCHED_OK;
}

static int32_t check_texts(struct check *c) {
    const struct columns *k = c->k;
    struct claims m;
    int32_t rc = claims_begin(&m, c, T_TEXT);
    if (rc != LSCHED_OK) return rc;
    for (size_t i = 0; i < sizeof text_columns / sizeof text_columns[0] && rc == LSCHED_OK; i++)
        rc = claim_texts(&m, text_columns[i]);
    m.who_table = T_SHAPE;
    for (uint32_t s = 0; s < table_rows(k, T_SHAPE) && rc == LSCHED_OK; s++) {
        m.who_row = s;
        if (row_is_live(k, T_SHAPE, s) && k->c[C_SHAPE_N_MODELS].u32[s])
            rc = claim_text(&m, k->c[C_SHAPE_MODELS].u32[s], 0);
    }
    m.who_table = T_JOBSHAPE;
    for (uint32_t s = 0; s < table_rows(k, T_JOBSHAPE) && rc == LSCHED_OK; s++) {
        m.who_row = s;
        uint32_t first = k->c[C_JOBSHAPE_GROUP_FIRST].u32[s], n = k->c[C_JOBSHAPE_N_GROUPS].u32[s];
        if (!row_is_live(k, T_JOBSHAPE, s)) continue;
        if (n == 0 || n > LSCHED_GROUPS_PER_JOB_MAX) /* checked before any loop of n turns */
            rc = check_fail(c, "a job shape with %u groups", n);
        for (uint32_t g = first; g - first < n && rc == LSCHED_OK; g++)
            if (g < table_rows(k, T_GROUP) && k->c[C_GROUP_ALTERNATIVES].u32[g] != NO_ROW)
                rc = claim_text(&m, k->c[C_GROUP_ALTERNATIVES].u32[g], 0);
    }
    return claims_end(&m, BLOCKS_TEXT, rc);
}

/* ---- devices and groups ---- */

static int32_t check_device_rows(struct check *c, uint32_t node) {
    const struct columns *k = c->k;
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++) {
        uint32_t d = first + i;
        if (k->c[C_DEVICE_NODE].u32[d] != node ||
            !row_is_live(k, T_STRING, k->c[C_DEVICE_MODEL].u32[d]) ||
            k->c[C_DEVICE_SHARE].u8[d] > LSCHED_SHARE_TIME_SLICE ||
            !row_is_live(k, T_DEVCLASS, k->c[C_DEVICE_CLASS].u16[d]) ||
            k->c[C_DEVICE_FREE_MILLI].u16[d] > 1000)
            return check_fail(
                c, "device %u of %s: node row %u, model row %u, share mode %u, %u free", i,
                NAME(T_NODE, node), k->c[C_DEVICE_NODE].u32[d], k->c[C_DEVICE_MODEL].u32[d],
                k->c[C_DEVICE_SHARE].u8[d], k->c[C_DEVICE_FREE_MILLI].u16[d]);
    }
    return LSCHED_OK;
}

static int32_t check_blocks_devices(struct check *c) {
    const struct columns *k = c->k;
    struct claims m;
    int32_t rc = claims_begin(&m, c, T_DEVICE);
    if (rc != LSCHED_OK) return rc;
    for (uint32_t node = 0; node < table_rows(k, T_NODE) && rc == LSCHED_OK; node++) {
        uint32_t n = k->c[C_NODE_N_DEVICES].u8[node], first = k->c[C_NODE_DEVICE_FIRST].u32[node];
        if (!row_is_live(k, T_NODE, node)) continue;
        if (n == 0 && first != NO_ROW)
            rc = check_fail(c, "%s has a row of devices and none of them", NAME(T_NODE, node));
        if (n == 0) continue;
        m.who_table = T_NODE;
        m.who_row = node;
        rc = claim(&m, first, n);
        if (rc == LSCHED_OK) rc = check_device_rows(c, node);
    }
    return claims_end(&m, BLOCKS_DEVICE, rc);
}

/* Checks an optional block of each node: one row for each device, or one row for each NUMA
 * node. */
static int32_t check_node_block(struct check *c, uint32_t table, uint32_t heap, uint32_t column) {
    const struct columns *k = c->k;
    struct claims m;
    int32_t rc = claims_begin(&m, c, table);
    if (rc != LSCHED_OK) return rc;
    for (uint32_t node = 0; node < table_rows(k, T_NODE) && rc == LSCHED_OK; node++) {
        if (!row_is_live(k, T_NODE, node) || k->c[column].u32[node] == NO_ROW) continue;
        uint32_t n =
            heap == BLOCKS_SHARED ? k->c[C_NODE_N_DEVICES].u8[node] : machine_numa_rows(k, node);
        m.who_table = T_NODE;
        m.who_row = node;
        rc = claim(&m, k->c[column].u32[node], n);
    }
    return claims_end(&m, heap, rc);
}

static int32_t check_answers(struct check *c) {
    const struct columns *k = c->k;
    struct claims m;
    int32_t rc = claims_begin(&m, c, T_ANSWER);
    if (rc != LSCHED_OK) return rc;
    m.who_table = T_SELECTOR;
    for (uint32_t s = 0; s < table_rows(k, T_SELECTOR) && rc == LSCHED_OK; s++) {
        uint32_t n = k->c[C_SELECTOR_WORDS].u32[s];
        m.who_row = s;
        if (row_is_live(k, T_SELECTOR, s) && n) rc = claim(&m, k->c[C_SELECTOR_ANSWERS].u32[s], n);
    }
    return claims_end(&m, BLOCKS_ANSWER, rc);
}

static int32_t check_cells(struct check *c) {
    const struct columns *k = c->k;
    struct claims m;
    int32_t rc = claims_begin(&m, c, T_CELL);
    if (rc != LSCHED_OK) return rc;
    m.who_table = T_DAY;
    for (uint32_t d = 0; d < table_rows(k, T_DAY) && rc == LSCHED_OK; d++) {
        m.who_row = d;
        if (row_is_live(k, T_DAY, d)) rc = claim(&m, k->c[C_DAY_CELLS].u32[d], DAY_CELLS);
    }
    return claims_end(&m, BLOCKS_CELL, rc);
}

static int32_t check_blocks_groups(struct check *c) {
    const struct columns *k = c->k;
    struct claims m;
    int32_t rc = claims_begin(&m, c, T_GROUP);
    if (rc != LSCHED_OK) return rc;
    for (uint32_t s = 0; s < table_rows(k, T_JOBSHAPE) && rc == LSCHED_OK; s++) {
        uint32_t n = k->c[C_JOBSHAPE_N_GROUPS].u32[s];
        if (!row_is_live(k, T_JOBSHAPE, s)) continue;
        m.who_table = T_JOBSHAPE;
        m.who_row = s;
        rc = claim(&m, k->c[C_JOBSHAPE_GROUP_FIRST].u32[s], n);
    }
    return claims_end(&m, BLOCKS_GROUP, rc);
}

int32_t check_blocks(struct check *c) {
    int32_t rc = check_texts(c);
    if (rc == LSCHED_OK) rc = check_blocks_devices(c);
    if (rc == LSCHED_OK) rc = check_node_block(c, T_SHARED, BLOCKS_SHARED, C_NODE_SHARED_FIRST);
    if (rc == LSCHED_OK) rc = check_node_block(c, T_NUMA, BLOCKS_NUMA, C_NODE_NUMA_FIRST);
    if (rc == LSCHED_OK) rc = check_blocks_groups(c);
    if (rc == LSCHED_OK) rc = check_answers(c);
    if (rc == LSCHED_OK) rc = check_cells(c);
    return rc;
}
