/* lua_entries.c -- see lua_entries.h. */
#include "lua/work/lua_entries.h"

#include <string.h>

#include "base/suggest.h"
#include "lua/front/lua_source.h"
#include "lua/state/lua_value.h"

static uint32_t at_of(struct lua_host *host, struct entry_at where) {
    const char *const path[] = {where.top, where.row ? where.rows : where.key, where.row,
                                where.row ? where.key : NULL};
    return source_path(&host->tree, path, sizeof path / sizeof path[0]);
}

_Noreturn void entry_throw(struct lua_host *host, struct entry_at where) {
    host_fault_at(host, at_of(host, where));
    host_throw(host);
}

const struct parse_node *entry_node(struct lua_host *host, struct entry_at where) {
    uint32_t at = at_of(host, where);
    return at == PARSE_NONE ? NULL : tree_at(&host->tree, at);
}

void entry_need_table(struct lua_host *host, const char *what, struct entry_at where,
                      const char *example) {
    int is_table = host->api.type(host->L, -1) == LUA_TTABLE,
        odd = is_table ? value_odd_key(host, host->api.gettop(host->L)) : LUA_TSTRING;
    if (is_table && odd == LUA_TSTRING) return;
    if (is_table)
        fault_set(&host->fault, LSCHED_E_TYPE, "%s has only named entries, got a %s key", what,
                  host->api.typename(host->L, odd));
    else
        fault_set(&host->fault, LSCHED_E_TYPE, "%s must be a table such as %s, got %s", what,
                  example, value_describe(host, -1).text);
    entry_throw(host, where);
}

static const char *name_at(const struct known_names *known, uint32_t i) {
    return known->first + (size_t)i * ENTRY_NAME_BYTES;
}

/* Refuses a word that is none of the known ones. */
static _Noreturn void entry_refuse(struct lua_host *host, const char *what, struct entry_at where,
                                   const char *word, const struct known_names *known) {
    struct suggest s;
    suggest_begin(&s, word, strlen(word));
    for (uint32_t i = 0; i < known->n; i++)
        suggest_offer(&s, name_at(known, i), strlen(name_at(known, i)));
    fault_set(&host->fault, LSCHED_E_KEY, "%s has no '%.40s'%s%s%s", what, word,
              s.best ? "; did you mean '" : "", s.best ? s.best : "", s.best ? "'?" : "");
    entry_throw(host, where);
}

/* Returns which of the names, from 1 on, the text is; 0: none. */
static uint32_t known_as(const struct known_names *known, const char *text, size_t len) {
    for (uint32_t i = 0; i < known->n; i++)
        if (strlen(text) == len && strcmp(name_at(known, i), text) == 0) return i + 1;
    return 0;
}

void entry_need_known(struct lua_host *host, const char *what, struct entry_at where,
                      const struct known_names *known) {
    const struct luajit_api *api = &host->api;
    const char *odd = NULL;
    size_t len;
    int table = api->gettop(host->L);
    for (api->pushnil(host->L); api->next(host->L, table); api->settop(host->L, -2)) {
        const char *key = api->tolstring(host->L, -2, &len); /* the table keeps it */
        if (!known_as(known, key, len) && (!odd || strcmp(key, odd) < 0)) odd = key;
    }
    where.key = odd;
    if (odd) entry_refuse(host, what, where, odd, known);
}

int entry_push(struct lua_host *host, int table, const char *key) {
    host->api.pushlstring(host->L, key, strlen(key));
    host->api.rawget(host->L, table);
    return host->api.type(host->L, -1);
}

/* Takes a name into a sorted list of n names. */
static void insert_name(char (*list)[ENTRY_NAME_BYTES], uint32_t n, const char *name, size_t len) {
    for (; n > 0 && strcmp(list[n - 1], name) > 0; n--)
        memcpy(list[n], list[n - 1], ENTRY_NAME_BYTES);
    memset(list[n], 0, ENTRY_NAME_BYTES);
    memcpy(list[n], name, len);
}

static _Noreturn void refuse_name(struct lua_host *host, const char *what, const char *thing,
                                  struct entry_at where, const char *name) {
    fault_set(&host->fault, LSCHED_E_INVAL,
              "%s: the name of a %s has 1 to %d bytes and no NUL, got '%.40s'", what, thing,
              ENTRY_NAME_BYTES - 1, name);
    entry_throw(host, where);
}

void entry_need_count(struct lua_host *host, const char *what, const char *thing,
                      struct entry_at where, uint32_t n, uint32_t most) {
    if (n > 0 && n <= most) return;
    fault_set(&host->fault, n ? LSCHED_E_LIMIT : LSCHED_E_INVAL,
              "%s has %u names of a %s; expected 1 to %u", what, n, thing, most);
    entry_throw(host, where);
}

uint32_t entry_names(struct lua_host *host, const char *what, const char *thing,
                     struct entry_at where, char (*name)[ENTRY_NAME_BYTES], uint32_t had,
                     uint32_t most) {
    const struct luajit_api *api = &host->api;
    const char *wrong = NULL;
    size_t len;
    uint32_t n = had;
    int table = api->gettop(host->L);
    for (api->pushnil(host->L); api->next(host->L, table); api->settop(host->L, -2)) {
        const char *key = api->tolstring(host->L, -2, &len);
        const struct known_names known = {name[0], n < most ? n : most};
        int bad = len == 0 || len >= ENTRY_NAME_BYTES || strlen(key) != len;
        if (bad && (!wrong || strcmp(key, wrong) < 0)) wrong = key;
        if (bad || known_as(&known, key, len) || n++ >= most) continue;
        insert_name(name, n - 1, key, len);
    }
    if (wrong) refuse_name(host, what, thing, where, wrong);
    if (n > most) entry_need_count(host, what, thing, where, n, most);
    return n;
}

uint32_t entry_choice(struct lua_host *host, const char *what, const char *rows,
                      struct entry_at where, const struct known_names *known) {
    size_t len = 0;
    if (host->api.type(host->L, -1) != LUA_TSTRING) {
        fault_set(&host->fault, LSCHED_E_TYPE, "%s, got %s", what, value_describe(host, -1).text);
        entry_throw(host, where);
    }
    const char *name = host->api.tolstring(host->L, -1, &len);
    uint32_t found = known_as(known, name, len);
    if (!found) entry_refuse(host, rows, where, name, known);
    return found;
}
