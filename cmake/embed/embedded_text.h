/*
 * embedded_text.h -- text files compiled into the library: the trusted Lua of the host
 * (lua/NAME.lua, table embedded_lua) and the ready-made policies (policies/NAME.lua without
 * NAME_test.lua, table embedded_policies).
 *
 * Entries are sorted by name; text ends in a zero byte that len does not count. A table also ends
 * in an entry whose name is NULL. A build without Lua has an empty text for each ready-made policy
 * with hooks. An embedded file needs no path at run time, so neither library
 * nor program looks for one.
 */
#ifndef LSCHED_EMBEDDED_TEXT_H
#define LSCHED_EMBEDDED_TEXT_H

#include <stddef.h>

struct embedded_text {
    const char *name; /* file name without directory and .lua */
    const char *text;
    size_t len;
};

extern const struct embedded_text embedded_lua[];
extern const size_t embedded_lua_n;
extern const struct embedded_text embedded_policies[];
extern const size_t embedded_policies_n;

#endif
