/*
 * lua_cures.h -- hints for error messages: what to write in Lua, or in a policy, instead of
 * operators, keywords, names of globals and spellings of fields from other languages and
 * schedulers.
 *
 * The tables affect only the wording of errors: a valid text is never looked up here. All tables
 * are constant. If no entry fits, the message gets no hint.
 */
#ifndef LSCHED_LUA_CURES_H
#define LSCHED_LUA_CURES_H

#include "policy/policy.h"
#include "lua/front/lua_tokens.h"

enum { CURE_BYTES = 112 };

/* Writes a hint for the token at which the syntax error was found: "; Lua writes ~= for !=", or "".
 * `what` is the message so far. */
void cure_syntax(const struct tokens *t, const char *what, char out[CURE_BYTES]);

/* Returns the field of the object that another spelling means: for a job, "submitTime" means
 * "submitted". NULL: none. */
const char *cure_field(uint32_t object, const char *word, size_t len);
/* Writes a hint for a field that no object of this kind has: "write node.labels.zone", or "". */
void cure_no_field(uint32_t object, const char *word, size_t len, char out[CURE_BYTES]);

/* Returns a hint for a global, or a function of a library, that exists in other Lua versions or in
 * another language; NULL: no hint. */
const char *cure_name(const char *word);

#endif
