/*
 * lua_rewrite.h -- makes the text that Lua compiles from the text that a person wrote.
 *
 * Two things are added. Each `#x` becomes a call of a function (lua_length.h). Each piece of the
 * text (lua_charge.h) begins with a statement that subtracts its charge from the meter and, when
 * the meter falls below 0, calls the host. So the count of instructions depends on the text alone,
 * and is the same with LuaJIT and with PUC Lua. Line numbers stay the same.
 */
#ifndef LSCHED_LUA_REWRITE_H
#define LSCHED_LUA_REWRITE_H

#include "lua/front/lua_tree.h"

/* Makes the text: *out with *out_len bytes from the allocator of the tree. The caller frees *out
 * with a size of *out_len + 1. Returns LSCHED_OK or LSCHED_E_NOMEM; then *out is NULL. */
int32_t rewrite_text(const struct parse_tree *tree, char **out, size_t *out_len);

#endif
