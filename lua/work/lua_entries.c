/* lua_entries.c -- see lua_entries.h. */
#include "lua/work/lua_entries.h"

#include <stdio.h>
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

static void offer_names(struct suggest *s, const struct padded_names *known) {
    for (uint32_t i = 0; i < known->n; i++)
        suggest_offer(s, padded_name(known, i), strlen(padded_name(known, i)));
}

/* Refuses a word that is none of the known ones. `what` ends before the word. */
static _Noreturn void entry_refuse(struct lua_host *host, const char *what, struct entry_at where,
                                   const char *word, const struct padded_names *known) {
    struct suggest s;
    suggest_begin(&s, word, strlen(word));
    offer_names(&s, known);
    fault_set(&host->fault, LSCHED_E_KEY, "%s '%.40s'%s%.40s%s", what, word,
              s.best ? "; did you mean '" : "", s.best ? s.best : "", s.best ? "'?" : "");
    entry_throw(host, where);
}

void entry_need_known(struct lua_host *host, const char *what, struct entry_at where,
                      const struct padded_names *known) {
    const struct luajit_api *api = &host->api;
    const char *odd = NULL;
    char has_no[96];
    size_t len;
    int table = api->gettop(host->L);
    for (api->pushnil(host->L); api->next(host->L, table); api->settop(host->L, -2)) {
        const char *key = api->tolstring(host->L, -2, &len); /* the table keeps it */
        if (!padded_find(known, (lsched_text){key, len}) && (!odd || strcmp(key, odd) < 0))
            odd = key;
    }
    if (where.rows && !where.row)
        where.row = odd;
    else
        where.key = odd;
    snprintf(has_no, sizeof has_no, "%s has no", what);
    if (odd) entry_refuse(host, has_no, where, odd, known);
}

int entry_push(struct lua_host *host, int table, const char *key) {
    host->api.pushlstring(host->L, key, strlen(key));
    host->api.rawget(host->L, table);
    return host->api.type(host->L, -1);
}

/* Takes a name into a sorted list of n names. */
static void insert_name(const struct entry_list *list, uint32_t n, const char *name, size_t len) {
    char *at = list->first + (size_t)n * list->bytes;
    for (; at > list->first && strcmp(at - list->bytes, name) > 0; at -= list->bytes)
        memcpy(at, at - list->bytes, list->bytes);
    memset(at, 0, list->bytes);
    memcpy(at, name, len);
}

uint32_t entry_names(struct lua_host *host, const char *what, struct entry_at where,
                     const struct entry_list *list, uint32_t n) {
    const struct luajit_api *api = &host->api;
    const char *wrong = NULL;
    size_t len;
    int table = api->gettop(host->L);
    for (api->pushnil(host->L); api->next(host->L, table); api->settop(host->L, -2)) {
        const char *key = api->tolstring(host->L, -2, &len);
        const struct padded_names names = {list->first, n <= list->most ? n : list->most,
                                           list->bytes};
        int bad = len == 0 || len >= list->bytes || strlen(key) != len;
        if (bad && (!wrong || strcmp(key, wrong) < 0)) wrong = key;
        if (bad || n > list->most || padded_find(&names, (lsched_text){key, len})) continue;
        if (n++ < list->most) insert_name(list, n - 1, key, len);
    }
    if (!wrong) return n;
    fault_set(&host->fault, LSCHED_E_INVAL,
              "%s: the name of a %s has 1 to %u bytes and no NUL, got '%.40s'", what, list->thing,
              list->bytes - 1, wrong);
    entry_throw(host, where);
}

uint32_t entry_choice(struct lua_host *host, const char *what, struct entry_at where,
                      const struct padded_names *known) {
    size_t len = 0;
    char got[112];
    if (host->api.type(host->L, -1) != LUA_TSTRING) {
        fault_set(&host->fault, LSCHED_E_TYPE, "%s, got %s", what, value_describe(host, -1).text);
        entry_throw(host, where);
    }
    const char *name = host->api.tolstring(host->L, -1, &len);
    uint32_t found = padded_find(known, (lsched_text){name, len});
    snprintf(got, sizeof got, "%s, got", what);
    if (!found) entry_refuse(host, got, where, name, known);
    return found;
}
