/*
 * lua_cures.h -- hints for error messages: what to write in Lua, or in a policy, instead of
 * operators, keywords, names of globals and spellings of fields from other languages and
 * schedulers.
 *
 * The tables affect only the wording of error messages; no function of this header is called for a
 * text without errors. All tables are constant. If no entry fits, the message gets no hint.
 */
#ifndef LSCHED_LUA_CURES_H
#define LSCHED_LUA_CURES_H

#include "policy/policy.h"
#include "lua/front/lua_tokens.h"

enum { CURE_BYTES = 112 };

/* Writes a hint for the token at which the syntax error was found, such as "; Lua writes ~= for
 * !=", or "" if there is no hint. `what` is the error message without the hint. */
void cure_syntax(const struct tokens *t, const char *what, char out[CURE_BYTES]);

/* Returns the field that another spelling means: for a job, "submitTime" means "submitted". Returns
 * NULL if the spelling is unknown. */
const char *cure_field(uint32_t object, const char *word, size_t len);
/* Writes a hint for a field that no object of this sort has, such as "; a label is
 * node.labels.zone", or "" if there is no hint. `object` is an enum policy_object. */
void cure_no_field(uint32_t object, const char *word, size_t len, char out[CURE_BYTES]);

/* Returns a hint for a message of the compiler about a text that is too large for its bytecode,
 * such as "function at line 3 has more than 60 upvalues". Returns NULL if there is no hint. */
const char *cure_compile(const char *message);

/* Returns a hint for the name of a global or of a library function that exists in other Lua
 * versions or in other languages. Returns NULL if there is no hint. */
const char *cure_name(const char *word);

#endif
