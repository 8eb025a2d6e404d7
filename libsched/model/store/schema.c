/* schema.c -- see schema.h. */
#include "model/store/schema.h"

#define STRIDE_U8  1
#define STRIDE_U16 2
#define STRIDE_U32 4
#define STRIDE_U64 8
#define STRIDE_I32 4
#define STRIDE_I64 8

#define MEANING_V             MEANS_VALUE
#define MEANING_X             MEANS_NOTHING
#define MEANING_T             MEANS_TEXT
#define MEANING_R_KIND        T_KIND
#define MEANING_R_STRING      T_STRING
#define MEANING_R_LABELS      T_LABELS
#define MEANING_R_CLASS       T_CLASS
#define MEANING_R_TOPOLOGY    T_TOPOLOGY
#define MEANING_R_DOMAIN      T_DOMAIN
#define MEANING_R_NODE        T_NODE
#define MEANING_R_SHAPE       T_SHAPE
#define MEANING_R_JOBSHAPE    T_JOBSHAPE
#define MEANING_R_QUEUE       T_QUEUE
#define MEANING_R_JOB         T_JOB
#define MEANING_R_TASK        T_TASK
#define MEANING_R_DERIVED     T_DERIVED
#define MEANING_R_DEVCLASS    T_DEVCLASS
#define MEANING_R_POOL        T_POOL
#define MEANING_R_SUPPLY      T_SUPPLY
#define MEANING_R_RESERVATION T_RESERVATION

#define TABLE(t)
#define RAW(t)
#define COL(t, n, type, meaning) char t##_##n[sizeof #t "." #n];
#define KCOL(t, n, meaning)      char t##_##n[sizeof #t "." #n];
struct column_names {
#include "model/store/schema.def"
};
#undef COL
#undef KCOL
#define COL(t, n, type, meaning) .t##_##n = #t "." #n,
#define KCOL(t, n, meaning)      .t##_##n = #t "." #n,
static const struct column_names column_names = {
#include "model/store/schema.def"
};
#undef COL
#undef KCOL
_Static_assert(sizeof column_names <= UINT16_MAX, "a position is in 16 bits");

const char *column_def_name(const struct column_def *d) {
    return (const char *)&column_names + d->name_at;
}

#define NAME_AT(t, n) offsetof(struct column_names, t##_##n)
#define COL(t, n, type, meaning) \
    {NAME_AT(t, n), T_##t, COL_##type, STRIDE_##type, -1, MEANING_##meaning},
#define FAMILY(t, n, k, meaning) \
    { NAME_AT(t, n), T_##t, COL_I64, 8, k, MEANING_##meaning }
#define KCOL(t, n, m)                                                                     \
    FAMILY(t, n, 0, m), FAMILY(t, n, 1, m), FAMILY(t, n, 2, m), FAMILY(t, n, 3, m),       \
        FAMILY(t, n, 4, m), FAMILY(t, n, 5, m), FAMILY(t, n, 6, m), FAMILY(t, n, 7, m),   \
        FAMILY(t, n, 8, m), FAMILY(t, n, 9, m), FAMILY(t, n, 10, m), FAMILY(t, n, 11, m), \
        FAMILY(t, n, 12, m), FAMILY(t, n, 13, m), FAMILY(t, n, 14, m), FAMILY(t, n, 15, m),
const struct column_def column_defs[COLUMNS] = {
#include "model/store/schema.def"
};
#undef TABLE
#undef RAW
#undef COL
#undef KCOL

#define COL(t, n, type, meaning)
#define KCOL(t, n, meaning)
#define TABLE(t) #t,
#define RAW(t)   #t,
const char *const table_names[TABLES] = {
#include "model/store/schema.def"
};
#undef TABLE
#undef RAW
#define TABLE(t) CBEGIN_##t,
#define RAW(t)   CBEGIN_##t,
const uint16_t table_first[TABLES + 1] = {
#include "model/store/schema.def"
    COLUMNS};
#undef TABLE
#undef RAW
#define TABLE(t) 0,
#define RAW(t)   1,
const uint8_t table_is_raw[TABLES] = {
#include "model/store/schema.def"
};
#undef TABLE
#undef RAW
#undef COL
#undef KCOL

const uint16_t table_link[TABLES] = {
#define RAW(t)   [T_##t] = COLUMNS,
#define TABLE(t) [T_##t] = C_##t##_LINK,
#define COL(t, n, type, meaning)
#define KCOL(t, n, meaning)
#include "model/store/schema.def"
#undef TABLE
#undef RAW
#undef COL
#undef KCOL
};

uint32_t table_generation(uint32_t table) {
    switch (table) {
    case T_NODE: return C_NODE_GEN;
    case T_QUEUE: return C_QUEUE_GEN;
    case T_JOB: return C_JOB_GEN;
    case T_DECISION: return C_DECISION_GEN;
    case T_TOPOLOGY: return C_TOPOLOGY_GEN;
    default: return COLUMNS;
    }
}
