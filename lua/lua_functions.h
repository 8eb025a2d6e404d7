/*
 * lua_functions.h -- the C functions that policy text calls and that compute something; internal to
 * lua/.
 *
 * Each checks its arguments strictly (a string is no number here), is bounded by the length of
 * strings, and charges what the count of instructions does not see. Results depend on arguments
 * only: no locale, no addresses, no libm.
 */
#ifndef LSCHED_LUA_FUNCTIONS_H
#define LSCHED_LUA_FUNCTIONS_H

#include "lua/lua_host.h"

struct env_function {
    const char *name;
    lua_CFunction function;
};
extern const struct env_function env_functions[]; /* ends in a NULL name */

/* Compiles text (never bytecode) and pushes the function, or pushes a message and returns
 * LuaJIT's status. */
int env_load(struct lua_host *host, const char *text, size_t len, const char *chunk_name);

#endif
