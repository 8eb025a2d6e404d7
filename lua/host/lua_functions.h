/*
 * lua_functions.h -- the C functions that compute something for policy text; internal to lua/.
 *
 * Each function checks its arguments strictly (a string is not accepted as a number). The length of
 * strings bounds its time, and it charges the work that the instruction count does not include.
 * Results depend on the arguments only: no locale, no addresses, no libm.
 */
#ifndef LSCHED_LUA_FUNCTIONS_H
#define LSCHED_LUA_FUNCTIONS_H

#include "lua/front/lua_host.h"

struct env_function {
    const char *name;
    lua_CFunction function;
};
/* Tables of functions; each ends with a NULL name. */
extern const struct env_function env_functions[], library_functions[], log_functions[],
    length_functions[];

/* Pushes the text of a number, a boolean or a string; for other values, the name of their type. The
 * text never contains an address. */
const char *push_shown(struct lua_host *host, int index, size_t *len);

/* Compiles text (never bytecode) and pushes the function, or pushes a message and returns
 * LuaJIT's status. */
int env_load(struct lua_host *host, const char *text, size_t len, const char *chunk_name);
/* In host_run only: pushes lua/NAME.lua as a function that sees no globals. */
void env_load_trusted(struct lua_host *host, const char *name, const char *chunk_name);

/* lua_library.c: returns the part of the file name after library_ of library file i; NULL after the
 * last one. */
const char *library_name(uint32_t i);
void library_install(struct lua_host *host);

#endif
