/*
 * luajit_api.h -- the only access to LuaJIT: a table of function pointers, filled when a policy is
 * loaded. In a build with LSCHED_LUA=puc51 (macro LSCHED_LUA_PUC), the functions are those of PUC
 * Lua 5.1. All that differs between the two is in this file, in lua_dialect.h and in the allocator
 * of lua_host.c; comments that speak of LuaJIT hold for both unless they say otherwise.
 *
 * LuaJIT is opened with RTLD_LOCAL and RTLD_DEEPBIND, so neither libsched nor LuaJIT itself can
 * bind to the lua_* functions of another Lua that the orchestrator has linked (Slurm loads PUC Lua
 * globally). A system without LuaJIT can use all of libsched except policies and selectors in Lua.
 * With LSCHED_LUAJIT_STATIC (for static programs, and for sanitizers, which refuse DEEPBIND), the
 * table points to the linked functions. There is no global variable: each policy has its own table,
 * and the dynamic linker counts how often LuaJIT is open.
 *
 * lua.h is included for types and constants only. Its macros that call functions (lua_pop ...) must
 * not be used.
 */
#ifndef LSCHED_LUAJIT_API_H
#define LSCHED_LUAJIT_API_H

#include <lua.h>
#include <lualib.h>

#include "lua/front/lua_fault.h"
#include "lua/state/luajit_hold.h"

#if defined(LSCHED_LUA_PUC)
/* The chunk has to be text: luajit_load checks this, because lua_load also takes bytecode. */
#define LUAJIT_LOADERS(X) \
    X(load, lua_load)     \
    X(concat, lua_concat) \
    X(isnumber, lua_isnumber)
#else
#define LUAJIT_LOADERS(X) X(loadx, lua_loadx)
#endif

#define LUAJIT_FUNCTIONS(X)                     \
    X(newstate, lua_newstate)                   \
    X(close, lua_close)                         \
    X(cpcall, lua_cpcall)                       \
    X(pcall, lua_pcall)                         \
    X(call, lua_call)                           \
    X(error, lua_error)                         \
    LUAJIT_LOADERS(X)                           \
    X(gc, lua_gc)                               \
    X(getstack, lua_getstack)                   \
    X(getinfo, lua_getinfo)                     \
    X(getupvalue, lua_getupvalue)               \
    X(gettop, lua_gettop)                       \
    X(settop, lua_settop)                       \
    X(pushvalue, lua_pushvalue)                 \
    X(replace, lua_replace)                     \
    X(type, lua_type)                           \
    X(typename, lua_typename)                   \
    X(iscfunction, lua_iscfunction)             \
    X(tonumber, lua_tonumber)                   \
    X(toboolean, lua_toboolean)                 \
    X(tolstring, lua_tolstring)                 \
    X(touserdata, lua_touserdata)               \
    X(pushnil, lua_pushnil)                     \
    X(pushnumber, lua_pushnumber)               \
    X(pushboolean, lua_pushboolean)             \
    X(pushlstring, lua_pushlstring)             \
    X(pushcclosure, lua_pushcclosure)           \
    X(pushlightuserdata, lua_pushlightuserdata) \
    X(createtable, lua_createtable)             \
    X(newuserdata, lua_newuserdata)             \
    X(objlen, lua_objlen)                       \
    X(next, lua_next)                           \
    X(rawget, lua_rawget)                       \
    X(rawequal, lua_rawequal)                   \
    X(rawset, lua_rawset)                       \
    X(rawgeti, lua_rawgeti)                     \
    X(rawseti, lua_rawseti)                     \
    X(getmetatable, lua_getmetatable)           \
    X(setmetatable, lua_setmetatable)           \
    X(setfenv, lua_setfenv)                     \
    X(open_base, luaopen_base)                  \
    X(open_math, luaopen_math)                  \
    X(open_string, luaopen_string)

struct luajit_api {
#define X(member, function) __typeof__(function) *member;
    LUAJIT_FUNCTIONS(X)
#undef X
    void *library; /* NULL if LuaJIT is linked statically */
};

/* Fills the table of functions. Returns LSCHED_OK or LSCHED_E_NOLUA. While luajit_hold keeps LuaJIT
 * open, the functions are those of the same library. */
int32_t luajit_open(struct luajit_api *api, struct fault *fault);
void luajit_close(struct luajit_api *api);

struct luajit_text {
    const char *text;
    size_t len;
};

/* Compiles a text, never bytecode, and pushes the function, or an error message. Returns 0 or an
 * error code of Lua. The function changes *text. */
int luajit_load(const struct luajit_api *api, lua_State *L, struct luajit_text *text,
                const char *chunk_name);

#endif
