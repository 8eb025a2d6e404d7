/* policy_keys.c -- see policy_keys.h. */
#include "lua/front/policy_keys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "lua/front/lua_hook_kinds.h"
#include "lua/front/lua_lex.h"

static const char *const plain_keys[] = {"api",       "name",       "pipeline", "fair_share",
                                         "placement", "order",      "params",   "eviction",
                                         "usage",     "contention", "speeds"};
enum { PLAIN_KEYS = sizeof plain_keys / sizeof plain_keys[0] };

/* Keys of hooks that are planned but not implemented. A policy that uses such a key gets a message
 * that says so. */
static const char *const later_keys[] = {"lend_limit"};

int policy_keys_has(const char *key) {
    for (int i = 0; i < PLAIN_KEYS; i++)
        if (strcmp(plain_keys[i], key) == 0) return 1;
    for (int i = 0; i < POLICY_HOOKS; i++)
        if (strcmp(hook_kinds[i].name, key) == 0) return 1;
    return 0;
}

int32_t policy_keys_refuse(struct fault *fault, const char *key, size_t len) {
    struct suggest s;
    for (size_t i = 0; i < sizeof later_keys / sizeof later_keys[0]; i++)
        if (strcmp(later_keys[i], key) == 0)
            return fault_set(fault, LSCHED_E_UNSUPPORTED, "'%s' is not supported by this version",
                             key);
    suggest_begin(&s, key, len);
    for (int i = 0; i < PLAIN_KEYS; i++) suggest_offer(&s, plain_keys[i], strlen(plain_keys[i]));
    for (int i = 0; i < POLICY_HOOKS; i++)
        suggest_offer(&s, hook_kinds[i].name, strlen(hook_kinds[i].name));
    if (s.best)
        return fault_set(fault, LSCHED_E_KEY, "a policy has no '%.40s'; did you mean '%s'?", key,
                         s.best);
    char hooks[160] = "";
    size_t n = 0;
    for (int i = 0; i < POLICY_HOOKS && n < sizeof hooks; i++)
        n += (size_t)snprintf(hooks + n, sizeof hooks - n, "%s%s", i ? ", " : "",
                              hook_kinds[i].name);
    return fault_set(fault, LSCHED_E_KEY, "a policy has no '%.20s' outside params; hooks: %s", key,
                     hooks);
}

int policy_keys_is_word(const char *text, size_t len) {
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        int ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '-' || c == '_' || c == '.';
        if (!ok) return 0;
    }
    return len > 0;
}

void policy_keys_copy_name(char *out, size_t cap, const char *name) {
    size_t n = strlen(name), skip = n < cap ? 0 : n - cap + 1;
    while (name[skip] && ((unsigned char)name[skip] & 0xC0u) == 0x80u) skip++;
    memcpy(out, name + skip, n - skip + 1);
}

int32_t policy_keys_refuse_param(struct fault *fault, const struct suggest *s) {
    int shown = (int)(s->len < 40 ? s->len : 40);
    if (s->best)
        return fault_set(fault, LSCHED_E_KEY,
                         "the policy has no parameter '%.*s'; did you mean '%.*s'?", shown, s->text,
                         (int)s->best_len, s->best);
    return fault_set(fault, LSCHED_E_KEY, "the policy has no parameter '%.*s'", shown, s->text);
}

int policy_keys_is_true(lsched_text text) {
    return text.ptr && text.len == 4 && memcmp(text.ptr, "true", 4) == 0;
}

int policy_keys_takes(uint32_t type, const lsched_param *option) {
    const lsched_text *text = &option->text;
    switch (type) {
    case POLICY_PARAM_NUMBER: return !text->ptr && isfinite(option->number);
    case POLICY_PARAM_TEXT: return text->ptr && text->len <= LEX_STRING_BYTES_MAX;
    case POLICY_PARAM_BOOLEAN:
        return policy_keys_is_true(*text) ||
               (text->ptr && text->len == 5 && memcmp(text->ptr, "false", 5) == 0);
    default: return 0;
    }
}

int32_t policy_keys_refuse_value(struct fault *fault, uint32_t type, lsched_text key,
                                 const char *got) {
    const char *wanted = type == POLICY_PARAM_NUMBER ? "a finite number"
                         : type == POLICY_PARAM_TEXT ? "a string of at most 1024 bytes"
                                                     : "true or false";
    return fault_set(fault, LSCHED_E_TYPE, "the parameter '%.*s' must be %s, got %s",
                     (int)(key.len < 40 ? key.len : 40), key.ptr, wanted, got);
}

uint64_t policy_keys_param_hash(lsched_text key, uint32_t type, double number, lsched_text text) {
    uint64_t h = hash_bytes(key.ptr, (size_t)key.len, 1), word;
    switch (type) {
    case POLICY_PARAM_NUMBER: {
        double x = number + 0.0; /* -0 counts as 0 */
        memcpy(&word, &x, sizeof word);
        break;
    }
    case POLICY_PARAM_BOOLEAN: word = number != 0; break;
    default: word = hash_bytes(text.ptr, (size_t)text.len, 2);
    }
    return hash_mix(hash_mix(h, type), word);
}
