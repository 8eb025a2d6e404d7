/* policy_settings.c -- see policy_settings.h. */
#include "lua/front/policy_settings.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"

#define SETTING_YEARS_10 315360000.0 /* ten years in seconds */

static const char *const protections[] = {"path", "divergence", NULL};
static const char *const victims[] = {"cheapest", "newest", "fewest", NULL};
static const char *const collisions[] = {"wait", "evict", "swap", NULL};

#define EVICTION(member) offsetof(struct policy_desc, eviction.member)
static const struct setting eviction_list[] = {
    {"release_seconds", SETTING_SECONDS, 0, SETTING_YEARS_10, EVICTION(release_us), NULL},
    {"grace_seconds", SETTING_SECONDS, 0, SETTING_YEARS_10, EVICTION(grace_us), NULL},
    {"per_hour", SETTING_RATE, 0, 1e9, EVICTION(per_hour), NULL},
    {"moves_max", SETTING_COUNT, 0, 1e6, EVICTION(moves_max), NULL},
    {"protection", SETTING_WORD, 0, 0, EVICTION(protection), protections},
    {"victims", SETTING_WORD, 0, 0, EVICTION(victims), victims},
    {"collision", SETTING_WORD, 0, 0, EVICTION(collision), collisions},
    {"saturation", SETTING_FACTOR, 1, 1000, EVICTION(saturation_milli), NULL},
    {"preemption_delay_seconds", SETTING_SECONDS, 0, SETTING_YEARS_10,
     EVICTION(preemption_delay_us), NULL},
    {"stale_grace_seconds", SETTING_SECONDS, 0, SETTING_YEARS_10, EVICTION(stale_grace_us), NULL},
};

#define USAGE(member) offsetof(struct policy_desc, usage_##member)
static const struct setting usage_settings[] = {
    {"half_life", SETTING_PERIOD, 1, SETTING_YEARS_10, USAGE(half_life_us), NULL},
    {"window", SETTING_PERIOD, 1, SETTING_YEARS_10, USAGE(window_us), NULL},
    {"weight", SETTING_FACTOR, 0, 1000, USAGE(weight_milli), NULL},
};

const struct settings policy_settings[SETTINGS] = {
    {"eviction", "{ release_seconds = 30 }", eviction_list,
     sizeof eviction_list / sizeof *eviction_list},
    {"usage", "{ half_life = 604800 }", usage_settings,
     sizeof usage_settings / sizeof *usage_settings},
};

/* ---- values ---- */

const struct setting *policy_settings_find(const struct settings *t, const char *name, size_t len) {
    for (uint32_t i = 0; i < t->n; i++)
        if (strlen(t->list[i].name) == len && memcmp(t->list[i].name, name, len) == 0)
            return &t->list[i];
    return NULL;
}

int policy_settings_accept(const struct setting *s, double x) {
    int is_none = s->type == SETTING_PERIOD && x == 0;
    int can_have_fraction = s->type != SETTING_COUNT && s->type != SETTING_RATE;
    if (is_none) return 1;
    if (!(x >= s->least) || x > s->most) return 0;
    return can_have_fraction || x == (double)(int64_t)x;
}

uint32_t policy_settings_word(const struct setting *s, const char *word, size_t len) {
    for (uint32_t i = 0; s->words[i]; i++)
        if (strlen(s->words[i]) == len && memcmp(s->words[i], word, len) == 0) return i;
    return UINT32_MAX;
}

void policy_settings_store(struct policy_desc *desc, const struct setting *s, double x) {
    char *at = (char *)desc + s->offset;
    int64_t wide = (int64_t)x;
    uint32_t narrow = (uint32_t)wide;
    if (s->type == SETTING_SECONDS || s->type == SETTING_PERIOD) wide = (int64_t)(x * 1e6 + 0.5);
    if (s->type == SETTING_FACTOR) wide = (int64_t)(x * 1000 + 0.5);
    if (s->type == SETTING_COUNT || s->type == SETTING_WORD)
        memcpy(at, &narrow, sizeof narrow);
    else
        /* the same eight bytes are right for int64_t and uint64_t, because x is never negative */
        memcpy(at, &wide, sizeof wide);
}

/* ---- refusals ---- */

int32_t policy_settings_refuse_name(struct fault *fault, const struct settings *t,
                                    const char *name) {
    struct suggest s;
    suggest_begin(&s, name, strlen(name));
    for (uint32_t i = 0; i < t->n; i++) suggest_offer(&s, t->list[i].name, strlen(t->list[i].name));
    /* if no name is similar, take a name that begins with the key: release_seconds for "release" */
    const char *meant = s.best;
    for (uint32_t i = 0; i < t->n && !meant && strlen(name) > 2; i++)
        if (strncmp(t->list[i].name, name, strlen(name)) == 0) meant = t->list[i].name;
    if (meant)
        return fault_set(fault, LSCHED_E_KEY, "%s has no '%.40s'; did you mean '%s'?", t->key, name,
                         meant);
    return fault_set(fault, LSCHED_E_KEY, "%s has no '%.40s'", t->key, name);
}

int32_t policy_settings_refuse_word(struct fault *fault, const struct settings *t,
                                    const struct setting *s, const char *word, size_t len,
                                    const char *got) {
    struct suggest near;
    char known[64] = "";
    size_t n = 0;
    suggest_begin(&near, word ? word : "", len);
    for (uint32_t i = 0; s->words[i]; i++) {
        suggest_offer(&near, s->words[i], strlen(s->words[i]));
        n += (size_t)snprintf(known + n, sizeof known - n, "%s'%s'",
                              i == 0            ? ""
                              : s->words[i + 1] ? ", "
                                                : " or ",
                              s->words[i]);
    }
    if (!word)
        return fault_set(fault, LSCHED_E_TYPE, "%s.%s must be %s, got %s", t->key, s->name, known,
                         got);
    return fault_set(fault, LSCHED_E_KEY, "%s.%s must be %s, got '%.*s'%s%s%s", t->key, s->name,
                     known, (int)(len < 40 ? len : 40), word, near.best ? "; did you mean '" : "",
                     near.best ? near.best : "", near.best ? "'?" : "");
}

int32_t policy_settings_refuse_number(struct fault *fault, const struct settings *t,
                                      const struct setting *s, int is_number, const char *got) {
    int is_time = s->type == SETTING_SECONDS || s->type == SETTING_PERIOD;
    int is_whole = s->type == SETTING_COUNT || s->type == SETTING_RATE;
    return fault_set(fault, is_number ? LSCHED_E_RANGE : LSCHED_E_TYPE,
                     "%s.%s must be a %s%s %sfrom %u to %u, got %s", t->key, s->name,
                     is_whole ? "whole number" : "number", is_time ? " of seconds" : "",
                     s->type == SETTING_PERIOD ? "that is 0 or " : "", (unsigned)s->least,
                     (unsigned)s->most, got);
}
