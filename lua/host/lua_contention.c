/* lua_contention.c -- see lua_contention.h. Cost: O(kinds squared) table accesses, once when the
 * policy is loaded. */
#include "lua/host/lua_contention.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "lua/front/lua_source.h"
#include "lua/host/lua_definition.h"
#include "lua/state/lua_value.h"

enum { MILLI = 1000 };

/* ---- refusals ---- */

/* The value contention.slowdown.row.key; without a row, contention[key]. NULL: not so deep. */
struct contended {
    const char *row, *key;
};

static uint32_t node_of(const struct lua_host *host, struct contended where) {
    const char *const path[] = {"contention", where.row ? "slowdown" : where.key, where.row,
                                where.row ? where.key : NULL};
    return source_path(&host->tree, path, sizeof path / sizeof path[0]);
}

static _Noreturn void throw_from(struct lua_host *host, struct contended where) {
    host_fault_at(host, node_of(host, where));
    host_throw(host);
}

/* Refuses the value on top of the stack, unless it is a table in which all entries have names. */
static void need_table(struct lua_host *host, const char *what, struct contended where,
                       const char *example) {
    int is_table = host->api.type(host->L, -1) == LUA_TTABLE,
        odd = is_table ? definition_odd_key(host, host->api.gettop(host->L)) : LUA_TSTRING;
    if (is_table && odd == LUA_TSTRING) return;
    if (is_table)
        fault_set(&host->fault, LSCHED_E_TYPE, "%s has only named entries, got a %s key", what,
                  host->api.typename(host->L, odd));
    else
        fault_set(&host->fault, LSCHED_E_TYPE, "%s must be a table such as %s, got %s", what,
                  example, value_describe(host, -1).text);
    throw_from(host, where);
}

/* Refuses a key of the table `what`. `known` are the n keys that it can have, each with a NUL in
 * its `stride` bytes. */
static _Noreturn void refuse_entry(struct lua_host *host, const char *what, struct contended where,
                                   const char *key, const char *known, size_t stride, uint32_t n) {
    struct suggest s;
    suggest_begin(&s, key, strlen(key));
    for (uint32_t i = 0; i < n; i++)
        suggest_offer(&s, known + i * stride, strlen(known + i * stride));
    fault_set(&host->fault, LSCHED_E_KEY, "%s has no '%.40s'%s%s%s", what, key,
              s.best ? "; did you mean '" : "", s.best ? s.best : "", s.best ? "'?" : "");
    throw_from(host, where);
}

/* Refuses the first key, in byte order, of the table on top of the stack that is none of the n
 * known ones. */
static void need_known(struct lua_host *host, const char *what, const char *row, const char *known,
                       size_t stride, uint32_t n) {
    const struct luajit_api *api = &host->api;
    const char *odd = NULL;
    size_t len;
    int table = api->gettop(host->L);
    for (api->pushnil(host->L); api->next(host->L, table); api->settop(host->L, -2)) {
        const char *key = api->tolstring(host->L, -2, &len); /* the table keeps it */
        uint32_t i = 0;
        while (i < n && (strlen(key) != len || strcmp(known + i * stride, key) != 0)) i++;
        if (i == n && (!odd || strcmp(key, odd) < 0)) odd = key;
    }
    if (odd) refuse_entry(host, what, (struct contended){row, odd}, odd, known, stride, n);
}

/* ---- values ---- */

/* Returns the number on top of the stack in thousandths, from 1000 on. */
static uint32_t read_factor(struct lua_host *host, const char *what, struct contended where) {
    int is_number = host->api.type(host->L, -1) == LUA_TNUMBER;
    double x = is_number ? host->api.tonumber(host->L, -1) : 0;
    if (x >= 1 && x <= CONTENTION_MILLI_MAX / MILLI) return (uint32_t)(x * MILLI + 0.5);
    fault_set(&host->fault, is_number ? LSCHED_E_RANGE : LSCHED_E_TYPE,
              "%s must be a number from 1 (no slow-down) to %d, got %s", what,
              CONTENTION_MILLI_MAX / MILLI, value_describe(host, -1).text);
    throw_from(host, where);
}

/* Pushes table[key] of the table at this stack index, and returns its type. */
static int push_entry(struct lua_host *host, int table, const char *key) {
    host->api.pushlstring(host->L, key, strlen(key));
    host->api.rawget(host->L, table);
    return host->api.type(host->L, -1);
}

/* Takes the keys of the table on top of the stack as the kinds of work, sorted. */
static void read_kinds(struct lua_host *host, struct contention_table *t) {
    const struct luajit_api *api = &host->api;
    const char *wrong = NULL;
    size_t len;
    uint32_t n = 0;
    int table = api->gettop(host->L);
    for (api->pushnil(host->L); api->next(host->L, table); api->settop(host->L, -2)) {
        const char *name = api->tolstring(host->L, -2, &len);
        int bad = len == 0 || len >= CONTENTION_NAME_BYTES || strlen(name) != len;
        if (bad && (!wrong || strcmp(name, wrong) < 0)) wrong = name;
        if (bad || n++ >= CONTENTION_KINDS_MAX) continue;
        uint32_t at = t->n++;
        for (; at > 0 && strcmp(t->name[at - 1], name) > 0; at--)
            memcpy(t->name[at], t->name[at - 1], CONTENTION_NAME_BYTES);
        memset(t->name[at], 0, CONTENTION_NAME_BYTES);
        memcpy(t->name[at], name, len);
    }
    if (!wrong && n > 0 && n <= CONTENTION_KINDS_MAX) return;
    if (wrong)
        fault_set(
            &host->fault, LSCHED_E_INVAL,
            "contention.slowdown: the name of a kind of work has 1 to %d bytes and no NUL, got "
            "'%.40s'",
            CONTENTION_NAME_BYTES - 1, wrong);
    else
        fault_set(&host->fault, n ? LSCHED_E_LIMIT : LSCHED_E_INVAL,
                  "contention.slowdown has %u kinds of work; expected 1 to %d", n,
                  CONTENTION_KINDS_MAX);
    throw_from(host, (struct contended){NULL, "slowdown"});
}

/* Reads how much slower kind `a` runs beside the others, from the table on top of the stack.
 * Returns the number of kinds for which it says nothing. */
static uint32_t read_slowdowns(struct lua_host *host, struct contention_table *t, uint32_t a) {
    char what[2 * CONTENTION_NAME_BYTES + 32];
    uint32_t holes = 0;
    int row = host->api.gettop(host->L);
    snprintf(what, sizeof what, "contention.slowdown.%s", t->name[a]);
    need_table(host, what, (struct contended){t->name[a], NULL}, "{ train = 1.2 }");
    need_known(host, what, t->name[a], t->name[0], CONTENTION_NAME_BYTES, t->n);
    for (uint32_t b = 0; b < t->n; b++) {
        snprintf(what, sizeof what, "contention.slowdown.%s.%s", t->name[a], t->name[b]);
        struct contended where = {t->name[a], t->name[b]};
        int is_hole = push_entry(host, row, t->name[b]) == LUA_TNIL;
        holes += (uint32_t)is_hole;
        t->milli[a][b] =
            (uint16_t)(is_hole ? CONTENTION_MILLI_NONE : read_factor(host, what, where));
        host->api.settop(host->L, row);
    }
    return holes;
}

static void warn_of_holes(struct lua_host *host, uint32_t holes) {
    uint32_t at = node_of(host, (struct contended){NULL, "slowdown"});
    if (holes == 0 || host->n_warnings >= HOST_TEXT_WARNINGS) return;
    const struct parse_node *node = at == PARSE_NONE ? NULL : tree_at(&host->tree, at);
    snprintf(host->warnings[host->n_warnings++], sizeof host->warnings[0],
             "%s:%u:%u: contention.slowdown has no number for %u pair%s of kinds: 1.0 (no "
             "slow-down) is used",
             host->name, node ? (unsigned)node->line : 1u, node ? (unsigned)node->column : 1u,
             (unsigned)holes, holes == 1 ? "" : "s");
}

static void read_others(struct lua_host *host, struct contention_table *t) {
    const struct contended where = {NULL, "others"};
    size_t len = 0;
    const char *name =
        host->api.type(host->L, -1) == LUA_TSTRING ? host->api.tolstring(host->L, -1, &len) : NULL;
    if (!name) {
        fault_set(&host->fault, LSCHED_E_TYPE,
                  "contention.others must be the name of a kind of work, got %s",
                  value_describe(host, -1).text);
        throw_from(host, where);
    }
    for (uint32_t i = 0; i < t->n; i++)
        if (strcmp(t->name[i], name) == 0 && strlen(name) == len) t->others = i + 1;
    if (!t->others)
        refuse_entry(host, "contention.slowdown", where, name, t->name[0], CONTENTION_NAME_BYTES,
                     t->n);
}

void contention_read(struct lua_host *host) {
    static const char keys[3][16] = {"max", "others", "slowdown"};
    const struct contended itself = {NULL, NULL}, rows_of = {NULL, "slowdown"};
    struct contention_table *t = &host->desc.contention;
    int table = host->api.gettop(host->L);
    uint32_t holes = 0;
    if (host->api.type(host->L, -1) == LUA_TNIL) return;
    need_table(host, "contention", itself, "{ slowdown = { train = { train = 1.3 } } }");
    need_known(host, "contention", NULL, keys[0], sizeof keys[0], 3);
    if (push_entry(host, table, "max") != LUA_TNIL)
        t->most = read_factor(host, "contention.max", (struct contended){NULL, "max"});
    push_entry(host, table, "slowdown");
    need_table(host, "contention.slowdown", rows_of, "{ train = { train = 1.3 } }");
    read_kinds(host, t);
    int rows = host->api.gettop(host->L);
    for (uint32_t a = 0; a < t->n; a++) {
        push_entry(host, rows, t->name[a]);
        holes += read_slowdowns(host, t, a);
        host->api.settop(host->L, rows);
    }
    if (push_entry(host, table, "others") != LUA_TNIL) read_others(host, t);
    contention_table_bar(t);
    warn_of_holes(host, holes);
}
