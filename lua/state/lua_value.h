/*
 * lua_value.h -- describes a Lua value for a message, such as "the string '30s'", "-1" or
 * "nothing". The text shows the value itself and not only its type, so that the author can find the
 * value in the policy.
 */
#ifndef LSCHED_LUA_VALUE_H
#define LSCHED_LUA_VALUE_H

#include "lua/state/lua_host.h"

enum { VALUE_SHOWN_BYTES = 40 }; /* maximum number of bytes of a string that are shown */

struct value_text {
    char text[VALUE_SHOWN_BYTES + 24];
};

/* Describes the value at this stack index. Must be called inside a protected call, because
 * converting a number to text allocates. The function does not change the stack. */
struct value_text value_describe(struct lua_host *host, int index);
/* Looks for keys that are not strings in the table at this stack index. Returns the Lua type of
 * such a key, or LUA_TSTRING if all keys are strings. If the keys have several other types, it
 * returns the type with the smallest number, because a Lua table has no order of keys. */
int value_odd_key(struct lua_host *host, int table);

#endif
