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

#include "lua/front/lua_host.h"

struct env_function {
    const char *name;
    lua_CFunction function;
};
/* Each ends in a NULL name. */
extern const struct env_function env_functions[], library_functions[], log_functions[],
    length_functions[];

/* Pushes the text of a number, a boolean or a string; of anything else its type. No address. */
const char *push_shown(struct lua_host *host, int index, size_t *len);

/* Compiles text (never bytecode) and pushes the function, or pushes a message and returns
 * LuaJIT's status. */
int env_load(struct lua_host *host, const char *text, size_t len, const char *chunk_name);
/* In host_run only: pushes lua/NAME.lua as a function that sees no globals. */
void env_load_trusted(struct lua_host *host, const char *name, const char *chunk_name);

/* lua_library.c: what follows library_ in the names of the files; NULL after the last. */
const char *library_name(uint32_t i);
void library_install(struct lua_host *host);

#endif
