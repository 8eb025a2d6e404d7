/*
 * lua_cures.h -- what to write instead of what people bring from other languages and schedulers:
 * operators, keywords, names of globals, and other spellings of fields.
 *
 * The tables affect only the wording of errors: a valid text is never looked up here. All are
 * constants; where no entry fits, the message stays as it is.
 */
#ifndef LSCHED_LUA_CURES_H
#define LSCHED_LUA_CURES_H

#include "policy/policy.h"
#include "lua/front/lua_tokens.h"

enum { CURE_BYTES = 112 };

/* For the token at which the text stops making sense: "; Lua writes ~= for !=", or "". `what` is
 * the message so far. */
void cure_syntax(const struct tokens *t, const char *what, char out[CURE_BYTES]);

/* The field of the object that another spelling means: "submitTime" of a job is "submitted". NULL:
 * none. */
const char *cure_field(uint32_t object, const char *word, size_t len);
/* What to read instead of a field that no object of this kind has: "write node.labels.zone", or
 * "". */
void cure_no_field(uint32_t object, const char *word, size_t len, char out[CURE_BYTES]);

/* What to use instead of a global, or a function of a library, of other Lua or another language;
 * NULL: nothing is known. */
const char *cure_name(const char *word);

#endif
