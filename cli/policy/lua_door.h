/*
 * lua_door.h -- the program's own way to LuaJIT, for tests of policies: a table of functions,
 * filled when a test is about to run.
 *
 * Tests are Lua, but no policies: they loop, build tables and call back. So they run in a state of
 * the program, beside the library's, and not in its sandbox. The library is opened as libsched
 * does it (RTLD_LOCAL, so nothing else binds to it): lsched runs without LuaJIT, all but policies
 * and their tests. With LSCHED_LUAJIT_STATIC the table points to what was linked.
 *
 * lua.h gives types and constants; its macros that call functions must not be used.
 */
#ifndef LSCHED_CLI_LUA_DOOR_H
#define LSCHED_CLI_LUA_DOOR_H

#include <stddef.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#define LUA_DOOR_FUNCTIONS(X)                   \
    X(newstate, lua_newstate)                   \
    X(close, lua_close)                         \
    X(pcall, lua_pcall)                         \
    X(call, lua_call)                           \
    X(error, lua_error)                         \
    X(loadbuffer, luaL_loadbuffer)              \
    X(sethook, lua_sethook)                     \
    X(getstack, lua_getstack)                   \
    X(getinfo, lua_getinfo)                     \
    X(checkstack, lua_checkstack)               \
    X(gettop, lua_gettop)                       \
    X(settop, lua_settop)                       \
    X(insert, lua_insert)                       \
    X(pushvalue, lua_pushvalue)                 \
    X(type, lua_type)                           \
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
    X(setfield, lua_setfield)                   \
    X(rawset, lua_rawset)                       \
    X(rawgeti, lua_rawgeti)                     \
    X(rawseti, lua_rawseti)                     \
    X(open_base, luaopen_base)                  \
    X(open_math, luaopen_math)                  \
    X(open_string, luaopen_string)              \
    X(open_table, luaopen_table)

struct lua_door {
#define X(member, function) __typeof__(function) *member;
    LUA_DOOR_FUNCTIONS(X)
#undef X
    void *library; /* NULL where LuaJIT is linked */
};

/* Complains and returns EXIT_INTERNAL where there is no LuaJIT. */
int lua_door_open(struct lua_door *lua);
void lua_door_close(struct lua_door *lua);

#endif
