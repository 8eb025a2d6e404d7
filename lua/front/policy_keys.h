/*
 * policy_keys.h -- the names that the table of a policy can have: its plain keys and its hooks.
 *
 * Both readers of policies use the lists and the messages of this file: lua/host reads a policy
 * from a Lua state, and lua/plain reads it from the syntax tree. All tables are constant. A lookup
 * compares the name with at most POLICY_HOOKS + 9 names.
 */
#ifndef LSCHED_POLICY_KEYS_H
#define LSCHED_POLICY_KEYS_H

#include "base/suggest.h"
#include "lua/front/lua_fault.h"

/* True if `key` is a plain key or the name of a hook. The text ends with NUL. */
int policy_keys_has(const char *key);
/* Records that the table of a policy has an unknown key, with the name that was possibly meant.
 * Returns the code of the fault: LSCHED_E_KEY, or LSCHED_E_UNSUPPORTED for a planned hook. */
int32_t policy_keys_refuse(struct fault *fault, const char *key, size_t len);
/* True if the text has the form of an algorithm's name: letters, digits, '-', '_' and '.'. */
int policy_keys_is_word(const char *text, size_t len);
/* Copies the name of a policy. If the name is too long, its beginning is dropped, because the name
 * can be a path, and the end of a path says more than its beginning. */
void policy_keys_copy_name(char *out, size_t cap, const char *name);
/* Returns what one parameter adds to the hash of a policy. The parameters have no order, so the
 * caller adds the results up. `type` tells equal bytes of different types apart: PARAM_*. */
enum { POLICY_PARAM_BOOLEAN = 1, POLICY_PARAM_NUMBER = 3, POLICY_PARAM_TEXT = 4 };
uint64_t policy_keys_param_hash(lsched_text key, uint32_t type, double number, lsched_text text);

/* An option replaces the value of a parameter by another value of the same type. An option with a
 * text is for a parameter that is a text or a truth. */
/* True if the option has a value for a parameter of this type. */
int policy_keys_takes(uint32_t type, const lsched_param *option);
/* True if the text is "true". */
int policy_keys_is_true(lsched_text text);
/* Each of the two functions records why an option is refused, and returns the code. `s` has the
 * unknown name, and has been offered the names of all parameters. `got` describes the value. */
int32_t policy_keys_refuse_param(struct fault *fault, const struct suggest *s);
int32_t policy_keys_refuse_value(struct fault *fault, uint32_t type, lsched_text key,
                                 const char *got);

#endif
