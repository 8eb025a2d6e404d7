/*
 * lua_door.h -- the table of LuaJIT functions that the program uses for tests of policies. The
 * table is filled when a test is about to run.
 *
 * Tests are written in Lua, but they are not policies: they loop, build tables and call back.
 * Therefore they run in a separate Lua state of the program, outside the library's sandbox. LuaJIT
 * is opened as libsched opens it (RTLD_LOCAL, so that no other code binds to it). Without LuaJIT,
 * lsched still does everything except policies and their tests. With LSCHED_LUAJIT_STATIC the
 * table points to the linked functions.
 *
 * lua.h is used for types and constants; its macros that call functions must not be used.
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
    void *library; /* NULL if LuaJIT is linked */
};

/* Fills the table. Reports an error and returns EXIT_INTERNAL if there is no LuaJIT. */
int lua_door_open(struct lua_door *lua);
void lua_door_close(struct lua_door *lua);

#endif
