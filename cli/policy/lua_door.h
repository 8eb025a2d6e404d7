/*
 * lua_door.h -- a table with the functions of LuaJIT that run the tests of policies. The program
 * loads LuaJIT when it runs the first test.
 *
 * Tests are written in Lua, but are not allowed to run in the library's sandbox, because they use
 * loops, build tables and call functions of the program. Therefore they run in a separate Lua state
 * of the program. LuaJIT is opened with RTLD_LOCAL, as the library does it, so that no other code
 * uses its symbols. On a machine without LuaJIT, lsched does everything except policies and their
 * tests. In builds with LSCHED_LUAJIT_STATIC, LuaJIT is linked into the program, and the table
 * points to the linked functions.
 *
 * The types and constants come from lua.h. Code must not use the macros of lua.h that call
 * functions, because these functions are not linked.
 */
#ifndef LSCHED_CLI_LUA_DOOR_H
#define LSCHED_CLI_LUA_DOOR_H

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
    void *library; /* handle from dlopen; NULL if LuaJIT is linked into the program */
};

/* Loads LuaJIT and fills the table. If LuaJIT is not installed, reports an error and returns
 * EXIT_INTERNAL; otherwise returns EXIT_OK. */
int lua_door_open(struct lua_door *lua);
void lua_door_close(struct lua_door *lua);

#endif
