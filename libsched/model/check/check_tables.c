/*
 * check_tables.c -- checks the rows of each table: their number, which rows are live, which rows
 * are free, and that rows that are not in use are zero.
 *
 * Unused rows must be zero, because a new row is not cleared, and a copy of the columns skips the
 * rows after the used ones. This is the first check, so that later checks can read any row below
 * table_rows().
 */
#include "model/check/check_tables.h"

#include "model/store/generation.h"
#include "model/store/index.h"
#include "model/told/decision.h"

static int check_tables_is_zero(const uint8_t *p, size_t n) {
    return n == 0 || (p[0] == 0 && memcmp(p, p + 1, n - 1) == 0);
}

static int check_tables_is_index(uint32_t table) {
    return strncmp(table_names[table], "IX_", 3) == 0;
}

static int32_t check_tables_rows(struct check *c, uint32_t t) {
    const struct columns *k = c->k;
    uint64_t rows = meta(k, META_TABLE(t, TW_ROWS)), live = meta(k, META_TABLE(t, TW_LIVE));
    if (rows > k->capacity[t])
        return check_fail(c, "table %s has %llu rows, but memory for only %u", table_names[t],
                          (unsigned long long)rows, k->capacity[t]);
    if (live > rows)
        return check_fail(c, "table %s counts %llu live rows, but has only %llu rows",
                          table_names[t], (unsigned long long)live, (unsigned long long)rows);
    for (uint32_t i = table_first[t]; i < table_first[t + 1]; i++) {
        if (!column_present(k, i) || k->capacity[t] == 0) continue;
        size_t s = column_defs[i].stride;
        if (column_defs[i].kind >= 0 && (uint64_t)column_defs[i].kind >= meta(k, M_N_KINDS) &&
            !check_tables_is_zero(k->c[i].u8, rows * s))
            return check_fail(c,
                              "column %s has amounts of the resource kind %d, which does not exist",
                              column_def_name(&column_defs[i]), column_defs[i].kind);
        if (!check_tables_is_zero(k->c[i].u8 + rows * s, (k->capacity[t] - rows) * s))
            return check_fail(c, "column %s has values other than 0 after its %llu rows",
                              column_def_name(&column_defs[i]), (unsigned long long)rows);
    }
    return LSCHED_OK;
}

static int32_t check_raw(struct check *c, uint32_t t) {
    const struct columns *k = c->k;
    uint64_t live = meta(k, META_TABLE(t, TW_LIVE));
    if (meta(k, META_TABLE(t, TW_FREE_HEAD)) != NO_ROW ||
        meta(k, META_TABLE(t, TW_FREE_TAIL)) != NO_ROW)
        return check_fail(c, "table %s has no free list, but a head or tail of a free list",
                          table_names[t]);
    if (!check_tables_is_index(t)) {
        if (live != 0)
            return check_fail(c, "table %s keeps no count of live rows, but the count is not 0",
                              table_names[t]);
        return LSCHED_OK;
    }
    if (!index_has_room(live, table_rows(k, t)))
        return check_fail(c, "index %s has %llu keys, which is too many for its %u buckets",
                          table_names[t], (unsigned long long)live, table_rows(k, t));
    return LSCHED_OK;
}

/* Checks that a row that is not live is zero except for LINK and GEN. */
static int32_t check_dead_row(struct check *c, uint32_t t, uint32_t row) {
    const struct columns *k = c->k;
    uint32_t gen = table_generation(t);
    for (uint32_t i = (uint32_t)table_first[t] + 1; i < table_first[t + 1]; i++) {
        size_t s = column_defs[i].stride;
        if (i != gen && column_present(k, i) && !check_tables_is_zero(k->c[i].u8 + row * s, s))
            return check_fail(c, "row %u of %s is free, but its value in %s is not 0", row,
                              table_names[t], column_def_name(&column_defs[i]));
    }
    return LSCHED_OK;
}

/* Counts the members of the free list. They must be in range and not retired. A live row in the
 * list is noticed, because its LINK is no row. A row that occurs twice is noticed, because the
 * list is then a cycle and has more members than the table has rows. */
static int32_t count_free(struct check *c, uint32_t t, uint64_t *n) {
    const struct columns *k = c->k;
    const uint32_t *link = k->c[table_first[t]].u32;
    uint32_t gen = table_generation(t);
    uint64_t head = meta(k, META_TABLE(t, TW_FREE_HEAD)),
             tail = meta(k, META_TABLE(t, TW_FREE_TAIL)), last = NO_ROW;
    for (uint64_t row = head; row != NO_ROW; row = link[row]) {
        if (row >= table_rows(k, t) || ++*n > table_rows(k, t) ||
            (gen != COLUMNS && k->c[gen].u32[row] > generation_last(k)))
            return check_fail(c, "the free list of %s is broken at row %llu", table_names[t],
                              (unsigned long long)row);
        last = row;
    }
    if (last != tail)
        return check_fail(c, "the free list of %s does not end at its tail", table_names[t]);
    return LSCHED_OK;
}

/* Checks that every row is live, in the free list, or retired. It is enough to compare the
 * numbers of these rows, because the members of the free list are all different. */
static int32_t check_free(struct check *c, uint32_t t) {
    const struct columns *k = c->k;
    uint32_t gen = table_generation(t), rows = table_rows(k, t), last = generation_last(k);
    uint64_t listed = 0, live = 0, retired = 0;
    int32_t rc = count_free(c, t, &listed);
    for (uint32_t row = 0; row < rows && rc == LSCHED_OK; row++) {
        uint32_t g = gen == COLUMNS ? generation_first(k) : k->c[gen].u32[row];
        int is_live = k->c[table_first[t]].u32[row] == ROW_LIVE;
        if (g == 0 || g > last + 1 || (is_live ? g > last : g < generation_first(k)))
            return check_fail(c, "row %u of %s has generation %u", row, table_names[t], g);
        live += (uint64_t)is_live;
        if (is_live) continue;
        retired += g > last;
        if (g > last && k->c[table_first[t]].u32[row] != NO_ROW)
            return check_fail(c, "row %u of %s is retired, but it is in a list", row,
                              table_names[t]);
        rc = check_dead_row(c, t, row);
    }
    if (rc != LSCHED_OK) return rc;
    if (live != table_live(k, t) || live + listed + retired != rows)
        return check_fail(
            c,
            "table %s: counts %u live rows, but has %llu; %llu rows are free and %llu "
            "retired, of %u rows",
            table_names[t], table_live(k, t), (unsigned long long)live, (unsigned long long)listed,
            (unsigned long long)retired, rows);
    return LSCHED_OK;
}

/* Checks that no kind and no topology was removed: their rows are used as numbers, so they must
 * stay. */
static int32_t check_tables_kinds(struct check *c) {
    const struct columns *k = c->k;
    uint64_t n = meta(k, M_N_KINDS);
    if (n > KINDS_MAX || n > k->kinds || n != table_rows(k, T_KIND) || n != table_live(k, T_KIND))
        return check_fail(c, "%llu resource kinds counted, %u exist", (unsigned long long)n,
                          table_live(k, T_KIND));
    if (table_rows(k, T_TOPOLOGY) > LSCHED_TOPOLOGIES_MAX ||
        table_rows(k, T_TOPOLOGY) != table_live(k, T_TOPOLOGY))
        return check_fail(c, "%u topologies in %u rows; expected at most %d, none of them free",
                          table_live(k, T_TOPOLOGY), table_rows(k, T_TOPOLOGY),
                          LSCHED_TOPOLOGIES_MAX);
    if (table_rows(k, T_DERIVED) > LIMIT_RESOURCE_PARTS ||
        table_rows(k, T_DERIVED) != table_live(k, T_DERIVED))
        return check_fail(c, "%u quota kinds in %u rows; expected at most %u, none of them free",
                          table_live(k, T_DERIVED), table_rows(k, T_DERIVED), LIMIT_RESOURCE_PARTS);
    return LSCHED_OK;
}

/* The set is one that lsched_schedule() accepts; the default is stored as 0. */
static int32_t check_decision_kinds(struct check *c) {
    uint64_t asked = meta(c->k, M_KINDS), lack = meta(c->k, M_KINDS_LACK);
    const uint64_t known = DECISION_KINDS_KNOWN;
    if (asked && (asked & ~known || !(asked >> LSCHED_DECIDE_PLACE & 1)))
        return check_fail(c, "the latest cycle was asked for the kinds %#llx of decisions",
                          (unsigned long long)asked);
    if (lack & ~known)
        return check_fail(c, "the latest cycle lacked the kinds %#llx of decisions",
                          (unsigned long long)lack);
    return LSCHED_OK;
}

int32_t check_tables(struct check *c) {
    if (c->k->capacity[T_META] < META_WORDS ||
        meta(c->k, META_TABLE(T_META, TW_ROWS)) != META_WORDS)
        return check_fail(c, "the image has other counters than this version");
    if (meta(c->k, M_INCARNATION) > LSCHED_INCARNATION_MAX)
        return check_fail(c, "incarnation %llu; the last is %u",
                          (unsigned long long)meta(c->k, M_INCARNATION), LSCHED_INCARNATION_MAX);
    if (meta(c->k, M_GROUP_SERIAL) < generation_group_first(c->k))
        return check_fail(
            c, "the counter of decision groups is below the first number of incarnation %llu",
            (unsigned long long)meta(c->k, M_INCARNATION));
    int32_t rc = check_decision_kinds(c);
    for (uint32_t t = 0; t < TABLES && rc == LSCHED_OK; t++) {
        rc = check_tables_rows(c, t);
        if (rc == LSCHED_OK) rc = table_is_raw[t] ? check_raw(c, t) : check_free(c, t);
    }
    return rc == LSCHED_OK ? check_tables_kinds(c) : rc;
}
