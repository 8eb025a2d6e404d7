/*
 * lua_length.h -- makes the operator `#` give the same result in every process.
 *
 * A border of a list is an index n for which t[n] is not nil and t[n + 1] is nil. If a list has nil
 * entries in between, it has several borders, and Lua allows `#` to return any one of them. The
 * border that LuaJIT finds depends on a hash seed that every process draws at random. Therefore two
 * replicas of a scheduler would decide differently. To prevent this, the text that LuaJIT compiles
 * has a function call in place of `#x` (lua_rewrite.h). The function looks only at the content of
 * the list. Line numbers stay the same. To forbid nil entries inside lists would be the obvious
 * other way, but it would need a check of every assignment.
 */
#ifndef LSCHED_LUA_LENGTH_H
#define LSCHED_LUA_LENGTH_H

#include "lua/host/lua_functions.h"

/* Name of the length function in the environment. Policy text cannot use this name, because the
 * lexer refuses names that begin so. */
#define LENGTH_NAME "__lsched_length"

/* Returns a border of the table at a positive stack index: an n for which t[n] is not nil and t[n +
 * 1] is nil, or 0 if t[1] is nil. For a list without nil entries in between, the border is the
 * list's length. O(log n). */
size_t list_length(struct lua_host *host, int index);

extern const struct env_function length_functions[];

#endif
