/*
 * lua_doubts.h -- expressions of a policy that have one value whatever happens: a comparison that
 * never holds, the length of what is no list. They load and run, so only a warning can tell the
 * author.
 *
 *   calendar.weekday(now) == 0     a number outside of what the function gives, or a text
 *   job.duration == nil            fields are never nil; labels, which may be, are not meant
 *   #job                           what a hook is given has fields, and no elements
 *
 * From the tree alone: a call or an object is known where it stands there, or through a local that
 * is assigned once; an object is the parameter of a function that stands in a table under its key,
 * as hooks do. What is not known gets no word. O(nodes) for all.
 */
#ifndef LSCHED_LUA_DOUBTS_H
#define LSCHED_LUA_DOUBTS_H

#include "lua/front/lua_parse.h"

/* As source_warning(): fills text and returns the next after `node`, PARSE_NONE: at the beginning,
 * or none. */
uint32_t doubts_next(const struct parse_tree *tree, uint32_t node, char *text, size_t cap);

#endif
