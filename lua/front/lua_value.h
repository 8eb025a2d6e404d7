/*
 * lua_value.h -- what a value is called in a message: "the string '30s'", "-1", "nothing". With the
 * value itself, because "must be a number, got a string" leaves the reader to search for it.
 */
#ifndef LSCHED_LUA_VALUE_H
#define LSCHED_LUA_VALUE_H

#include "lua/front/lua_host.h"

enum { VALUE_SHOWN_BYTES = 40 }; /* of a string */

struct value_text {
    char text[VALUE_SHOWN_BYTES + 24];
};

/* Inside of a protected call: writing a number allocates. Leaves the stack as it was. */
struct value_text value_describe(struct lua_host *host, int index);

#endif
