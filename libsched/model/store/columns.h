/*
 * columns.h -- the registry of columns: all state of a cluster.
 *
 * A table is a set of columns of one length; a column is a fixed-stride array without pointers
 * (stride 1, 2, 4 or 8). The words that describe a table (rows in use, free list) are themselves
 * rows of the column META.WORD. So undo, clone, save and hash, which work on columns alone, cover
 * everything by construction, and a new object cannot be forgotten.
 *
 * Writes go through set_*(), which append (column, row, old word) to the undo log. Invariant:
 * undo_rollback(mark) brings back every word that was changed since mark. Space for records is
 * taken ahead with undo_room(), so a write cannot fail; a loop of unbounded length calls it per
 * turn. Rows may be appended inside an undo scope (a rolled-back row is merely unused again). A
 * bucket array that grows inside a scope moves its buckets, so the old array is kept until the
 * scope ends and the swap is a record of its own: a rollback swaps back, and the records before it
 * fit again.
 *
 * Cost: a write is a load, a compare, a store and a 16-byte append; an unchanged word is not
 * logged. Growth is by a quarter above 4,096 rows: slack stays below 25 %, which is what the memory
 * bounds need, at five copies per word in the long run.
 * Why not pages or a tree of versions: scans and memcpy want contiguous columns, and one writer
 * needs no versions.
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

/* CBEGIN_<table> is the first column of a table; its columns are contiguous. */
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

/* What is fixed about a column. meaning: -1 value, -2 not part of it, -3 text, else the table it
 * refers to. */
enum { MEANS_VALUE = -1, MEANS_NOTHING = -2, MEANS_TEXT = -3 };
struct column_def {
    const char *name;
    uint8_t table;
    uint8_t type;
    uint8_t stride;
    int16_t kind; /* resource kind of a family's member, else -1 */
    int16_t meaning;
};
extern const struct column_def column_defs[COLUMNS];
extern const char *const table_names[TABLES];
extern const uint8_t table_is_raw[TABLES];
/* Columns of table t: table_first[t] up to, not including, table_first[t + 1]. */
extern const uint16_t table_first[TABLES + 1];

/* Words of META.WORD: four per table, then the free blocks, then single counters. */
enum { TW_ROWS, TW_LIVE, TW_FREE_HEAD, TW_FREE_TAIL, TABLE_WORDS };
#define META_TABLE(t, w) ((uint32_t)(t)*TABLE_WORDS + (uint32_t)(w))
#define BLOCK_CLASSES    56u /* 1..32 exactly, then powers of two up to 2^24 and to spare */
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

/* Rows that changed, for caches: in order of change, the latest `cap` of them. A reader that is
 * further behind than that starts anew. Of nodes all their columns count; of tasks where they
 * stand, and whether they leave. Not state. */
struct touch_log {
    uint32_t *rows;
    uint32_t cap;  /* a power of two, or 0: every reader is always behind */
    uint64_t next; /* number of touches so far; rows[i & (cap - 1)] */
    uint64_t read; /* the furthest that any reader has come: only later entries may be merged */
};

struct machine_cache;
struct undo_shadow;

struct columns {
    union column_data c[COLUMNS];
    uint32_t capacity[TABLES];   /* rows that fit in every column of the table */
    uint32_t allocated[COLUMNS]; /* rows that the column's block holds: never fewer than that */
    struct alloc *alloc;
    struct undo_record *undo;
    size_t undo_n, undo_cap;
    uint32_t kinds;      /* families that have columns; never fewer than M_N_KINDS */
    uint32_t undo_depth; /* > 0: inside a scope */
    uint32_t retired_n, retired_cap;
    struct retired_buckets *retired;
    uint32_t fresh
        [TABLES];    /* rows appended after the latest mark begin here: not logged, see undo_mark */
    uint64_t layout; /* changes when a column moves */
    struct touch_log touch, task_touch; /* of nodes; of tasks */
    /* Raised with M_STRUCTURE and M_NODE_SET, and again when a rollback takes these back: a number
     * of a cache that never comes again for another state. Not state. */
    uint64_t structure, node_set;
    struct machine_cache *machines; /* what is inside nodes, decoded (machine.h). Not state */
    struct undo_shadow *shadow;     /* not NULL: undo_check.h watches. Not state */
    uint64_t *steps;                /* how much was looked at (steps.h). Not state */
};

int32_t columns_init(struct columns *k, struct alloc *alloc);
void columns_close(struct columns *k);
/* Room for n more rows of a raw table / any table. The column families exist for kinds below
 * M_N_KINDS. */
int32_t table_reserve(struct columns *k, uint32_t table, uint64_t rows);
/* The family columns of a kind come into being, zeroed, on every table that has them. Not undone:
 * an unused family is no state. */
int32_t columns_add_kind(struct columns *k, uint32_t kind);
/* Copy all of src; dst keeps its memory where it suffices. On error dst is unchanged. */
int32_t columns_copy(struct columns *dst, const struct columns *src);
int column_present(const struct columns *k, uint32_t column);

/* ---- undo ---- */
/* Make sure that LIMIT_UNDO_SPARE records can be written. LSCHED_E_NOMEM otherwise. */
int32_t undo_grow(struct columns *k);
static inline int32_t undo_room(struct columns *k) {
    if (k->undo_depth == 0 || k->undo_cap - k->undo_n >= LIMIT_UNDO_SPARE) return LSCHED_OK;
    return undo_grow(k);
}
int32_t undo_begin(struct columns *k); /* scopes nest; only the outermost end drops the log */
/* A position to roll back to. Rows of tasks, leaves and decisions that are appended after the
 * latest mark need no records: a rollback to any mark takes the rows away (and zeroes them), so
 * their words need no old value. That halves the log of a cycle that places much. */
static inline size_t undo_mark(struct columns *k) {
    k->fresh[T_TASK] = (uint32_t)k->c[C_META_WORD].u64[META_TABLE(T_TASK, TW_ROWS)];
    k->fresh[T_LEAF] = (uint32_t)k->c[C_META_WORD].u64[META_TABLE(T_LEAF, TW_ROWS)];
    k->fresh[T_DECISION] = (uint32_t)k->c[C_META_WORD].u64[META_TABLE(T_DECISION, TW_ROWS)];
    return k->undo_n;
}
void undo_rollback(struct columns *k, size_t mark);
void undo_end(struct columns *k); /* keep what was done */
/* Put fresh buckets in place of those of a bucket table. On error nothing changed and fresh is
 * still the caller's. */
int32_t undo_swap_buckets(struct columns *k, uint32_t table, void *fresh, uint32_t capacity);
#define UNDO_SWAP \
    ((uint32_t)COLUMNS) /* column of the record of a swap; row: table; old: place in retired */

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

/* What nodes, queues and the mix are has changed, but for what tasks hold. */
static inline void structure_raise(struct columns *k) {
    set_meta(k, M_STRUCTURE, meta(k, M_STRUCTURE) + 1);
    k->structure++;
}
/* There are other nodes, or other domains. */
static inline void node_set_raise(struct columns *k) {
    set_meta(k, M_NODE_SET, meta(k, M_NODE_SET) + 1);
    k->node_set++;
}

/* How far a reader is that has seen all touches: from here on none may be merged with an earlier
 * one. */
static inline uint64_t touch_log_seen(struct touch_log *t) {
    t->read = t->next;
    return t->next;
}
/* No reader goes on from before. */
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
/* Room in the log for the changes of about so many rows; LSCHED_E_NOMEM. */
int32_t touch_log_reserve(struct columns *k, struct touch_log *t, uint32_t rows);

/* ---- rows of tables with a LINK column ---- */
/* A row, its columns zero (GEN is kept and at least 1); NO_ROW if memory or rows are out. */
uint32_t row_new(struct columns *k, uint32_t table);
/* Give it back; a used-up generation retires the row. */
void row_free(struct columns *k, uint32_t table, uint32_t row);
int row_is_live(const struct columns *k, uint32_t table, uint32_t row);
/* n rows at the end of a raw table, in one piece; NO_ROW if out. */
uint32_t rows_append(struct columns *k, uint32_t table, uint32_t n);

#endif
