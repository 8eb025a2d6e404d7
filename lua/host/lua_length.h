/*
 * lua_length.h -- the operator `#`, the same in every process.
 *
 * Where a list has holes Lua lets `#` be any of its borders. Which one LuaJIT finds depends on how
 * the table's memory grew, that on which keys collided, and that on a seed that every process draws
 * anew: two replicas of a scheduler would decide differently. So the text that LuaJIT compiles has
 * `#x` written as a call of a function that looks at the contents only; the lines stay. The
 * obvious other way, to forbid holes, would have to watch every assignment.
 */
#ifndef LSCHED_LUA_LENGTH_H
#define LSCHED_LUA_LENGTH_H

#include "lua/front/lua_host.h"
#include "lua/front/lua_parse.h"

/* In the environment. No text can name it: the lexer refuses the byte. */
#define LENGTH_NAME "\xff"

/* A border of the table at a positive stack index: t[n] is there and t[n + 1] is not, or 0. That of
 * every list without holes; O(log n). */
size_t list_length(struct lua_host *host, int index);

/* The text for LuaJIT: *out and its *out_len bytes from the allocator of the tree, to be freed with
 * one byte more; NULL where the text has no `#`. LSCHED_OK or LSCHED_E_NOMEM. */
int32_t length_rewrite(const struct parse_tree *tree, char **out, size_t *out_len);

#endif
