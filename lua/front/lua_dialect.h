/*
 * lua_dialect.h -- what a policy text may contain that LuaJIT understands and PUC Lua 5.1 does not.
 *
 * The parser reads the grammar of LuaJIT in every build. In a build with PUC Lua
 * (LSCHED_LUA=puc51), such a text is refused here, with the position and the cure; without this
 * check, PUC Lua would refuse it with a message that does not say why.
 */
#ifndef LSCHED_LUA_DIALECT_H
#define LSCHED_LUA_DIALECT_H

#include "lua/front/lua_fault.h"
#include "lua/front/lua_tree.h"

/* Returns LSCHED_OK, or LSCHED_E_SYNTAX and the fault for the first part of the text that PUC Lua
 * 5.1 does not understand: `goto` and labels, names with letters beyond ASCII, the escapes \x, \z
 * and \u. O(n). */
int32_t dialect_check(const struct parse_tree *tree, struct fault *fault);

#endif
