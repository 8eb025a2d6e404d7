/* lua_env.c -- see lua_env.h. */
#include "lua/host/lua_env.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "embedded_text.h"
#include "lua/front/lua_cures.h"
#include "lua/host/lua_functions.h"
#include "lua/host/lua_length.h"
#include "lua/host/lua_library.h"
#include "lua/host/lua_log.h"

enum { UPVALUE_WHAT = 1 };

static const char *upvalue_what(struct lua_host *host) {
    return host->api.tolstring(host->L, lua_upvalueindex(UPVALUE_WHAT), NULL);
}

/* ---- refusals ---- */

static int object_named(const char *what) {
    for (int i = 0; i < POLICY_OBJECTS; i++) {
        if (strcmp(what, object_names[i]) == 0) return i;
    }
    return -1;
}

static _Noreturn void refuse_field(struct lua_host *host, int object, const char *what,
                                   const char *word, size_t len) {
    struct suggest s;
    suggest_begin(&s, word, len);
    for (int f = 0; f < POLICY_FIELDS; f++) {
        const char *name = policy_field_infos[f].name;
        if (policy_field_infos[f].object != object) continue;
        if (strcmp(name, word) == 0) {
            host_refuse(host, LSCHED_E_POLICY,
                        "%s['%s'] is read with a computed name; write %s.%s, so that the library "
                        "knows which field to fill in",
                        what, word, what, word);
        }
        suggest_offer(&s, name, strlen(name));
    }
    char cure[CURE_BYTES];
    const char *meant = cure_field((uint32_t)object, word, len);
    if (!meant) meant = s.best;
    cure_no_field((uint32_t)object, word, len, cure);
    if (meant)
        host_refuse(host, LSCHED_E_POLICY, "%s has no field '%s'; did you mean '%s'?", what, word,
                    meant);
    else
        host_refuse(host, LSCHED_E_POLICY, "%s has no field '%s'%s", what, word, cure);
}

/* Offers the string keys of the table at stack index 1 as suggestions. */
static void offer_keys(struct lua_host *host, struct suggest *s) {
    const struct luajit_api *api = &host->api;
    lua_State *L = host->L;
    api->pushnil(L);
    while (api->next(L, 1)) {
        size_t len;
        if (api->type(L, -2) == LUA_TSTRING) {
            const char *key = api->tolstring(L, -2, &len);
            if (key[0] != '_') suggest_offer(s, key, len);
        }
        api->settop(L, -2);
    }
}

static _Noreturn void lua_env_refuse_name(struct lua_host *host, const char *what, const char *word,
                                          size_t len) {
    struct suggest s;
    const char *way = cure_name(word);
    int is_global = strcmp(what, "global") == 0;
    char subject[64] = "no global";
    suggest_begin(&s, word, len);
    offer_keys(host, &s);
    for (uint32_t i = 0; is_global && library_name(i); i++)
        suggest_offer(&s, library_name(i), strlen(library_name(i)));
    if (!is_global) snprintf(subject, sizeof subject, "%s has no", what);
    if (way)
        host_refuse(host, LSCHED_E_POLICY, "%s '%s' in a policy; use %s", subject, word, way);
    else if (s.best)
        host_refuse(host, LSCHED_E_POLICY, "%s '%s'; did you mean '%s'?", subject, word, s.best);
    else if (host->chunk_runs && strcmp(what, "params") == 0)
        host_refuse(host, LSCHED_E_POLICY,
                    "params.%s is read before the policy has returned its table; read it "
                    "inside a function",
                    word);
    else
        host_refuse(
            host, LSCHED_E_POLICY, "%s '%s'%s", subject, word,
            strcmp(what, "string") == 0
                ? "; job.queue and queue.parent are names of queues; the queue itself is an "
                  "argument of the hook"
                : "");
}

/* Arguments (table, key). The __index function of tables in which reading an absent key is an
 * error. */
static int env_absent(lua_State *L) {
    struct lua_host *host = host_of(L);
    const struct luajit_api *api = &host->api;
    const char *what = upvalue_what(host);
    size_t len;
    if (api->type(L, 2) != LUA_TSTRING)
        host_refuse(host, LSCHED_E_POLICY, "%s is indexed with a %s", what,
                    api->typename(L, api->type(L, 2)));
    const char *word = api->tolstring(L, 2, &len);
    int object = object_named(what);
    fault_word(&host->fault, word, len);
    if (object >= 0) refuse_field(host, object, what, word, len);
    lua_env_refuse_name(host, what, word, len);
}

/* Arguments (table, key, value). The __newindex function of read-only tables. */
static int env_refuse_write(lua_State *L) {
    struct lua_host *host = host_of(L);
    const struct luajit_api *api = &host->api;
    const char *what = upvalue_what(host), *word = "?";
    if (api->type(L, 2) == LUA_TSTRING) {
        size_t len;
        word = api->tolstring(L, 2, &len);
        fault_word(&host->fault, word, len);
    }
    int is_one_of_many = object_named(what) >= 0 || strncmp(what, "table ", 6) == 0;
    if (strcmp(what, "global") == 0)
        host_refuse(host, LSCHED_E_POLICY, "assignment to global '%s'; write local %s", word, word);
    else
        host_refuse(host, LSCHED_E_POLICY, "%s%s is read-only: '%s' cannot be set",
                    is_one_of_many ? "a " : "", what, word);
}

static int push_with_what(lua_State *L, lua_CFunction function) {
    const struct luajit_api *api = &host_of(L)->api;
    api->settop(L, 1);
    api->pushcclosure(L, function, 1);
    return 1;
}

static int env_missing(lua_State *L) {
    return push_with_what(L, env_absent);
}

static int env_frozen(lua_State *L) {
    return push_with_what(L, env_refuse_write);
}

/* ---- labels ---- */

/* Arguments (table, key). The __index function of node.labels. It reads the labels of the node for
 * which the loop runs now. */
static int env_label(lua_State *L) {
    struct lua_host *host = host_of(L);
    const struct luajit_api *api = &host->api;
    size_t len;
    lsched_text value;
    if (api->type(L, 2) != LUA_TSTRING)
        host_refuse(host, LSCHED_E_POLICY, "a label is named by a string, not by a %s",
                    api->typename(L, api->type(L, 2)));
    host_charge(host, 10);
    const char *key = api->tolstring(L, 2, &len);
    api->rawgeti(L, LUA_REGISTRYINDEX, SLOT_AT);
    api->rawgeti(L, -1, 1);
    size_t at = (size_t)api->tonumber(L, -1);
    if (!host->label_rows || at == 0 ||
        !host->view->label(host->view->engine, host->label_rows[at - 1], key, len, &value)) {
        api->pushnil(L);
        return 1;
    }
    if (value.len > HOST_STRING_BYTES_MAX)
        host_refuse(host, LSCHED_E_POLICY, "the label '%s' is longer than %u bytes", key,
                    (unsigned)HOST_STRING_BYTES_MAX);
    api->pushlstring(L, value.ptr, (size_t)value.len);
    return 1;
}

/* ---- building ---- */

static void push_functions(struct lua_host *host) {
    static const struct env_function own[] = {
        {"missing", env_missing}, {"frozen", env_frozen}, {"label", env_label}, {NULL, NULL}};
    const struct env_function *const lists[] = {own, env_functions, library_functions,
                                                log_functions, length_functions};
    const struct luajit_api *api = &host->api;
    api->createtable(host->L, 0, 24);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        for (const struct env_function *f = lists[i]; f->name; f++) {
            api->pushlstring(host->L, f->name, strlen(f->name));
            api->pushcclosure(host->L, f->function, 0);
            api->rawset(host->L, -3);
        }
    }
    api->pushlstring(host->L, "meter", 5);
    api->rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_METER);
    api->rawset(host->L, -3);
}

static void open_library(struct lua_host *host, lua_CFunction open) {
    host->api.pushcclosure(host->L, open, 0);
    host->api.pushlstring(host->L, "", 0);
    host->api.call(host->L, 1, 0);
}

static void push_global(struct lua_host *host, const char *name) {
    host->api.pushlstring(host->L, name, strlen(name));
    host->api.rawget(host->L, LUA_GLOBALSINDEX);
}

int env_load(struct lua_host *host, const char *text, size_t len, const char *chunk_name) {
    struct luajit_text chunk = {text, len};
    return luajit_load(&host->api, host->L, &chunk, chunk_name);
}

/* The compiled function gets an empty environment. Therefore the functions that it makes do not
 * keep LuaJIT's libraries alive. */
void env_load_trusted(struct lua_host *host, const char *name, const char *chunk_name) {
    const struct embedded_text *e = embedded_lua;
    while (e->name && strcmp(e->name, name) != 0) e++;
    if (e->name && env_load(host, e->text, e->len, chunk_name) == 0) {
        host->api.createtable(host->L, 0, 0);
        host->api.setfenv(host->L, -2);
        return;
    }
    host_refuse(host, LSCHED_E_CORRUPT, "the file %s of the policy library cannot be compiled",
                name);
}

/* Empties the table of globals. LuaJIT's functions refer to the table of globals in which they were
 * made. When this table is empty, LuaJIT can free all functions that the prelude did not keep.
 * Policy code that gets hold of a function's environment then finds an empty table. */
static void clear_globals(struct lua_host *host) {
    const struct luajit_api *api = &host->api;
    lua_State *L = host->L;
    api->pushnil(L);
    while (api->next(L, LUA_GLOBALSINDEX)) {
        api->settop(L, -2);
        api->pushvalue(L, -1);
        api->pushnil(L);
        /* `next` allows an entry to be set to nil during the iteration */
        api->rawset(L, LUA_GLOBALSINDEX);
    }
}

void env_build(struct lua_host *host) {
    const struct luajit_api *api = &host->api;
    lua_State *L = host->L;
    /* no garbage collection now, because nearly all objects that are made here stay; the libraries
     * are collected after the load */
    api->gc(L, LUA_GCSTOP, 0);
    open_library(host, api->open_base);
    open_library(host, api->open_string);
    open_library(host, api->open_math);
    env_load_trusted(host, "prelude", "=prelude");
    push_functions(host);
    api->pushvalue(L, LUA_GLOBALSINDEX);
    push_global(host, "string");
    push_global(host, "math");
    /* the five results: environment, params, build, metatable of frozen tables, install */
    api->call(L, 4, 5);
    library_install(host);
    api->rawseti(L, LUA_REGISTRYINDEX, SLOT_FROZEN);
    api->rawseti(L, LUA_REGISTRYINDEX, SLOT_BUILD);
    api->rawseti(L, LUA_REGISTRYINDEX, SLOT_PARAMS);
    clear_globals(host);
    api->replace(L, LUA_GLOBALSINDEX);
    api->pushlstring(L, "_LOADED", 7);
    api->pushnil(L);
    api->rawset(L, LUA_REGISTRYINDEX);
    for (int slot = SLOT_AT; slot <= SLOT_WHY; slot++) {
        api->createtable(L, slot == SLOT_AT ? 1 : HOST_CHUNK, 0);
        api->rawseti(L, LUA_REGISTRYINDEX, slot);
    }
    api->gc(L, LUA_GCRESTART, 0);
}
