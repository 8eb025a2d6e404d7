/*
 * lua_library.h -- loads the trusted library files (lua/library_*.lua) that a policy text needs,
 * and has the C functions for parsing units and for describing values in messages that these files
 * use.
 *
 * A library is compiled only if its name occurs in the text. The search for the name's bytes is
 * enough, because policy text can only reach a global by writing its name: there is no _G, no load,
 * and names have no escapes. If the name occurs only in a comment, the library is compiled in vain,
 * which costs some 30 us at load and nothing later. Libraries are loaded with the policy and not at
 * first use, so that instruction counts depend on the text alone.
 */
#ifndef LSCHED_LUA_LIBRARY_H
#define LSCHED_LUA_LIBRARY_H

#include "lua/host/lua_functions.h"

/* Returns the name of library file number i (from 0): the part of its file name after "library_".
 * Returns NULL after the last library file. */
const char *library_name(uint32_t i);
/* In host_run only: loads the libraries whose names occur in the policy text. */
void library_install(struct lua_host *host);
extern const struct env_function library_functions[];

#endif
