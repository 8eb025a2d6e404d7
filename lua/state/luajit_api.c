/* luajit_api.c -- see luajit_api.h. */
#if !defined(LSCHED_LUAJIT_STATIC) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* needed for RTLD_DEEPBIND */
#endif
#include "lua/state/luajit_api.h"

#include "base/call_args.h"

#include <string.h>

static const char *read_text(lua_State *L, void *user, size_t *len) {
    struct luajit_text *text = user;
    (void)L;
    *len = text->len;
    text->len = 0;
    return *len ? text->text : NULL;
}

#if defined(LSCHED_LUA_PUC)

int luajit_load(const struct luajit_api *api, lua_State *L, struct luajit_text *text,
                const char *chunk_name) {
    static const char bytecode[] = "attempt to load chunk with wrong mode";
    if (text->len == 0 || text->text[0] != LUA_SIGNATURE[0])
        return api->load(L, read_text, text, chunk_name);
    api->pushlstring(L, bytecode, sizeof bytecode - 1);
    return LUA_ERRSYNTAX;
}

#else

int luajit_load(const struct luajit_api *api, lua_State *L, struct luajit_text *text,
                const char *chunk_name) {
    return api->loadx(L, read_text, text, chunk_name, "t");
}

#endif

#if defined(LSCHED_LUAJIT_STATIC)

void *luajit_hold(void) {
    static char linked;
    return &linked;
}

void luajit_release(void *held) {
    (void)held;
}

int32_t luajit_held(const void *held, lsched_error *err) {
    (void)held, (void)err;
    return LSCHED_OK;
}

int32_t luajit_open(struct luajit_api *api, struct fault *fault) {
    (void)fault;
#define X(member, function) api->member = function;
    LUAJIT_FUNCTIONS(X)
#undef X
    api->library = NULL;
    return LSCHED_OK;
}

void luajit_close(struct luajit_api *api) {
    (void)api;
}

#else

#include <dlfcn.h>

#ifndef RTLD_DEEPBIND
/* Without glibc there is no RTLD_DEEPBIND. An orchestrator that links another Lua must then build
 * libsched with LSCHED_LUAJIT_STATIC. */
#define RTLD_DEEPBIND 0
#endif

#if defined(LSCHED_LUA_PUC)
#define LUAJIT_NAME "PUC Lua 5.1 (Debian: liblua5.1-0)"
static const char luajit_library[] = "liblua5.1.so.0";
#else
#define LUAJIT_NAME "LuaJIT (Debian: libluajit-5.1-2)"
static const char luajit_library[] = "libluajit-5.1.so.2";
#endif

/* `slot` points to a function pointer. POSIX guarantees that a function pointer and dlsym's void
 * pointer have the same representation. */
static int luajit_find(void *library, const char *name, void *slot) {
    void *symbol = dlsym(library, name);
    memcpy(slot, &symbol, sizeof symbol);
    return symbol != NULL;
}

void *luajit_hold(void) {
    return dlopen(luajit_library, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
}

void luajit_release(void *held) {
    if (held) dlclose(held);
}

int32_t luajit_held(const void *held, lsched_error *err) {
    if (held) return LSCHED_OK;
    return fail(err, LSCHED_E_NOLUA,
                "policies and selectors in Lua need " LUAJIT_NAME
                ", and %s was not there when the cluster was created",
                luajit_library);
}

int32_t luajit_open(struct luajit_api *api, struct fault *fault) {
    api->library = luajit_hold();
    if (!api->library) {
        const char *why = dlerror();
        return fault_set(fault, LSCHED_E_NOLUA, "policies in Lua need " LUAJIT_NAME ": %s",
                         why ? why : luajit_library);
    }
    const char *missing = NULL;
#define X(member, function) \
    if (!luajit_find(api->library, #function, &api->member)) missing = #function;
    LUAJIT_FUNCTIONS(X)
#undef X
    if (!missing) return LSCHED_OK;
    luajit_close(api);
    return fault_set(fault, LSCHED_E_NOLUA, "%s has no function %s", luajit_library, missing);
}

void luajit_close(struct luajit_api *api) {
    if (api->library) dlclose(api->library);
    api->library = NULL;
}

#endif
