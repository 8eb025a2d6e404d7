/*
 * lua_doubts.h -- warns about expressions of a policy that always have the same value: a comparison
 * that never holds, or the length of a value that is not a list. The policy loads and runs, so only
 * a warning can tell the author.
 *
 *   calendar.weekday(now) == 0     a number that the function never returns, or a text
 *   job.duration == nil            fields are never nil (labels can be nil and cause no warning)
 *   #job                           an object that a hook gets has fields, but no elements
 *
 * The checks use the syntax tree alone. A call or an object is recognized if it is written directly
 * in the expression, or if the expression names a local that is assigned once. An object is a
 * parameter of a function that is the value of a key in a table constructor, because hooks are
 * written in this way. Uncertain cases give no warning. One walk over all warnings costs O(nodes of
 * the tree).
 */
#ifndef LSCHED_LUA_DOUBTS_H
#define LSCHED_LUA_DOUBTS_H

#include "lua/front/lua_fault.h"
#include "lua/front/lua_tree.h"

/* Fills `text` with the next warning after `node` and returns the node of the warning. To get the
 * first warning, pass PARSE_NONE. Returns PARSE_NONE if there are no more warnings.
 * source_warning() works in the same way. */
uint32_t doubts_next(const struct parse_tree *tree, uint32_t node, char *text, size_t cap);

#endif
