/*
 * lua_env.c -- builds the global environment of policy text. LuaJIT's libraries are opened, the
 * prelude keeps the functions that it names, and the others become garbage. This file also has the
 * C functions of the environment that look things up or refuse; functions that compute are in
 * lua_functions.c. No C function calls back into Lua, because LuaJIT does not bound the C stack.
 */
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "embedded_text.h"
#include "lua/front/lua_cures.h"
#include "lua/host/lua_functions.h"
#include "lua/host/lua_length.h"

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
            fault_set(
                &host->fault, LSCHED_E_POLICY,
                "%s['%s'] is read by a computed name; write %s.%s, so that it can be filled in",
                what, word, what, word);
            host_throw(host);
        }
        suggest_offer(&s, name, strlen(name));
    }
    char cure[CURE_BYTES];
    const char *meant = cure_field((uint32_t)object, word, len);
    if (!meant) meant = s.best;
    cure_no_field((uint32_t)object, word, len, cure);
    if (meant)
        fault_set(&host->fault, LSCHED_E_POLICY, "%s has no field '%s'; did you mean '%s'?", what,
                  word, meant);
    else
        fault_set(&host->fault, LSCHED_E_POLICY, "%s has no field '%s'%s", what, word, cure);
    host_throw(host);
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
            if (key[0] != LENGTH_NAME[0]) suggest_offer(s, key, len);
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
        fault_set(&host->fault, LSCHED_E_POLICY, "%s '%s' in a policy; use %s", subject, word, way);
    else if (s.best)
        fault_set(&host->fault, LSCHED_E_POLICY, "%s '%s'; did you mean '%s'?", subject, word,
                  s.best);
    else if (host->chunk_runs && strcmp(what, "params") == 0)
        fault_set(&host->fault, LSCHED_E_POLICY,
                  "params.%s is read before the policy has returned its table; read it "
                  "inside a function",
                  word);
    else
        fault_set(&host->fault, LSCHED_E_POLICY, "%s '%s'%s", subject, word,
                  strcmp(what, "string") == 0
                      ? "; job.queue and queue.parent are names, and the queue is an argument"
                      : "");
    host_throw(host);
}

/* The __index function of tables in which an absent key must not be read: (table, key). */
static int env_absent(lua_State *L) {
    struct lua_host *host = host_of(L);
    const struct luajit_api *api = &host->api;
    const char *what = upvalue_what(host);
    size_t len;
    if (api->type(L, 2) != LUA_TSTRING) {
        fault_set(&host->fault, LSCHED_E_POLICY, "%s is indexed with a %s", what,
                  api->typename(L, api->type(L, 2)));
        host_throw(host);
    }
    const char *word = api->tolstring(L, 2, &len);
    int object = object_named(what);
    fault_word(&host->fault, word, len);
    if (object >= 0) refuse_field(host, object, what, word, len);
    lua_env_refuse_name(host, what, word, len);
}

/* The __newindex function of tables that must not be written: (table, key, value). */
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
        fault_set(&host->fault, LSCHED_E_POLICY, "assignment to global '%s'; write local %s", word,
                  word);
    else
        fault_set(&host->fault, LSCHED_E_POLICY, "%s%s is read-only: '%s' cannot be set",
                  is_one_of_many ? "a " : "", what, word);
    host_throw(host);
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

/* The __index function of node.labels: (table, key). The row is that of the element that the loop
 * is at. */
static int env_label(lua_State *L) {
    struct lua_host *host = host_of(L);
    const struct luajit_api *api = &host->api;
    size_t len;
    lsched_text value;
    if (api->type(L, 2) != LUA_TSTRING) {
        fault_set(&host->fault, LSCHED_E_POLICY, "a label is named by a string, not by a %s",
                  api->typename(L, api->type(L, 2)));
        host_throw(host);
    }
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
    if (value.len > HOST_STRING_BYTES_MAX) {
        fault_set(&host->fault, LSCHED_E_POLICY, "the label '%s' is longer than %u bytes", key,
                  (unsigned)HOST_STRING_BYTES_MAX);
        host_throw(host);
    }
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

struct chunk {
    const char *text;
    size_t len;
};

static const char *read_chunk(lua_State *L, void *user, size_t *len) {
    struct chunk *chunk = user;
    (void)L;
    *len = chunk->len;
    chunk->len = 0;
    return *len ? chunk->text : NULL;
}

int env_load(struct lua_host *host, const char *text, size_t len, const char *chunk_name) {
    struct chunk chunk = {text, len};
    return host->api.loadx(host->L, read_chunk, &chunk, chunk_name, "t");
}

/* The function gets an empty environment, so that its functions do not keep the libraries alive. */
void env_load_trusted(struct lua_host *host, const char *name, const char *chunk_name) {
    const struct embedded_text *e = embedded_lua;
    while (e->name && strcmp(e->name, name) != 0) e++;
    if (e->name && env_load(host, e->text, e->len, chunk_name) == 0) {
        host->api.createtable(host->L, 0, 0);
        host->api.setfenv(host->L, -2);
        return;
    }
    fault_set(&host->fault, LSCHED_E_CORRUPT, "the file %s of the host cannot be compiled", name);
    host_throw(host);
}

/* Empties the table of globals. LuaJIT's functions refer to the table of globals in which they were
 * made. When that table is empty, all functions that the prelude did not keep can be collected, and
 * code that finds an environment cannot reach them. */
static void clear_globals(struct lua_host *host) {
    const struct luajit_api *api = &host->api;
    lua_State *L = host->L;
    api->pushnil(L);
    while (api->next(L, LUA_GLOBALSINDEX)) {
        api->settop(L, -2);
        api->pushvalue(L, -1);
        api->pushnil(L);
        api->rawset(L, LUA_GLOBALSINDEX); /* setting an entry to nil does not disturb `next` */
    }
}

void env_build(struct lua_host *host) {
    const struct luajit_api *api = &host->api;
    lua_State *L = host->L;
    /* nearly all objects made here stay; the libraries are collected after the load */
    api->gc(L, LUA_GCSTOP, 0);
    open_library(host, api->open_base);
    open_library(host, api->open_string);
    open_library(host, api->open_math);
    env_load_trusted(host, "prelude", "=prelude");
    push_functions(host);
    api->pushvalue(L, LUA_GLOBALSINDEX);
    push_global(host, "string");
    push_global(host, "math");
    /* returns environment, params, build, metatable of frozen tables, install */
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
