/*
 * lua_env.h -- builds the global environment of policy text. LuaJIT's libraries are opened, the
 * prelude (lua/prelude.lua) keeps the functions that it names, and all other functions become
 * garbage. This module also has the C functions of the environment that look up a name or refuse an
 * access. The C functions that compute a value are in lua_functions.c. No C function calls back
 * into Lua, because LuaJIT does not bound the C stack.
 */
#ifndef LSCHED_LUA_ENV_H
#define LSCHED_LUA_ENV_H

#include "lua/state/lua_host.h"

/* In host_run only: builds the global environment of policy text. After the call, policy text can
 * only reach the functions and tables of this environment. */
void env_build(struct lua_host *host);

/* Compiles Lua source text (bytecode is refused) and pushes the compiled function. On an error it
 * pushes LuaJIT's message instead. Returns LuaJIT's status, 0 on success. */
int env_load(struct lua_host *host, const char *text, size_t len, const char *chunk_name);
/* In host_run only: compiles the embedded file lua/NAME.lua and pushes it as a function that sees
 * no globals. */
void env_load_trusted(struct lua_host *host, const char *name, const char *chunk_name);

#endif
