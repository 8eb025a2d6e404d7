/*
 * columns.h -- the registry of columns: all state of a cluster.
 *
 * A table is a set of columns of one length; a column is an array of fixed stride (1, 2, 4 or 8
 * bytes) without pointers. The words that describe a table (rows in use, free list) are
 * themselves rows of the column META.WORD. Undo, clone, save and hash work on columns alone and
 * therefore cover all state by construction: a new object cannot be forgotten.
 *
 * Writes go through set_*(), which append (column, row, old word) to the undo log. Invariant:
 * undo_rollback(mark) restores every word that was changed since mark. undo_room() reserves space
 * for records ahead, so a write cannot fail; a loop of unbounded length calls it in each turn.
 * Rows can be appended inside an undo scope (a rolled-back row becomes unused again). A bucket
 * array that grows inside a scope moves its buckets. The old array is therefore kept until the
 * scope ends, and the swap is a record of its own: a rollback swaps the arrays back, and the
 * records before the swap fit again.
 *
 * Cost: a write is a load, a compare, a store and a 16-byte append; an unchanged word is not
 * logged. Above 4,096 rows a column grows by a quarter: the slack stays below 25 %, as the memory
 * bounds require, and each word is copied five times in the long run. Why not pages or a tree of
 * versions: scans and memcpy need contiguous columns, and one writer needs no versions.
 */
#ifndef LIBSCHED_COLUMNS_H
#define LIBSCHED_COLUMNS_H

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/limits.h"

#define NO_ROW    UINT32_MAX
#define ROW_LIVE  0xFFFFFFFEu /* LINK of a row that holds an object */
#define KINDS_MAX LSCHED_RESOURCE_KINDS_MAX

enum table_id {
#define TABLE(t) T_##t,
#define RAW(t)   T_##t,
#define COL(t, n, type, meaning)
#define KCOL(t, n, meaning)
#include "model/store/schema.def"
#undef TABLE
#undef RAW
#undef COL
#undef KCOL
    TABLES
};

/* CBEGIN_<table> is the first column of a table; the columns of a table are contiguous. */
enum column_id {
#define TABLE(t)                 CBEGIN_##t, CBEFORE_##t = CBEGIN_##t - 1,
#define RAW(t)                   CBEGIN_##t, CBEFORE_##t = CBEGIN_##t - 1,
#define COL(t, n, type, meaning) C_##t##_##n,
#define KCOL(t, n, meaning)      C_##t##_##n, C_##t##_##n##_LAST = C_##t##_##n + KINDS_MAX - 1,
#include "model/store/schema.def"
#undef TABLE
#undef RAW
#undef COL
#undef KCOL
    COLUMNS
};

enum column_type { COL_U8, COL_U16, COL_U32, COL_U64, COL_I32, COL_I64 };

/* The fixed properties of a column. meaning: -1 a value, -2 not part of the meaning hash, -3 a
 * text, else the table to which the column refers. */
enum { MEANS_VALUE = -1, MEANS_NOTHING = -2, MEANS_TEXT = -3 };
struct column_def {
    const char *name;
    uint8_t table;
    uint8_t type;
    uint8_t stride;
    int16_t kind; /* resource kind of a family's column, else -1 */
    int16_t meaning;
};
extern const struct column_def column_defs[COLUMNS];
extern const char *const table_names[TABLES];
extern const uint8_t table_is_raw[TABLES];
/* The columns of table t begin at table_first[t] and end before table_first[t + 1]. */
extern const uint16_t table_first[TABLES + 1];

/* Words of META.WORD: four per table, then the lists of free blocks, then the single counters. */
enum { TW_ROWS, TW_LIVE, TW_FREE_HEAD, TW_FREE_TAIL, TABLE_WORDS };
#define META_TABLE(t, w) ((uint32_t)(t)*TABLE_WORDS + (uint32_t)(w))
/* one class for each size 1..32, then powers of two up to 2^24 and more */
#define BLOCK_CLASSES 56u
enum {
    BLOCKS_TEXT,
    BLOCKS_DEVICE,
    BLOCKS_GROUP,
    BLOCKS_SHARED,
    BLOCKS_NUMA,
    BLOCKS_ANSWER,
    BLOCKS_CELL,
    BLOCK_HEAPS
};
#define META_BLOCK(h, c) \
    ((uint32_t)TABLES * TABLE_WORDS + (uint32_t)(h)*BLOCK_CLASSES + (uint32_t)(c))
enum meta_word {
    M_FIRST = TABLES * TABLE_WORDS + BLOCK_HEAPS * BLOCK_CLASSES - 1,
#define COUNTER(name, words) M_##name, M_##name##_LAST = M_##name + (words)-1,
#include "model/store/counters.def"
#undef COUNTER
    META_WORDS
};

union column_data {
    uint8_t *u8;
    uint16_t *u16;
    uint32_t *u32;
    uint64_t *u64;
    int32_t *i32;
    int64_t *i64;
};

struct undo_record {
    uint32_t column;
    uint32_t row;
    uint64_t old;
};

/* A bucket array that was replaced inside the open scope. */
struct retired_buckets {
    uint32_t table, capacity;
    void *buckets;
};

/* Log of changed rows, used by caches: the latest `cap` changes in order. A reader that has
 * missed more changes must rebuild its cache. For nodes a change of any column counts; for tasks
 * a change of place, or of whether they are releasing. The log is not state. */
struct touch_log {
    uint32_t *rows;
    uint32_t cap;  /* a power of two, or 0: every reader must rebuild */
    uint64_t next; /* number of changes so far; the latest is at rows[(next - 1) & (cap - 1)] */
    uint64_t read; /* the furthest position of any reader: only later entries can be merged */
};

struct machine_cache;
struct undo_shadow;

struct columns {
    union column_data c[COLUMNS];
    uint32_t capacity[TABLES]; /* rows that fit in every column of the table */
    /* rows that the column's block holds, at least the table's capacity */
    uint32_t allocated[COLUMNS];
    struct alloc *alloc;
    struct undo_record *undo;
    size_t undo_n, undo_cap;
    uint32_t kinds;      /* resource kinds that have family columns; at least M_N_KINDS */
    uint32_t undo_depth; /* > 0: inside a scope */
    uint32_t retired_n, retired_cap;
    struct retired_buckets *retired;
    /* first row that was appended after the latest mark; such rows are not logged, see
     * undo_mark() */
    uint32_t fresh[TABLES];
    uint64_t layout;                    /* changes when a column moves */
    struct touch_log touch, task_touch; /* rows of NODE that changed; rows of TASK that changed */
    /* Raised with M_STRUCTURE and M_NODE_SET, and once more when a rollback restores these.
     * Caches use the numbers as keys, because a number never returns for another state. Not part
     * of the state. */
    uint64_t structure, node_set;
    /* decoded machines of nodes (machine.h). Not part of the state */
    struct machine_cache *machines;
    /* not NULL: undo_check.h checks the writes. Not part of the state */
    struct undo_shadow *shadow;
    uint64_t *steps; /* count of entries visited (steps.h). Not part of the state */
};

int32_t columns_init(struct columns *k, struct alloc *alloc);
void columns_close(struct columns *k);
/* Makes room for n more rows of a raw table or of any other table. The column families exist for
 * kinds below M_N_KINDS. */
int32_t table_reserve(struct columns *k, uint32_t table, uint64_t rows);
/* Makes the family columns of a kind, zeroed, on every table that has families. The new columns
 * stay after an undo, because an unused family is no state. */
int32_t columns_add_kind(struct columns *k, uint32_t kind);
/* Copies all of src; dst keeps its memory where that is large enough. On error dst is
 * unchanged. */
int32_t columns_copy(struct columns *dst, const struct columns *src);
int column_present(const struct columns *k, uint32_t column);

/* ---- undo ---- */
/* Makes sure that LIMIT_UNDO_SPARE records can be written. Returns LSCHED_E_NOMEM otherwise. */
int32_t undo_grow(struct columns *k);
static inline int32_t undo_room(struct columns *k) {
    if (k->undo_depth == 0 || k->undo_cap - k->undo_n >= LIMIT_UNDO_SPARE) return LSCHED_OK;
    return undo_grow(k);
}
/* scopes nest; only the end of the outermost scope drops the log */
int32_t undo_begin(struct columns *k);
/* Returns a position to which undo_rollback() can go. Rows of tasks, leaves and decisions that
 * are appended after the latest mark need no records: a rollback to any mark removes these rows
 * (and zeroes them), so their words need no old value. Without these records, the log of a cycle
 * that places much is half as long. */
static inline size_t undo_mark(struct columns *k) {
    k->fresh[T_TASK] = (uint32_t)k->c[C_META_WORD].u64[META_TABLE(T_TASK, TW_ROWS)];
    k->fresh[T_LEAF] = (uint32_t)k->c[C_META_WORD].u64[META_TABLE(T_LEAF, TW_ROWS)];
    k->fresh[T_DECISION] = (uint32_t)k->c[C_META_WORD].u64[META_TABLE(T_DECISION, TW_ROWS)];
    return k->undo_n;
}
void undo_rollback(struct columns *k, size_t mark);
void undo_end(struct columns *k); /* keeps the changes */
/* Replaces the buckets of a bucket table by `fresh`. On error nothing has changed, and the caller
 * still owns `fresh`. */
int32_t undo_swap_buckets(struct columns *k, uint32_t table, void *fresh, uint32_t capacity);
#define UNDO_SWAP \
    ((uint32_t)COLUMNS) /* column of a swap record; row: table; old: position in `retired` */

static inline void undo_log(struct columns *k, uint32_t column, uint32_t row, uint64_t old) {
    if (k->undo_depth == 0 || row >= k->fresh[column_defs[column].table]) return;
    assert(k->undo_n < k->undo_cap);
    k->undo[k->undo_n++] = (struct undo_record){column, row, old};
}

#define DEFINE_SET(name, type, member)                                                        \
    static inline void set_##name(struct columns *k, uint32_t column, uint32_t row, type v) { \
        type *p = &k->c[column].member[row];                                                  \
        if (*p == v) return;                                                                  \
        undo_log(k, column, row, (uint64_t)*p);                                               \
        *p = v;                                                                               \
    }
DEFINE_SET(u8, uint8_t, u8)
DEFINE_SET(u16, uint16_t, u16)
DEFINE_SET(u32, uint32_t, u32)
DEFINE_SET(u64, uint64_t, u64)
DEFINE_SET(i32, int32_t, i32)
DEFINE_SET(i64, int64_t, i64)
#undef DEFINE_SET

static inline void add_i64(struct columns *k, uint32_t column, uint32_t row, int64_t d) {
    set_i64(k, column, row, k->c[column].i64[row] + d);
}
static inline void add_u32(struct columns *k, uint32_t column, uint32_t row, int32_t d) {
    set_u32(k, column, row, (uint32_t)(k->c[column].u32[row] + (uint32_t)d));
}
static inline uint64_t meta(const struct columns *k, uint32_t word) {
    return k->c[C_META_WORD].u64[word];
}
static inline void set_meta(struct columns *k, uint32_t word, uint64_t v) {
    set_u64(k, C_META_WORD, word, v);
}
static inline uint32_t table_rows(const struct columns *k, uint32_t t) {
    return (uint32_t)meta(k, META_TABLE(t, TW_ROWS));
}
static inline uint32_t table_live(const struct columns *k, uint32_t t) {
    return (uint32_t)meta(k, META_TABLE(t, TW_LIVE));
}

/* Records a change of nodes, queues or the mix, other than what tasks hold. */
static inline void structure_raise(struct columns *k) {
    set_meta(k, M_STRUCTURE, meta(k, M_STRUCTURE) + 1);
    k->structure++;
}
/* Records that the set of nodes or domains has changed. */
static inline void node_set_raise(struct columns *k) {
    set_meta(k, M_NODE_SET, meta(k, M_NODE_SET) + 1);
    k->node_set++;
}

/* Returns the position of a reader that has seen all changes. Later entries are not merged with
 * earlier ones. */
static inline uint64_t touch_log_seen(struct touch_log *t) {
    t->read = t->next;
    return t->next;
}
/* Makes every reader rebuild its cache. */
static inline void touch_log_skip(struct touch_log *t) {
    t->next += (uint64_t)t->cap + 1;
    (void)touch_log_seen(t);
}
static inline void touch_log_add(struct touch_log *t, uint32_t row) {
    if (t->cap == 0) {
        t->next++;
        return;
    }
    if (t->next > t->read && t->rows[(t->next - 1) & (t->cap - 1)] == row) return;
    t->rows[t->next++ & (t->cap - 1)] = row;
}
static inline uint64_t touch_seen(struct columns *k) {
    return touch_log_seen(&k->touch);
}
static inline void touch_node(struct columns *k, uint32_t node) {
    touch_log_add(&k->touch, node);
}
static inline void touch_task(struct columns *k, uint32_t task) {
    touch_log_add(&k->task_touch, task);
}
/* Makes room in the log for the changes of about `rows` rows. Can return LSCHED_E_NOMEM. */
int32_t touch_log_reserve(struct columns *k, struct touch_log *t, uint32_t rows);

/* ---- rows of tables with a LINK column ---- */
/* Returns a new row with its columns zero, except that GEN is kept and at least 1; NO_ROW if out
 * of memory or rows. */
uint32_t row_new(struct columns *k, uint32_t table);
/* Frees the row. If its generations are used up, the row retires. */
void row_free(struct columns *k, uint32_t table, uint32_t row);
int row_is_live(const struct columns *k, uint32_t table, uint32_t row);
/* Appends n consecutive rows to a raw table and returns the first; NO_ROW if out of memory or
 * rows. */
uint32_t rows_append(struct columns *k, uint32_t table, uint32_t n);

#endif
