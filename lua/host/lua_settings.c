/* lua_settings.c -- see lua_settings.h. */
#include "lua/host/lua_settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "lua/front/lua_value.h"
#include "lua/host/lua_definition.h"

#define SETTING_YEARS_10 315360000.0 /* ten years in seconds */

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
    size_t offset; /* offset in struct policy_desc */
    const char *const *words;
};

struct settings {
    const char *key;
    const char *example;
    const struct setting *list;
    uint32_t n;
};

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

static const struct settings setting_tables[SETTINGS] = {
    {"eviction", "{ release_seconds = 30 }", eviction_list,
     sizeof eviction_list / sizeof *eviction_list},
    {"usage", "{ half_life = 604800 }", usage_settings,
     sizeof usage_settings / sizeof *usage_settings},
};

const char *settings_key(uint32_t i) {
    return setting_tables[i].key;
}

/* ---- refusals ---- */

/* Throws the fault with a position in the text. The position is that of `key` inside the table. If
 * the text has no such key there, it is the first `key =` of the text, because the table can come
 * from a variable or a function. If the text has neither, or if `key` is NULL, it is the position
 * of the table's own key. */
static _Noreturn void throw_at(struct lua_host *host, const struct settings *t, const char *key) {
    const struct parse_tree *tree = &host->tree;
    uint32_t at = key ? source_inner_key(tree, t->key, key) : PARSE_NONE;
    if (at == PARSE_NONE && key) at = source_key(tree, key);
    if (at == PARSE_NONE) at = source_key(tree, t->key);
    host_fault_at(host, at);
    host_throw(host);
}

static _Noreturn void lua_settings_refuse_name(struct lua_host *host, const struct settings *t,
                                               const char *key) {
    struct suggest s;
    suggest_begin(&s, key, strlen(key));
    for (uint32_t i = 0; i < t->n; i++) suggest_offer(&s, t->list[i].name, strlen(t->list[i].name));
    /* if no name is similar, take a name that begins with the key: release_seconds for "release" */
    const char *meant = s.best;
    for (uint32_t i = 0; i < t->n && !meant && strlen(key) > 2; i++)
        if (strncmp(t->list[i].name, key, strlen(key)) == 0) meant = t->list[i].name;
    if (meant)
        fault_set(&host->fault, LSCHED_E_KEY, "%s has no '%.40s'; did you mean '%s'?", t->key, key,
                  meant);
    else
        fault_set(&host->fault, LSCHED_E_KEY, "%s has no '%.40s'", t->key, key);
    throw_at(host, t, key);
}

/* Throws the error for a wrong word. `word` is the string on top of the stack, or NULL if the value
 * on top of the stack is not a string. */
static _Noreturn void refuse_word(struct lua_host *host, const struct settings *t,
                                  const struct setting *s, const char *word, size_t len) {
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
    if (word)
        fault_set(&host->fault, LSCHED_E_KEY, "%s.%s must be %s, got '%.40s'%s%s%s", t->key,
                  s->name, known, word, near.best ? "; did you mean '" : "",
                  near.best ? near.best : "", near.best ? "'?" : "");
    else
        fault_set(&host->fault, LSCHED_E_TYPE, "%s.%s must be %s, got %s", t->key, s->name, known,
                  value_describe(host, -1).text);
    throw_at(host, t, s->name);
}

/* Throws the error for the value on top of the stack, which is not a number or is out of range. */
static _Noreturn void refuse_number(struct lua_host *host, const struct settings *t,
                                    const struct setting *s) {
    int is_time = s->type == SETTING_SECONDS || s->type == SETTING_PERIOD;
    int is_whole = s->type == SETTING_COUNT || s->type == SETTING_RATE;
    int is_number = host->api.type(host->L, -1) == LUA_TNUMBER;
    fault_set(&host->fault, is_number ? LSCHED_E_RANGE : LSCHED_E_TYPE,
              "%s.%s must be a %s%s %sfrom %u to %u, got %s", t->key, s->name,
              is_whole ? "whole number" : "number", is_time ? " of seconds" : "",
              s->type == SETTING_PERIOD ? "that is 0 or " : "", (unsigned)s->least,
              (unsigned)s->most, value_describe(host, -1).text);
    throw_at(host, t, s->name);
}

/* ---- values ---- */

static void lua_settings_store(struct policy_desc *desc, const struct setting *s, double x) {
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

/* Checks and stores one setting. Before the call, its value is on top of the stack. */
static void read_setting(struct lua_host *host, const struct settings *t, const struct setting *s) {
    const struct luajit_api *api = &host->api;
    int type = api->type(host->L, -1);
    if (s->words && type != LUA_TSTRING) refuse_word(host, t, s, NULL, 0);
    if (!s->words && type != LUA_TNUMBER) refuse_number(host, t, s);
    if (s->words) {
        size_t len;
        uint32_t i = 0;
        const char *word = api->tolstring(host->L, -1, &len);
        while (s->words[i] && strcmp(s->words[i], word) != 0) i++;
        if (!s->words[i] || strlen(word) != len) refuse_word(host, t, s, word, len);
        lua_settings_store(&host->desc, s, i);
        return;
    }
    double x = api->tonumber(host->L, -1);
    int is_none = s->type == SETTING_PERIOD && x == 0;
    /* 1: the number can have a fraction */
    int is_any = s->type != SETTING_COUNT && s->type != SETTING_RATE;
    if (!is_none && (!(x >= s->least) || x > s->most || (!is_any && x != (double)(int64_t)x)))
        refuse_number(host, t, s);
    lua_settings_store(&host->desc, s, x);
}

/* ---- tables ---- */

/* Refuses unknown keys of the table on top of the stack. If there are several unknown keys, the
 * function reports the one that is first in byte order, because Lua tables have no order. */
static void lua_settings_check_names(struct lua_host *host, const struct settings *t) {
    const struct luajit_api *api = &host->api;
    const char *unknown = NULL;
    int table = api->gettop(host->L);
    int odd = definition_odd_key(host, table);
    if (odd != LUA_TSTRING) {
        fault_set(&host->fault, LSCHED_E_TYPE, "%s has only named entries, got a %s key", t->key,
                  api->typename(host->L, odd));
        throw_at(host, t, NULL);
    }
    api->pushnil(host->L);
    while (api->next(host->L, table)) {
        uint32_t i = 0;
        /* stays valid: the table keeps the string */
        const char *key = api->tolstring(host->L, -2, NULL);
        while (i < t->n && strcmp(t->list[i].name, key) != 0) i++;
        if (i == t->n && (!unknown || strcmp(key, unknown) < 0)) unknown = key;
        api->settop(host->L, -2);
    }
    if (unknown) lua_settings_refuse_name(host, t, unknown);
}

/* Calls the function on top of the stack and replaces it by its result. */
static void call_for_table(struct lua_host *host, const struct settings *t) {
    uint64_t allowed = host->allowed;
    struct function_lines lines;
    if (!host_is_policy_function(host, &lines)) {
        fault_set(&host->fault, LSCHED_E_TYPE,
                  "%s must be a table or a function of this text, got a built-in function", t->key);
        throw_at(host, t, NULL);
    }
    host->used = 0;
    host->allowed = host->per_call;
    host_call_policy(host, 0, 1);
    host->allowed = allowed;
}

static void read_table(struct lua_host *host, const struct settings *t) {
    const struct luajit_api *api = &host->api;
    int type = api->type(host->L, -1);
    if (type == LUA_TNIL) return;
    if (type == LUA_TFUNCTION) {
        call_for_table(host, t);
        type = api->type(host->L, -1);
    }
    if (type != LUA_TTABLE) {
        fault_set(&host->fault, LSCHED_E_TYPE, "%s must be a table such as %s, got %s%s", t->key,
                  t->example, type == LUA_TNIL ? "" : "a ",
                  type == LUA_TNIL ? "nothing (is there a return?)" : api->typename(host->L, type));
        throw_at(host, t, NULL);
    }
    lua_settings_check_names(host, t);
    int table = api->gettop(host->L);
    for (uint32_t i = 0; i < t->n; i++) {
        api->pushlstring(host->L, t->list[i].name, strlen(t->list[i].name));
        api->rawget(host->L, table);
        if (api->type(host->L, -1) != LUA_TNIL) read_setting(host, t, &t->list[i]);
        api->settop(host->L, table);
    }
}

void settings_read(struct lua_host *host, uint32_t i) {
    read_table(host, &setting_tables[i]);
}
