/*
 * lua_parse.h -- builds the tree of a policy text (lua_tree.h) from its tokens. It refuses
 * everything that LuaJIT's grammar refuses, with the same messages. The time is O(n), except that
 * each name is searched among the locals in scope.
 */
#ifndef LSCHED_LUA_PARSE_H
#define LSCHED_LUA_PARSE_H

#include "lua/front/lua_fault.h"
#include "lua/front/lua_tree.h"

/* Builds the tree. On an error (LSCHED_E_SYNTAX, _LIMIT, _NOMEM), *fault holds text, line and
 * column, and the tree holds no memory. Bytecode and the operator `^` are errors, too. */
int32_t parse_text(struct parse_tree *tree, struct alloc *alloc, const char *text, size_t len,
                   struct fault *fault);

#endif
