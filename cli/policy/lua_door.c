/* lua_door.c -- see lua_door.h. */
#if !defined(LSCHED_LUAJIT_STATIC) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* needed for RTLD_DEEPBIND */
#endif
#include "cli/policy/lua_door.h"

#include <stdbool.h>
#include <string.h>

#include "cli/support/cli_errors.h"

#if defined(LSCHED_LUAJIT_STATIC)

int lua_door_open(struct lua_door *lua) {
#define X(member, function) lua->member = function;
    LUA_DOOR_FUNCTIONS(X)
#undef X
    lua->library = NULL;
    return EXIT_OK;
}

void lua_door_close(struct lua_door *lua) {
    (void)lua;
}

#else

#include <dlfcn.h>

#ifndef RTLD_DEEPBIND
#define RTLD_DEEPBIND 0 /* only glibc has this flag */
#endif

#if defined(LSCHED_LUA_PUC)
#define LUA_NAME "PUC Lua 5.1 (Debian: liblua5.1-0)"
static const char library_name[] = "liblua5.1.so.0";
#else
#define LUA_NAME "LuaJIT (Debian: libluajit-5.1-2)"
static const char library_name[] = "libluajit-5.1.so.2";
#endif

/* Writes the address of a function to the function pointer at `slot`. The bytes are copied, because
 * C does not convert the result of dlsym to a function pointer, but POSIX says that both have the
 * same form. */
static bool find(void *library, const char *name, void *slot) {
    void *symbol = dlsym(library, name);
    memcpy(slot, &symbol, sizeof symbol);
    return symbol != NULL;
}

int lua_door_open(struct lua_door *lua) {
    const char *missing = NULL;
    lua->library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (lua->library == NULL) {
        complain("policies and their tests need " LUA_NAME ": %s", dlerror());
        return EXIT_INTERNAL;
    }
#define X(member, function) \
    if (!find(lua->library, #function, &lua->member)) missing = #function;
    LUA_DOOR_FUNCTIONS(X)
#undef X
    if (missing == NULL) return EXIT_OK;
    complain("%s has no function %s", library_name, missing);
    lua_door_close(lua);
    return EXIT_INTERNAL;
}

void lua_door_close(struct lua_door *lua) {
    if (lua->library != NULL) dlclose(lua->library);
    lua->library = NULL;
}

#endif
