/*
 * policy_settings.h -- the settings of a policy's tables `eviction` and `usage`: names, ranges,
 * words and where struct policy_desc keeps each value.
 *
 * Both readers of policies use these tables: lua/host reads a policy from a Lua state, and
 * lua/plain reads it from the syntax tree. Seconds become microseconds and factors become
 * thousandths, rounded to nearest. A value whose meaning the rounding would change is refused as
 * out of range: for example, a half-life of a nanosecond would become 0, which means "none". All
 * tables are constant.
 */
#ifndef LSCHED_POLICY_SETTINGS_H
#define LSCHED_POLICY_SETTINGS_H

#include "lua/front/lua_fault.h"
#include "policy/policy.h"

enum { SETTINGS = 2 };

enum setting_type {
    SETTING_SECONDS, /* int64_t, microseconds */
    SETTING_PERIOD,  /* int64_t, microseconds; at least one second, or 0 for none */
    SETTING_FACTOR,  /* int64_t, thousandths */
    SETTING_COUNT,   /* uint32_t */
    SETTING_RATE,    /* uint64_t */
    SETTING_WORD     /* uint32_t, index in `words` */
};

struct setting {
    const char *name;
    enum setting_type type;
    double least, most;
    size_t offset;            /* offset in struct policy_desc */
    const char *const *words; /* SETTING_WORD: the allowed words, NULL after the last one */
};

struct settings {
    const char *key;     /* key of the policy's table: "eviction" or "usage" */
    const char *example; /* a value, for messages */
    const struct setting *list;
    uint32_t n;
};
extern const struct settings policy_settings[SETTINGS];

/* Returns the setting of this name, NULL if there is none. `name` need not end with NUL. */
const struct setting *policy_settings_find(const struct settings *t, const char *name, size_t len);
/* True if the number is allowed. */
int policy_settings_accept(const struct setting *s, double x);
/* Returns the index of the word, UINT32_MAX if the setting does not know it. */
uint32_t policy_settings_word(const struct setting *s, const char *word, size_t len);
/* Stores a number that policy_settings_accept accepts, or the index of a word. */
void policy_settings_store(struct policy_desc *desc, const struct setting *s, double x);

/* Each of these functions records why a table is refused, and returns the code. `got` describes the
 * value. `word` is NULL if the value is not a text. */
int32_t policy_settings_refuse_name(struct fault *fault, const struct settings *t,
                                    const char *name);
int32_t policy_settings_refuse_word(struct fault *fault, const struct settings *t,
                                    const struct setting *s, const char *word, size_t len,
                                    const char *got);
int32_t policy_settings_refuse_number(struct fault *fault, const struct settings *t,
                                      const struct setting *s, int is_number, const char *got);

#endif
