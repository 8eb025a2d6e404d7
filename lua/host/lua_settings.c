/* lua_settings.c -- see lua_settings.h. */
#include "lua/host/lua_settings.h"

#include <string.h>

#include "lua/state/lua_value.h"
#include "lua/host/lua_definition.h"

/* ---- refusals ---- */

/* Throws the fault with a position in the text. The position is that of `key` inside the table. If
 * the text has no such key there, it is the first `key =` of the text, because the table can come
 * from a variable or a function. If the text has neither, or if `key` is NULL, it is the position
 * of the table's own key. */
static _Noreturn void throw_at(struct lua_host *host, const struct settings *t, const char *key) {
    const struct parse_tree *tree = &host->tree;
    uint32_t at = key ? source_inner_key(tree, t->key, key) : PARSE_NONE;
    if (at == PARSE_NONE && key) at = source_key(tree, key);
    if (at == PARSE_NONE) at = source_key(tree, t->key);
    host_fault_at(host, at);
    host_throw(host);
}

static _Noreturn void lua_settings_refuse_name(struct lua_host *host, const struct settings *t,
                                               const char *key) {
    policy_settings_refuse_name(&host->fault, t, key);
    throw_at(host, t, key);
}

/* Throws the error for a wrong word. `word` is the string on top of the stack, or NULL if the value
 * on top of the stack is not a string. */
static _Noreturn void refuse_word(struct lua_host *host, const struct settings *t,
                                  const struct setting *s, const char *word, size_t len) {
    policy_settings_refuse_word(&host->fault, t, s, word, len, value_describe(host, -1).text);
    throw_at(host, t, s->name);
}

/* Throws the error for the value on top of the stack, which is not a number or is out of range. */
static _Noreturn void refuse_number(struct lua_host *host, const struct settings *t,
                                    const struct setting *s) {
    int is_number = host->api.type(host->L, -1) == LUA_TNUMBER;
    policy_settings_refuse_number(&host->fault, t, s, is_number, value_describe(host, -1).text);
    throw_at(host, t, s->name);
}

/* ---- values ---- */

/* Checks and stores one setting. Before the call, its value is on top of the stack. */
static void read_setting(struct lua_host *host, const struct settings *t, const struct setting *s) {
    const struct luajit_api *api = &host->api;
    int type = api->type(host->L, -1);
    if (s->words && type != LUA_TSTRING) refuse_word(host, t, s, NULL, 0);
    if (!s->words && type != LUA_TNUMBER) refuse_number(host, t, s);
    if (s->words) {
        size_t len;
        const char *word = api->tolstring(host->L, -1, &len);
        uint32_t i = policy_settings_word(s, word, len);
        if (i == UINT32_MAX) refuse_word(host, t, s, word, len);
        policy_settings_store(&host->desc, s, i);
        return;
    }
    double x = api->tonumber(host->L, -1);
    if (!policy_settings_accept(s, x)) refuse_number(host, t, s);
    policy_settings_store(&host->desc, s, x);
}

/* ---- tables ---- */

/* Refuses unknown keys of the table on top of the stack. If there are several unknown keys, the
 * function reports the one that is first in byte order, because Lua tables have no order. */
static void lua_settings_check_names(struct lua_host *host, const struct settings *t) {
    const struct luajit_api *api = &host->api;
    const char *unknown = NULL;
    int table = api->gettop(host->L);
    int odd = value_odd_key(host, table);
    if (odd != LUA_TSTRING) {
        fault_set(&host->fault, LSCHED_E_TYPE, "%s has only named entries, got a %s key", t->key,
                  api->typename(host->L, odd));
        throw_at(host, t, NULL);
    }
    api->pushnil(host->L);
    while (api->next(host->L, table)) {
        /* stays valid: the table keeps the string */
        const char *key = api->tolstring(host->L, -2, NULL);
        if (!policy_settings_find(t, key, strlen(key)) && (!unknown || strcmp(key, unknown) < 0))
            unknown = key;
        api->settop(host->L, -2);
    }
    if (unknown) lua_settings_refuse_name(host, t, unknown);
}

/* Calls the function on top of the stack and replaces it by its result. */
static void call_for_table(struct lua_host *host, const struct settings *t) {
    uint64_t allowed = host->allowed;
    struct function_lines lines;
    if (!host_is_policy_function(host, &lines)) {
        fault_set(&host->fault, LSCHED_E_TYPE,
                  "%s must be a table or a function of this text, got a built-in function", t->key);
        throw_at(host, t, NULL);
    }
    host->used = 0;
    host->allowed = host->per_call;
    host_call_policy(host, 0, 1);
    host->allowed = allowed;
}

static void read_table(struct lua_host *host, const struct settings *t) {
    const struct luajit_api *api = &host->api;
    int type = api->type(host->L, -1);
    if (type == LUA_TNIL) return;
    if (type == LUA_TFUNCTION) {
        call_for_table(host, t);
        type = api->type(host->L, -1);
    }
    if (type != LUA_TTABLE) {
        fault_set(&host->fault, LSCHED_E_TYPE, "%s must be a table such as %s, got %s%s", t->key,
                  t->example, type == LUA_TNIL ? "" : "a ",
                  type == LUA_TNIL ? "nothing (is there a return?)" : api->typename(host->L, type));
        throw_at(host, t, NULL);
    }
    lua_settings_check_names(host, t);
    int table = api->gettop(host->L);
    for (uint32_t i = 0; i < t->n; i++) {
        api->pushlstring(host->L, t->list[i].name, strlen(t->list[i].name));
        api->rawget(host->L, table);
        if (api->type(host->L, -1) != LUA_TNIL) read_setting(host, t, &t->list[i]);
        api->settop(host->L, table);
    }
}

void settings_read(struct lua_host *host, uint32_t i) {
    read_table(host, &policy_settings[i]);
}
