/*
 * columns.h -- the registry of columns: all state of a cluster. schema.h names the columns.
 *
 * A table is a set of columns with the same number of rows. A column is an array of values of 1,
 * 2, 4 or 8 bytes, and has no pointers. The words that describe a table (rows in use, free list)
 * are themselves rows of the column META.WORD. Undo, clone, save and hash work on all columns.
 * Therefore they cover the whole state, and a new kind of object cannot be forgotten.
 *
 * Writes go through set_*(), which append a record (column, row, old word) to the undo log.
 * Invariant: undo_rollback(mark) restores every word that was changed since the mark. undo_room()
 * reserves space for LIMIT_UNDO_SPARE records in advance, so that a write cannot fail; a loop of
 * unbounded length must call it in each turn. Rows can be appended inside an undo scope (a
 * rolled-back row becomes unused again). undo_room_for() reserves space for a greater number of
 * records.
 *
 * Cost: a write is one read, one comparison, one store and one record of 16 bytes; a word that
 * does not change is not logged. A column of more than 4,096 rows grows by a quarter. Therefore
 * less than 25 % of its memory is unused, as the memory bounds require, and each word is copied
 * five times on average. An allocator that moves pages instead of bytes, as glibc does for large
 * blocks, copies nothing. The new memory is filled with zeros in steps of some thousand rows, when
 * rows reach it. Therefore no single append writes to a quarter of a large table. Why not pages or
 * a tree of versions: scans and memcpy need contiguous columns, and a single writer needs no
 * versions.
 */
#ifndef LIBSCHED_COLUMNS_H
#define LIBSCHED_COLUMNS_H

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "model/store/schema.h"
#include "model/store/touch_log.h"
#include "model/store/undo.h"

#define NO_ROW   UINT32_MAX
#define ROW_LIVE 0xFFFFFFFEu /* value of LINK in a live row */

union column_data {
    uint8_t *u8;
    uint16_t *u16;
    uint32_t *u32;
    uint64_t *u64;
    int32_t *i32;
    int64_t *i64;
};

struct changes;
struct tally;
struct machine_cache;
struct undo_shadow;

struct columns {
    union column_data c[COLUMNS];
    /* number of rows that every column of the table has ready: rows in use, then rows of zeros */
    uint32_t capacity[TABLES];
    /* number of rows for which the column has memory, at least the table's capacity; the rows from
     * the capacity on have any values */
    uint32_t allocated[COLUMNS];
    struct alloc *alloc;
    /* the 60 bits by which ids of the API differ from those in columns, 0: none (id_outside). Not
     * part of the state */
    uint64_t id_salt;
    struct undo_record *undo;
    size_t undo_n, undo_cap;
    /* undo_settle(): records before this position are settled; the words of the latest of them, by
     * hash; number of rows of LEAF, TASK and DECISION when the scope began */
    size_t undo_settled;
    uint64_t *undo_known;
    uint8_t *undo_jobs; /* by row of JOB: which of its words have a settled record (undo.c) */
    uint32_t undo_jobs_n;
    uint32_t undo_base[3];
    uint32_t kinds;      /* number of resource kinds that have family columns; at least M_N_KINDS */
    uint32_t undo_depth; /* number of open undo scopes; 0: writes are not logged */
    /* the first row that was appended after the latest mark; writes to this row and later ones
     * are not logged, see undo_mark() */
    uint32_t fresh[TABLES];
    uint64_t layout; /* this number changes when a column moves in memory */
    /* touch: nodes of which any column changed; task_touch: tasks whose place changed, or that
     * began or ceased to be nominated, running or releasing; queue_touch: queues of which any
     * column changed; bundle_touch: bundles that joined or left a list of parked bundles */
    struct touch_log touch, task_touch, queue_touch, bundle_touch;
    /* jobs that joined or left a bundle, or whose order key, expected run time or record of
     * failures changed */
    struct touch_log job_touch;
    /* Counters that increase whenever M_STRUCTURE (structure), M_NODE_SET (node_set) or the set of
     * topologies and domains (domain_set) changes, also when a rollback restores them. Therefore
     * the same number never means two different states, and caches use the numbers as keys. Caches
     * of single nodes read the touch log instead. Not part of the state. */
    uint64_t structure, node_set, domain_set;
    /* Counter that increases whenever a quota, a weight, a limit or a priority in force of a queue
     * changes, also when a rollback restores it. A key of caches. Not part of the state. */
    uint64_t queue_terms;
    /* decoded machines of nodes (machine.h). Not part of the state */
    struct machine_cache *machines;
    /* not NULL if undo_check.h checks the writes to this registry. Not part of the state */
    struct undo_shadow *shadow;
    /* the ring of the change feed (told/change_feed.h); bytes that records of kept calls have
     * filled so far, and bytes that the present call has filled; why the next decision ends
     * (LSCHED_BECAUSE_*). Not part of the state */
    struct changes *changes;
    uint64_t changes_kept, changes_pending;
    uint32_t changes_why;
    /* counters (told/tally.h): the words that calls raise, and the rest; NULL: nothing is counted.
     * Not part of the state */
    uint64_t *tally_words;
    struct tally *tally;
    /* the functions of allowances (model/allowances/allowance.h), NULL while none exists. Not part
     * of the state */
    const struct allowance_ops *allowances;
    /* the functions of warnings (model/told/warning_ops.h), NULL until a cycle asks for them. Not
     * part of the state */
    const struct warning_ops *warnings;
    uint64_t *steps; /* STEPS_WORDS numbers of visited entries (steps.h). Not part of the state */
};

/* The numbers of columns.steps: all steps, and those of searches for devices that match
 * (model/devices/match_graph.h), which are also in the first number. */
enum { STEPS_ALL, STEPS_MATCH, STEPS_WORDS };

int32_t columns_init(struct columns *k, struct alloc *alloc);
void columns_close(struct columns *k);
/* Makes sure that the table's capacity is at least `rows`. Column families have columns for kinds
 * below M_N_KINDS. */
int32_t table_reserve(struct columns *k, uint32_t table, uint64_t rows);
/* Sets the capacity of a table that has none. The rows have any values: before anything reads
 * them, the caller must write all rows of all columns. */
int32_t table_reserve_unset(struct columns *k, uint32_t table, uint64_t rows);
/* Returns the number of rows for which the table has memory. It grows in large steps, therefore
 * caches with one entry for each row use it as their size. */
static inline uint32_t table_memory_rows(const struct columns *k, uint32_t table) {
    return k->allocated[table_first[table]];
}
/* Makes the columns of a kind, filled with zeros, in every column family. A rollback does not
 * remove these columns, because a column of an unused kind is not part of the state. */
int32_t columns_add_kind(struct columns *k, uint32_t kind);
int column_present(const struct columns *k, uint32_t column);

/* ---- undo ----
 * Functions from here on that are inline but not static have one copy, in columns_shared.c or
 * undo.c, for calls that the compiler does not inline. In a build for size, those are most calls.
 */
inline int32_t undo_room(struct columns *k) {
    if (k->undo_depth == 0 || k->undo_cap - k->undo_n >= LIMIT_UNDO_SPARE) return LSCHED_OK;
    return undo_grow(k, 0);
}
/* Makes room for so many records, and for LIMIT_UNDO_SPARE more that other writes may need. */
static inline int32_t undo_room_for(struct columns *k, size_t records) {
    if (k->undo_depth == 0 || k->undo_cap - k->undo_n >= records + LIMIT_UNDO_SPARE)
        return LSCHED_OK;
    return undo_grow(k, records);
}
/* Returns a position to which undo_rollback() can go. Writes to rows of TASK, LEAF and DECISION
 * that were appended after the latest mark need no records, because a rollback to any mark
 * removes these rows and fills them with zeros. This halves the log of a cycle that places many
 * tasks. */
static inline size_t undo_mark(struct columns *k) {
    k->fresh[T_TASK] = (uint32_t)k->c[C_META_WORD].u64[META_TABLE(T_TASK, TW_ROWS)];
    k->fresh[T_LEAF] = (uint32_t)k->c[C_META_WORD].u64[META_TABLE(T_LEAF, TW_ROWS)];
    k->fresh[T_DECISION] = (uint32_t)k->c[C_META_WORD].u64[META_TABLE(T_DECISION, TW_ROWS)];
    return k->undo_n;
}

_Static_assert(T_TASK == T_LEAF + 1 && T_DECISION == T_TASK + 1 && T_BUNDLE == T_DECISION + 1,
               "the tables whose new rows need no records are side by side");
/* True if the row was appended after the latest mark to a table whose new rows need no records.
 * The column is a constant in almost all calls, so the test costs nothing for other tables. */
inline int undo_is_fresh(const struct columns *k, uint32_t column, uint32_t row) {
    return column >= CBEGIN_LEAF && column < CBEGIN_BUNDLE &&
           row >= k->fresh[column < CBEGIN_TASK       ? T_LEAF
                           : column < CBEGIN_DECISION ? T_TASK
                                                      : T_DECISION];
}

inline void undo_log(struct columns *k, uint32_t column, uint32_t row, uint64_t old) {
    if (k->undo_depth == 0 || undo_is_fresh(k, column, row)) return;
    assert(k->undo_n < k->undo_cap);
    k->undo[k->undo_n++] = (struct undo_record){column, row, old};
}

/* Logs the number of bytes that the present call has added to the change feed, so that a rollback
 * also removes what was added after it. The record has no column. */
#define UNDO_CHANGES COLUMNS
static inline void undo_log_changes(struct columns *k) {
    assert(k->undo_n < k->undo_cap);
    k->undo[k->undo_n++] = (struct undo_record){UNDO_CHANGES, 0, k->changes_pending};
}

/* Logs the old value of a counter of tally.h: `at` is the position of the counter. */
#define UNDO_TALLY (COLUMNS + 1)
static inline void undo_log_tally(struct columns *k, uint32_t at, uint64_t old) {
    assert(k->undo_n < k->undo_cap);
    k->undo[k->undo_n++] = (struct undo_record){UNDO_TALLY, at, old};
}

/* True if the column belongs to the table QUEUE, whose columns stand before those of DERIVED. */
inline int column_is_of_queue(uint32_t column) {
    return column - C_QUEUE_LINK < (uint32_t)(C_DERIVED_LINK - C_QUEUE_LINK);
}
/* Records in the log of queues that a column of the queue has changed. If the column is a quota, a
 * weight, a limit or a priority in force, the function also raises columns.queue_terms. */
inline void touch_queue(struct columns *k, uint32_t column, uint32_t queue) {
    touch_log_add(&k->queue_touch, queue);
    k->queue_terms +=
        column - C_QUEUE_QUOTA_NOW < 2u * KINDS_MAX || column - C_QUEUE_LIMIT_NOW < KINDS_MAX + 1u;
}

/* Columns of a job whose changes are in the log of jobs. The log also has the changes of the job's
 * limit (job_limits_set), failures (retry.h) and refusals (refusal.h). */
inline int column_is_of_job_line(uint32_t column) {
    return column == C_JOB_BUNDLE || column == C_JOB_ORDER || column == C_JOB_DURATION ||
           column == C_JOB_WATCH || column == C_JOB_COST;
}

#define DEFINE_SET(name, type, member)                                                 \
    inline void set_##name(struct columns *k, uint32_t column, uint32_t row, type v) { \
        type *p = &k->c[column].member[row];                                           \
        if (*p == v) return;                                                           \
        undo_log(k, column, row, (uint64_t)*p);                                        \
        *p = v;                                                                        \
        if (column_is_of_queue(column)) touch_queue(k, column, row);                   \
        if (column_is_of_job_line(column)) touch_log_add(&k->job_touch, row);          \
    }
DEFINE_SET(u8, uint8_t, u8)
DEFINE_SET(u16, uint16_t, u16)
DEFINE_SET(u32, uint32_t, u32)
DEFINE_SET(u64, uint64_t, u64)
DEFINE_SET(i32, int32_t, i32)
DEFINE_SET(i64, int64_t, i64)
#undef DEFINE_SET

/* True if writes to the row of TASK, LEAF or DECISION need no records. */
static inline int row_is_fresh(const struct columns *k, uint32_t table, uint32_t row) {
    return row >= k->fresh[table];
}
/* fill_*(): write a word of a new row of these tables. fresh: row_is_fresh() of the row; the caller
 * asks once, and each of the row's many words is then written without any test of the log. */
#define DEFINE_FILL(name, type, member)                                                         \
    static inline void fill_##name(struct columns *k, int fresh, uint32_t column, uint32_t row, \
                                   type v) {                                                    \
        if (!fresh) {                                                                           \
            set_##name(k, column, row, v);                                                      \
            return;                                                                             \
        }                                                                                       \
        assert(undo_is_fresh(k, column, row));                                                  \
        k->c[column].member[row] = v;                                                           \
    }
DEFINE_FILL(u8, uint8_t, u8)
DEFINE_FILL(u16, uint16_t, u16)
DEFINE_FILL(u32, uint32_t, u32)
DEFINE_FILL(u64, uint64_t, u64)
DEFINE_FILL(i64, int64_t, i64)
#undef DEFINE_FILL

static inline void add_i64(struct columns *k, uint32_t column, uint32_t row, int64_t d) {
    set_i64(k, column, row, k->c[column].i64[row] + d);
}
/* Adds to an amount of a queue that is neither a quota, a weight nor a limit. The caller calls
 * touch_queue() after the last of several such changes of one queue. */
static inline void queue_amount_add(struct columns *k, uint32_t column, uint32_t queue, int64_t d) {
    int64_t *p = &k->c[column].i64[queue];
    if (d == 0) return;
    undo_log(k, column, queue, (uint64_t)*p);
    *p += d;
}
static inline void add_u32(struct columns *k, uint32_t column, uint32_t row, int32_t d) {
    set_u32(k, column, row, (uint32_t)(k->c[column].u32[row] + (uint32_t)d));
}
inline uint64_t meta(const struct columns *k, uint32_t word) {
    return k->c[C_META_WORD].u64[word];
}
inline void set_meta(struct columns *k, uint32_t word, uint64_t v) {
    set_u64(k, C_META_WORD, word, v);
}
inline uint32_t table_rows(const struct columns *k, uint32_t t) {
    return (uint32_t)meta(k, META_TABLE(t, TW_ROWS));
}
static inline uint32_t table_live(const struct columns *k, uint32_t t) {
    return (uint32_t)meta(k, META_TABLE(t, TW_LIVE));
}

/* Records a change of nodes, queues or the mix of task shapes, except changes of the amounts that
 * tasks hold. If a node changed, the caller also touches the node. */
static inline void structure_raise(struct columns *k) {
    set_meta(k, M_STRUCTURE, meta(k, M_STRUCTURE) + 1);
    k->structure++;
}
/* Records that the set of nodes or domains has changed. */
static inline void node_set_raise(struct columns *k) {
    set_meta(k, M_NODE_SET, meta(k, M_NODE_SET) + 1);
    k->node_set++;
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
static inline void touch_bundle(struct columns *k, uint32_t bundle) {
    touch_log_add(&k->bundle_touch, bundle);
}
static inline void touch_job(struct columns *k, uint32_t job) {
    touch_log_add(&k->job_touch, job);
}
/* ---- rows of tables with a LINK column ---- */
/* Returns a new row, a freed one or an appended one; NO_ROW if out of memory or row numbers. All
 * its columns are zero except LINK and GEN; GEN is the row's next generation, at least 1. */
uint32_t row_new(struct columns *k, uint32_t table);
/* Does what row_new() does. Inline, for tables of which each placed task gets a row; link, gen: the
 * LINK and GEN column of the table, COLUMNS for no GEN; first: the first generation. */
static inline uint32_t row_new_inline(struct columns *k, uint32_t table, uint32_t link,
                                      uint32_t gen, uint32_t first) {
    uint32_t row = table_rows(k, table);
    assert(table >= T_LEAF && table < T_BUNDLE);
    if (meta(k, META_TABLE(table, TW_FREE_HEAD)) != NO_ROW) return row_new(k, table);
    /* a table that grows now gets the same records as one that has grown before */
    if (row >= k->capacity[table] && table_reserve(k, table, (uint64_t)row + 1) != LSCHED_OK)
        return NO_ROW;
    uint64_t live = meta(k, META_TABLE(table, TW_LIVE)) + 1;
    if (row > k->fresh[table]) {
        /* a row was appended since the latest mark, so both words have records */
        k->c[C_META_WORD].u64[META_TABLE(table, TW_ROWS)] = (uint64_t)row + 1;
        k->c[C_META_WORD].u64[META_TABLE(table, TW_LIVE)] = live;
    } else {
        set_meta(k, META_TABLE(table, TW_ROWS), (uint64_t)row + 1);
        set_meta(k, META_TABLE(table, TW_LIVE), live);
    }
    if (gen != COLUMNS && k->c[gen].u32[row] < first) set_u32(k, gen, row, first);
    set_u32(k, link, row, ROW_LIVE);
    return row;
}
/* Frees the row. If the row has no generation left, it retires: it is not used again
 * (generation.h). */
void row_free(struct columns *k, uint32_t table, uint32_t row);
/* Appends the row, which must not be live, to the list of free rows. */
void row_offer(struct columns *k, uint32_t table, uint32_t row);
/* LINK is the first column of every table that has it. */
inline int row_is_live(const struct columns *k, uint32_t table, uint32_t row) {
    return row < table_rows(k, table) && k->c[table_first[table]].u32[row] == ROW_LIVE;
}
/* Returns the first live row from `row` on; if there is none, a number that is not less than
 * table_rows(). */
inline uint32_t row_live_from(const struct columns *k, uint32_t table, uint32_t row) {
    while (row < table_rows(k, table) && !row_is_live(k, table, row)) row++;
    return row;
}
/* A loop over the live rows of a table. The body can make and free rows. */
#define EACH_LIVE(k, table, row)                                                \
    for (uint32_t row = row_live_from(k, table, 0); row < table_rows(k, table); \
         row = row_live_from(k, table, row + 1))
/* Sets the given columns of a row to NO_ROW. The columns must have the type U32. */
#define SET_NONE(k, row, ...)                                     \
    columns_set_none((k), (row), (const uint16_t[]){__VA_ARGS__}, \
                     sizeof((const uint16_t[]){__VA_ARGS__}) / sizeof(uint16_t))
void columns_set_none(struct columns *k, uint32_t row, const uint16_t *columns, size_t n);
/* Appends n consecutive rows to a raw table and returns the first one; NO_ROW if out of memory or
 * row numbers. */
uint32_t rows_append(struct columns *k, uint32_t table, uint32_t n);

/* Columns and the engine have ids without the salt of the cluster, so that the salt is not part of
 * the state, of images and of hashes. Calls of the API take and return ids with it: id_outside
 * turns an id of columns into an id of the API, and an id of the API into one of columns. 0 stays
 * 0. */
static inline lsched_id id_outside(const struct columns *k, lsched_id id) {
    return id ? id ^ k->id_salt : 0;
}

#endif
