/*
 * lua_doubts.h -- warns about expressions of a policy that always have the same value: a comparison
 * that never holds, the length of a value that is not a list. The policy loads and runs, so only a
 * warning can tell the author.
 *
 *   calendar.weekday(now) == 0     a number that the function never returns, or a text
 *   job.duration == nil            fields are never nil; labels can be nil and are not meant here
 *   #job                           an object that a hook gets has fields, but no elements
 *
 * The checks use the tree alone. A call or an object is recognized where it is written directly, or
 * through a local that is assigned once. An object is a parameter of a function that is the value
 * of a key in a table constructor, as hooks are. Uncertain cases give no warning. O(nodes) for all.
 */
#ifndef LSCHED_LUA_DOUBTS_H
#define LSCHED_LUA_DOUBTS_H

#include "lua/front/lua_parse.h"

/* As source_warning(): fills `text` and returns the next doubtful node after `node`. PARSE_NONE as
 * `node` means the beginning; as the result, the end. */
uint32_t doubts_next(const struct parse_tree *tree, uint32_t node, char *text, size_t cap);

#endif
