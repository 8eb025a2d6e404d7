/*
 * schema.h -- names and properties of all tables and columns, read from schema.def and
 * counters.def.
 *
 * Everything here is constant. Undo, clone, save, load and both hashes read these properties.
 * Therefore their code names no column. Why not one struct for each table: code that walks over
 * the whole state would have to know each struct.
 */
#ifndef LIBSCHED_SCHEMA_H
#define LIBSCHED_SCHEMA_H

#include <stdint.h>

#include "base/limits.h"

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

/* The constant properties of a column. `meaning` is one of the next three constants, or the table
 * of which the column has rows:
 *   MEANS_VALUE: the column has plain values
 *   MEANS_NOTHING: the column is not part of the meaning hash
 *   MEANS_TEXT: the column has texts */
enum { MEANS_VALUE = -1, MEANS_NOTHING = -2, MEANS_TEXT = -3 };
struct column_def {
    uint16_t name_at; /* for column_def_name() */
    uint8_t table;
    uint8_t type;
    uint8_t stride;
    int16_t kind; /* resource kind if the column belongs to a column family, else -1 */
    int16_t meaning;
};
extern const struct column_def column_defs[COLUMNS];
/* Returns the name of a column, such as "NODE.FREE". All names are in one array, to which a column
 * has the position: a pointer for each of a thousand columns would be the largest table of a small
 * program. */
const char *column_def_name(const struct column_def *d);
extern const char *const table_names[TABLES];
extern const uint8_t table_is_raw[TABLES];
/* The columns of table t begin at table_first[t] and end before table_first[t + 1]. */
extern const uint16_t table_first[TABLES + 1];
/* table_link[t] is the LINK column of table t, COLUMNS if the table is raw. table_generation()
 * returns the GEN column of a table, COLUMNS if its rows have no ids. */
extern const uint16_t table_link[TABLES];
uint32_t table_generation(uint32_t table);

/* Words of META.WORD: four per table, then the lists of free blocks, then the single counters. */
enum { TW_ROWS, TW_LIVE, TW_FREE_HEAD, TW_FREE_TAIL, TABLE_WORDS };
#define META_TABLE(t, w) ((uint32_t)(t)*TABLE_WORDS + (uint32_t)(w))
/* number of size classes of blocks: 32 for the sizes 1 to 32, then one for each power of two up
 * to 2^24 and more */
#define BLOCK_CLASSES 56u
enum {
    BLOCKS_TEXT,
    BLOCKS_DEVICE,
    BLOCKS_GROUP,
    BLOCKS_SHARED,
    BLOCKS_NUMA,
    BLOCKS_ANSWER,
    BLOCKS_CELL,
    BLOCKS_CROWD,
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

#endif
