/*
 * lua_length.h -- makes the operator `#` give the same result in every process.
 *
 * If a list has holes, Lua allows `#` to return any of its borders. The border that LuaJIT finds
 * depends on how the table's memory grew, and therefore on which keys collided, and therefore on a
 * seed that every process draws at random: two replicas of a scheduler would decide differently.
 * Therefore, in the text that LuaJIT compiles, `#x` is replaced by a call of a function that looks
 * at the content of the list only; line numbers stay the same. The obvious other way, to forbid
 * holes, would have to check every assignment.
 */
#ifndef LSCHED_LUA_LENGTH_H
#define LSCHED_LUA_LENGTH_H

#include "lua/front/lua_host.h"
#include "lua/front/lua_parse.h"

/* The function's name in the environment. Policy text cannot use this name, because the lexer
 * refuses the byte. */
#define LENGTH_NAME "\xff"

/* Returns a border of the table at a positive stack index: an n for which t[n] is not nil and t[n +
 * 1] is, or 0. For a list without holes this is its length. O(log n). */
size_t list_length(struct lua_host *host, int index);

/* Makes the text for LuaJIT: *out with *out_len bytes from the allocator of the tree; the caller
 * frees it with a size of *out_len + 1. *out is NULL if the text has no `#`. Returns LSCHED_OK or
 * LSCHED_E_NOMEM. */
int32_t length_rewrite(const struct parse_tree *tree, char **out, size_t *out_len);

#endif
