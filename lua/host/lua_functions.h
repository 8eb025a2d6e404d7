/*
 * lua_functions.h -- the C functions that compute something for policy text; internal to lua/.
 *
 * Each function checks the types of its arguments; for example, a string is not accepted as a
 * number. The running time of a function is bounded, because strings have a maximum length.
 * LuaJIT's instruction count does not include work in C, so each function charges its own work.
 * Results depend on the arguments only: the functions use no locale, no addresses and no libm.
 */
#ifndef LSCHED_LUA_FUNCTIONS_H
#define LSCHED_LUA_FUNCTIONS_H

#include "lua/state/lua_host.h"

struct env_function {
    const char *name;
    lua_CFunction function;
};
/* C functions for policy text; the last entry has the name NULL */
extern const struct env_function env_functions[];

/* Pushes and returns the text of the value at this stack index, with its length in *len. A number,
 * a boolean or a string is converted to text; any other value gives the name of its type. The text
 * never contains an address. */
const char *push_shown(struct lua_host *host, int index, size_t *len);

#endif
