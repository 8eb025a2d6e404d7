/*
 * lua_value.h -- describes a Lua value in a message: "the string '30s'", "-1", "nothing". The text
 * shows the value itself, because "must be a number, got a string" would leave the author to search
 * for it.
 */
#ifndef LSCHED_LUA_VALUE_H
#define LSCHED_LUA_VALUE_H

#include "lua/front/lua_host.h"

enum { VALUE_SHOWN_BYTES = 40 }; /* bytes of a string that are shown */

struct value_text {
    char text[VALUE_SHOWN_BYTES + 24];
};

/* Describes the value at this stack index. Must be called inside a protected call, because writing
 * a number allocates. Leaves the stack as it was. */
struct value_text value_describe(struct lua_host *host, int index);

#endif
