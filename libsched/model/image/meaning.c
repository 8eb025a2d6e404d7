/*
 * meaning.c -- see meaning.h. The hash of a row is the sum of the hashes of (column name, value).
 * Therefore the order of columns and of resource kinds does not matter. A value of zero adds
 * nothing. Therefore a column that a later version adds changes no old hash.
 */
#include "model/image/meaning.h"

#include "base/hash.h"
#include "model/store/intern.h"
#include "model/machine/machine.h"

static uint64_t name_hash(const char *name) {
    return hash_bytes(name, strlen(name), 0);
}

static uint64_t text_identity(const struct columns *k, uint32_t text, uint64_t seed) {
    return hash_bytes(text_bytes(k, text), text_len(k, text), seed);
}

/* Returns the column with the text that identifies a row of the table; COLUMNS if the table has
 * no such column. */
static uint32_t identity_column(uint32_t table) {
    switch (table) {
    case T_KIND: return C_KIND_NAME;
    case T_STRING: return C_STRING_BLOB;
    case T_LABELS: return C_LABELS_BLOB;
    case T_CLASS: return C_CLASS_BLOB;
    case T_DEVCLASS: return C_DEVCLASS_BLOB;
    case T_POOL: return C_POOL_NAME;
    case T_SUPPLY: return C_SUPPLY_NAME;
    case T_RESERVATION: return C_RESERVATION_NAME;
    case T_TOPOLOGY: return C_TOPOLOGY_NAME;
    case T_NODE: return C_NODE_NAME;
    case T_SHAPE: return C_SHAPE_BLOB;
    case T_JOBSHAPE: return C_JOBSHAPE_BLOB;
    case T_QUEUE: return C_QUEUE_NAME;
    case T_JOB: return C_JOB_NAME;
    case T_DERIVED: return C_DERIVED_NAME;
    default: return COLUMNS;
    }
}

/* Returns a hash that identifies a row by its name. The hash is never 0, so that a reference to a
 * row differs from NO_ROW. A task is identified by its job and its index. */
static uint64_t identity(const struct columns *k, uint32_t table, uint32_t row) {
    if (row == NO_ROW) return 0;
    uint64_t index = 0;
    if (table == T_TASK) {
        index = k->c[C_TASK_INDEX].u32[row] + (uint64_t)1;
        row = k->c[C_TASK_JOB].u32[row];
        table = T_JOB;
    }
    uint32_t column = identity_column(table);
    assert(column < COLUMNS);
    return hash_mix(text_identity(k, k->c[column].u32[row], table + 1), index) | 1;
}

static uint64_t value_at(const struct columns *k, uint32_t column, uint32_t row) {
    switch (column_defs[column].type) {
    case COL_U8: return k->c[column].u8[row];
    case COL_U16: return k->c[column].u16[row];
    case COL_U32: return k->c[column].u32[row];
    case COL_I32: return (uint64_t)(int64_t)k->c[column].i32[row];
    default: return k->c[column].u64[row];
    }
}

/* The columns of a table that count in the hash. They are found once for each table instead of
 * once for each row. */
struct counted {
    uint32_t n;
    struct {
        uint32_t column;
        int32_t meaning;
        /* hash of the column's name and, for a column family, of the name of the kind */
        uint64_t seed;
    } column[COLUMNS];
};

static void count_columns(struct counted *m, const struct columns *k, uint32_t table) {
    m->n = 0;
    for (uint32_t c = table_first[table]; c < table_first[table + 1]; c++) {
        const struct column_def *d = &column_defs[c];
        if (d->meaning == MEANS_NOTHING) continue;
        uint64_t seed = name_hash(column_def_name(d));
        if (d->kind >= 0) {
            uint32_t kind = (uint32_t)d->kind;
            if (kind >= table_rows(k, T_KIND)) continue;
            seed = hash_mix(seed, identity(k, T_KIND, kind));
        }
        m->column[m->n].column = c;
        m->column[m->n].meaning = d->meaning;
        m->column[m->n++].seed = seed;
    }
}

static uint64_t row_terms(const struct counted *m, const struct columns *k, uint32_t row) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t c = m->column[i].column;
        uint64_t v = value_at(k, c, row);
        if (m->column[i].meaning == MEANS_TEXT)
            v = text_identity(k, (uint32_t)v, 0);
        else if (m->column[i].meaning >= 0)
            v = identity(k, (uint32_t)m->column[i].meaning, (uint32_t)v);
        if (v) sum += hash_mix(m->column[i].seed, v);
    }
    return sum;
}

/* Returns 1 if the COST row has a value that differs from that of a job without a COST row. */
static int cost_counts(const struct columns *k, uint32_t row) {
    for (uint32_t c = table_first[T_COST]; c < table_first[T_COST + 1]; c++) {
        int is_time = c == C_COST_STALE_SINCE || c == C_COST_WINDOW_TAKEN;
        uint64_t none = is_time ? (uint64_t)LSCHED_NEVER_US : 0;
        if (column_defs[c].meaning == MEANS_VALUE && value_at(k, c, row) != none) return 1;
    }
    return 0;
}

/* Returns 1 if the row counts in the hash. Rows of some tables do not count, because only the
 * history of the cluster decides whether they exist. */
static int row_counts(const struct columns *k, uint32_t table, uint32_t row) {
    if (table == T_TASK) return k->c[C_TASK_STATE].u8[row] != LSCHED_TASK_NONE;
    if (table == T_COST) return cost_counts(k, row);
    if (table == T_WATCH)
        return k->c[C_WATCH_LIMIT].i64[row] || k->c[C_WATCH_LIMIT_NOW].i64[row] ||
               k->c[C_WATCH_MIN].u32[row] || k->c[C_WATCH_HELD].u8[row] ||
               k->c[C_WATCH_HOST_UNTIL].i64[row] || k->c[C_WATCH_CLOSED].u8[row];
    if (table == T_QAMOUNT)
        return k->c[C_QAMOUNT_USED].i64[row] || k->c[C_QAMOUNT_QUOTA].i64[row] ||
               k->c[C_QAMOUNT_LIMIT].i64[row] != LSCHED_UNLIMITED ||
               k->c[C_QAMOUNT_LIMIT_NOW].i64[row] != LSCHED_UNLIMITED;
    return 1;
}

static uint64_t table_meaning(const struct columns *k, const struct counted *m, uint32_t table) {
    uint64_t sum = 0, seed = name_hash(table_names[table]);
    for (uint32_t row = 0; row < table_rows(k, table); row++)
        if ((table_is_raw[table] || row_is_live(k, table, row)) && row_counts(k, table, row))
            sum += hash_mix(seed, row_terms(m, k, row));
    return sum;
}

/* Tables of which each node has a block of rows. These rows have no names: a row is identified by
 * its node and its position in the block. Free blocks contain links and do not count. */
struct node_block {
    uint32_t table, first; /* column with the first row of the node's block */
};
static const struct node_block node_blocks[] = {
    {T_DEVICE, C_NODE_DEVICE_FIRST}, {T_SHARED, C_NODE_SHARED_FIRST}, {T_NUMA, C_NODE_NUMA_FIRST}};

static const struct node_block *block_of(uint32_t table) {
    for (uint32_t i = 0; i < sizeof node_blocks / sizeof *node_blocks; i++)
        if (node_blocks[i].table == table) return &node_blocks[i];
    return NULL;
}

static uint64_t block_meaning(const struct columns *k, const struct counted *m,
                              const struct node_block *b) {
    uint64_t sum = 0, seed = name_hash(table_names[b->table]);
    EACH_LIVE(k, T_NODE, node) {
        if (k->c[b->first].u32[node] == NO_ROW) continue;
        uint32_t first = k->c[b->first].u32[node], n = k->c[C_NODE_N_DEVICES].u8[node];
        /* A row of DEVICE already counts its node through the column DEVICE.NODE. */
        uint64_t name = b->table == T_DEVICE ? 0 : identity(k, T_NODE, node);
        if (b->table == T_NUMA) n = machine_numa_rows(k, node);
        for (uint32_t i = 0; i < n; i++)
            sum += hash_mix(hash_mix(seed ^ name, i), row_terms(m, k, first + i));
    }
    return sum;
}

uint64_t meaning_hash(const struct columns *k) {
    uint64_t h = 0;
    struct counted m;
    for (uint32_t t = 0; t < TABLES; t++) {
        count_columns(&m, k, t);
        if (m.n == 0) continue;
        const struct node_block *b = block_of(t);
        h += b ? block_meaning(k, &m, b) : table_meaning(k, &m, t);
    }
    return h;
}
