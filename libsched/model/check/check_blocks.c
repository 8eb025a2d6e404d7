/*
 * check_blocks.c -- checks the lists of blocks of several rows: texts, devices and their SHARED
 * rows, NUMA nodes, groups of job shapes, answers of selectors, cells of daily curves. The lengths
 * of the blocks are not believed before they are checked. Each row
 * must belong to exactly one block, and each block must have one owner or be free. Texts must
 * have the hash and the zero padding that lookups need.
 *
 * One byte for each row records that a block uses the row. The size classes (blocks.h) are
 * computed here independently of blocks.c.
 */
#include "model/check/check_blocks.h"

#include "model/check/check_contention.h"
#include "model/store/blocks.h"
#include "model/shapes/daily_demand.h"
#include "model/machine/machine.h"
#include "model/shapes/work_kind.h"

struct claims {
    struct check *c;
    uint8_t *taken;
    uint32_t table, rows;
    uint64_t n;
    /* owner of the block that is being checked, for messages; NO_ROW: the block is free */
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

/* Marks all rows of a block as used. n: number of rows that the owner uses; the other rows of the
 * block must be zero. */
static int32_t claim(struct claims *m, uint64_t first, uint64_t n) {
    const struct columns *k = m->c->k;
    uint64_t size = n ? rows_of_class(class_number(n)) : 0;
    if (n == 0 || first >= m->rows || size > m->rows - first)
        return check_fail(
            m->c, "%s holds a block of %llu rows of %s from row %llu; the table has %u rows",
            who(m).text, (unsigned long long)n, table_names[m->table], (unsigned long long)first,
            m->rows);
    for (uint64_t row = first; row < first + size; row++) {
        if (m->taken[row])
            return check_fail(m->c, "%s and another owner both hold row %llu of %s", who(m).text,
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
    case BLOCKS_SHARED: return (uint32_t)k->c[C_SHARED_SM_FREE].i32[row];
    case BLOCKS_NUMA: return (uint64_t)k->c[C_NUMA_CPU_FREE].i64[row];
    case BLOCKS_ANSWER: return k->c[C_ANSWER_WORD].u64[row];
    case BLOCKS_CELL: return (uint64_t)k->c[C_CELL_NOW].i64[row];
    case BLOCKS_CROWD: return k->c[C_CROWD_COUNT].u32[row];
    default: return k->c[C_GROUP_PARENT].u32[row];
    }
}

/* Checks that a free block is zero except for its link, which is the first word of the first
 * column, in the block's first row. */
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
        rc = check_fail(m->c, "%llu of %u rows of %s have no owner",
                        (unsigned long long)(m->rows - m->n), m->rows, table_names[m->table]);
    alloc_free(m->c->k->alloc, m->taken, (size_t)m->rows + 1);
    return rc;
}

/* ---- texts ---- */

/* Checks a text and marks its rows as used. spare: number of zero bytes that must fit into the
 * block after the text. */
static int32_t claim_text(struct claims *m, uint32_t text, uint32_t spare) {
    const struct columns *k = m->c->k;
    if (text >= m->rows)
        return check_fail(m->c, "the text of %s begins at row %u, but there are %u rows",
                          who(m).text, text, m->rows);
    uint64_t len = text_len(k, text), words = 1 + (len + spare + 7) / 8;
    int32_t rc = claim(m, text, words);
    if (rc != LSCHED_OK) return rc;
    const uint8_t *p = text_bytes(k, text);
    for (uint64_t i = len; i < (words - 1) * 8; i++)
        if (p[i])
            return check_fail(m->c, "the text of %s is not padded with zero bytes", who(m).text);
    if (text_hash(k, text) != text_hash_of(p, (size_t)len))
        return check_fail(m->c, "the stored hash of the text of %s differs from the computed hash",
                          who(m).text);
    return LSCHED_OK;
}

static const uint16_t text_columns[] = {
    C_KIND_NAME,       C_STRING_BLOB,     C_LABELS_BLOB,   C_CLASS_BLOB,     C_TOPOLOGY_NAME,
    C_TOPOLOGY_LEVELS, C_DOMAIN_NAME,     C_NODE_NAME,     C_SHAPE_BLOB,     C_JOBSHAPE_BLOB,
    C_QUEUE_NAME,      C_JOB_NAME,        C_DERIVED_NAME,  C_POOL_NAME,      C_MACHINE_BLOB,
    C_TAINTS_BLOB,     C_DEVCLASS_BLOB,   C_SELECTOR_BLOB, C_SELECTOR_PARTS, C_SUPPLY_NAME,
    C_PLACE_PATH,      C_RESERVATION_NAME};

static int is_name(uint32_t column) {
    return column == C_KIND_NAME || column == C_TOPOLOGY_NAME || column == C_NODE_NAME ||
           column == C_QUEUE_NAME || column == C_JOB_NAME || column == C_DERIVED_NAME ||
           column == C_POOL_NAME || column == C_SUPPLY_NAME || column == C_RESERVATION_NAME;
}

/* Returns 1 for a column with names of kinds. A NUL must follow these texts, because the API
 * returns them as C strings without a copy. */
static uint32_t ends_in_nul(uint32_t column) {
    return column == C_KIND_NAME || column == C_DERIVED_NAME;
}

static int32_t claim_texts(struct claims *m, uint32_t column) {
    const struct columns *k = m->c->k;
    struct check *c = m->c;
    uint32_t table = column_defs[column].table;
    EACH_LIVE(k, table, row) {
        uint32_t text = k->c[column].u32[row];
        m->who_table = table;
        m->who_row = row;
        int32_t rc = claim_text(m, text, ends_in_nul(column));
        if (rc != LSCHED_OK) return rc;
        uint32_t len = text_len(k, text);
        if (is_name(column) &&
            (len == 0 || len > LSCHED_NAME_BYTES_MAX || memchr(text_bytes(k, text), 0, len)))
            return check_fail(
                c, "%s: its name has %u bytes, which is not allowed, or contains a NUL byte",
                NAME(table, row), len);
    }
    return LSCHED_OK;
}

static int32_t claim_contention(struct claims *m) {
    uint64_t text = meta(m->c->k, M_CONTENTION);
    if (text == 0) return LSCHED_OK;
    if (text > m->rows) return check_fail(m->c, "the table of slow-downs has no text");
    m->who_table = T_META;
    m->who_row = M_CONTENTION;
    return claim_text(m, (uint32_t)(text - 1), 0);
}

static int32_t check_texts(struct check *c) {
    const struct columns *k = c->k;
    struct claims m;
    int32_t rc = claims_begin(&m, c, T_TEXT);
    if (rc != LSCHED_OK) return rc;
    rc = claim_contention(&m);
    for (size_t i = 0; i < sizeof text_columns / sizeof text_columns[0] && rc == LSCHED_OK; i++)
        rc = claim_texts(&m, text_columns[i]);
    m.who_table = T_SHAPE;
    for (uint32_t s = 0; s < table_rows(k, T_SHAPE) && rc == LSCHED_OK; s++) {
        m.who_row = s;
        if (row_is_live(k, T_SHAPE, s) && k->c[C_SHAPE_N_MODELS].u32[s])
            rc = claim_text(&m, k->c[C_SHAPE_MODELS].u32[s], 0);
        if (rc == LSCHED_OK && row_is_live(k, T_SHAPE, s) && k->c[C_SHAPE_N_SUPPLIES].u8[s])
            rc = claim_text(&m, k->c[C_SHAPE_SUPPLIES].u32[s], 0);
    }
    m.who_table = T_JOBSHAPE;
    for (uint32_t s = 0; s < table_rows(k, T_JOBSHAPE) && rc == LSCHED_OK; s++) {
        m.who_row = s;
        uint32_t first = k->c[C_JOBSHAPE_GROUP_FIRST].u32[s], n = k->c[C_JOBSHAPE_N_GROUPS].u32[s];
        if (!row_is_live(k, T_JOBSHAPE, s)) continue;
        /* must be checked before any loop that runs n times */
        if (n == 0 || n > LSCHED_GROUPS_PER_JOB_MAX)
            rc = check_fail(c, "a job shape has %u groups, which is not allowed", n);
        for (uint32_t g = first; g - first < n && rc == LSCHED_OK; g++)
            if (g < table_rows(k, T_GROUP) && k->c[C_GROUP_ALTERNATIVES].u32[g] != NO_ROW)
                rc = claim_text(&m, k->c[C_GROUP_ALTERNATIVES].u32[g], 0);
    }
    return claims_end(&m, BLOCKS_TEXT, rc);
}

/* ---- devices and groups ---- */

/* The blocks of one table. Each owner has one block, or no block if that is allowed. */
struct owned_blocks {
    uint32_t table, heap, owners, first; /* first: the column with the block's first row */
    /* how an owner has no block:
     *   LACKS_NEVER: every owner has a block
     *   LACKS_ROWS: its number of rows is 0
     *   LACKS_FIRST: its first row is NO_ROW */
    enum { LACKS_NEVER, LACKS_ROWS, LACKS_FIRST } lacks;
    uint32_t (*rows)(const struct columns *k, uint32_t owner);
};

static uint32_t rows_of_devices(const struct columns *k, uint32_t node) {
    return k->c[C_NODE_N_DEVICES].u8[node];
}

static uint32_t rows_of_crowd(const struct columns *k, uint32_t node) {
    return k->c[C_NODE_N_DEVICES].u8[node] * (work_kinds(k) ? work_kinds(k)->n : 0);
}

static uint32_t rows_of_answers(const struct columns *k, uint32_t selector) {
    return k->c[C_SELECTOR_WORDS].u32[selector];
}

static uint32_t rows_of_day(const struct columns *k, uint32_t day) {
    (void)k;
    (void)day;
    return DAY_CELLS;
}

static uint32_t rows_of_groups(const struct columns *k, uint32_t jobshape) {
    return k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape];
}

static int32_t check_owned(struct check *c, const struct owned_blocks *o) {
    const struct columns *k = c->k;
    struct claims m;
    int32_t rc = claims_begin(&m, c, o->table);
    if (rc != LSCHED_OK) return rc;
    m.who_table = o->owners;
    for (uint32_t row = 0; row < table_rows(k, o->owners) && rc == LSCHED_OK; row++) {
        if (!row_is_live(k, o->owners, row)) continue;
        uint32_t n = o->rows(k, row), first = k->c[o->first].u32[row];
        if ((o->lacks == LACKS_ROWS && n == 0) || (o->lacks == LACKS_FIRST && first == NO_ROW))
            continue;
        m.who_row = row;
        rc = claim(&m, first, n);
    }
    return claims_end(&m, o->heap, rc);
}

static int32_t check_device_rows(struct check *c, uint32_t node) {
    const struct columns *k = c->k;
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++) {
        uint32_t d = first + i;
        if (k->c[C_DEVICE_NODE].u32[d] != node ||
            !row_is_live(k, T_STRING, k->c[C_DEVICE_MODEL].u32[d]) ||
            k->c[C_DEVICE_SHARE].u8[d] > LSCHED_SHARING_TIME_SLICE ||
            !row_is_live(k, T_DEVCLASS, k->c[C_DEVICE_CLASS].u16[d]) ||
            k->c[C_DEVICE_FREE_MILLI].u16[d] > 1000 ||
            (k->c[C_DEVICE_TAINTS].u32[d] &&
             !row_is_live(k, T_TAINTS, k->c[C_DEVICE_TAINTS].u32[d] - 1)))
            return check_fail(
                c,
                "device %u of %s has wrong values: node row %u, model row %u, share mode %u, "
                "%u free, taints %u",
                i, NAME(T_NODE, node), k->c[C_DEVICE_NODE].u32[d], k->c[C_DEVICE_MODEL].u32[d],
                k->c[C_DEVICE_SHARE].u8[d], k->c[C_DEVICE_FREE_MILLI].u16[d],
                k->c[C_DEVICE_TAINTS].u32[d]);
        if (i >= DEVICE_MIG_INDEXES && k->c[C_DEVICE_SHARE].u8[d] == LSCHED_SHARING_MIG)
            return check_fail(c,
                              "device %u of %s is in share mode MIG; only devices below %u can be",
                              i, NAME(T_NODE, node), DEVICE_MIG_INDEXES);
    }
    return LSCHED_OK;
}

static int32_t check_blocks_devices(struct check *c) {
    static const struct owned_blocks devices = {
        T_DEVICE, BLOCKS_DEVICE, T_NODE, C_NODE_DEVICE_FIRST, LACKS_ROWS, rows_of_devices};
    const struct columns *k = c->k;
    EACH_LIVE(k, T_NODE, node)
        if (k->c[C_NODE_N_DEVICES].u8[node] == 0 && k->c[C_NODE_DEVICE_FIRST].u32[node] != NO_ROW)
            return check_fail(c, "%s has a row for devices, but no devices", NAME(T_NODE, node));
    int32_t rc = check_owned(c, &devices);
    for (uint32_t node = 0; node < table_rows(k, T_NODE) && rc == LSCHED_OK; node++)
        if (row_is_live(k, T_NODE, node)) rc = check_device_rows(c, node);
    return rc;
}

int32_t check_blocks(struct check *c) {
    static const struct owned_blocks kinds[] = {
        {T_SHARED, BLOCKS_SHARED, T_NODE, C_NODE_SHARED_FIRST, LACKS_FIRST, rows_of_devices},
        {T_NUMA, BLOCKS_NUMA, T_NODE, C_NODE_NUMA_FIRST, LACKS_FIRST, machine_numa_rows},
        {T_GROUP, BLOCKS_GROUP, T_JOBSHAPE, C_JOBSHAPE_GROUP_FIRST, LACKS_NEVER, rows_of_groups},
        {T_ANSWER, BLOCKS_ANSWER, T_SELECTOR, C_SELECTOR_ANSWERS, LACKS_ROWS, rows_of_answers},
        {T_CELL, BLOCKS_CELL, T_DAY, C_DAY_CELLS, LACKS_NEVER, rows_of_day},
        {T_CROWD, BLOCKS_CROWD, T_NODE, C_NODE_CROWD_FIRST, LACKS_FIRST, rows_of_crowd}};
    int32_t rc = check_texts(c);
    if (rc == LSCHED_OK) rc = check_contention(c);
    if (rc == LSCHED_OK) rc = check_blocks_devices(c);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && rc == LSCHED_OK; i++)
        rc = check_owned(c, &kinds[i]);
    return rc;
}
