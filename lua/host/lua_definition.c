/* lua_definition.c -- see lua_definition.h. */
#include "lua/host/lua_definition.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "lua/front/policy_keys.h"
#include "lua/host/lua_length.h"
#include "lua/state/lua_value.h"
#include "lua/host/lua_batch.h"
#include "lua/work/lua_contention.h"
#include "lua/work/lua_speeds.h"
#include "lua/host/lua_fields.h"
#include "lua/host/lua_freeze.h"
#include "lua/host/lua_settings.h"
#include "lua/lift/lua_lift.h"
#include "policy/eviction.h"

_Static_assert(POLICY_PARAM_BOOLEAN == LUA_TBOOLEAN && POLICY_PARAM_NUMBER == LUA_TNUMBER &&
                   POLICY_PARAM_TEXT == LUA_TSTRING,
               "hash_param passes types of Lua");

enum { DEFINITION = 1 }; /* stack index of the definition while it is read */

static _Noreturn void throw_at_key(struct lua_host *host, const char *key) {
    host_fault_at(host, source_key(&host->tree, key));
    host_throw(host);
}

/* Pushes definition[key] and returns its type. */
static int push_key(struct lua_host *host, const char *key) {
    host->api.pushlstring(host->L, key, strlen(key));
    host->api.rawget(host->L, DEFINITION);
    return host->api.type(host->L, -1);
}

static const char *type_at(struct lua_host *host, int index) {
    return host->api.typename(host->L, host->api.type(host->L, index));
}

/* ---- keys ---- */

static _Noreturn void refuse_key(struct lua_host *host, const char *key, size_t len) {
    policy_keys_refuse(&host->fault, key, len);
    throw_at_key(host, key);
}

/* Refuses unknown keys. If there are several unknown keys, the function reports the one that is
 * first in byte order, because Lua tables have no order. */
static void check_keys(struct lua_host *host) {
    const struct luajit_api *api = &host->api;
    const char *unknown = NULL;
    size_t unknown_len = 0, len;
    int odd = value_odd_key(host, DEFINITION);
    if (odd != LUA_TSTRING)
        host_refuse(host, LSCHED_E_TYPE,
                    "the table that a policy returns has only named entries, got a %s key",
                    api->typename(host->L, odd));
    api->pushnil(host->L);
    while (api->next(host->L, DEFINITION)) {
        const char *key = api->tolstring(host->L, -2, &len);
        if (!policy_keys_has(key) && (!unknown || strcmp(key, unknown) < 0)) {
            unknown = key; /* stays valid, because the table keeps the string alive */
            unknown_len = len;
        }
        api->settop(host->L, -2);
    }
    if (unknown) refuse_key(host, unknown, unknown_len);
}

static void read_api(struct lua_host *host) {
    int type = push_key(host, "api");
    if (type == LUA_TNIL)
        host_refuse(host, LSCHED_E_KEY,
                    "api = 1 is missing: it says which policy language the text is written in");
    double api = type == LUA_TNUMBER ? host->api.tonumber(host->L, -1) : 0;
    if (api != 1) {
        fault_set(&host->fault, type == LUA_TNUMBER ? LSCHED_E_VERSION : LSCHED_E_TYPE,
                  type == LUA_TNUMBER ? "this version knows only api = 1"
                                      : "api must be the number 1, got a %s",
                  type_at(host, -1));
        throw_at_key(host, "api");
    }
    host->api.settop(host->L, DEFINITION);
}

/* Copies the string on top of the stack to `out`. Throws an error if the string is not an
 * algorithm's name or does not fit in `cap` bytes. */
static void lua_definition_copy_word(struct lua_host *host, const char *key, char *out,
                                     size_t cap) {
    size_t len;
    if (host->api.type(host->L, -1) != LUA_TSTRING) {
        fault_set(&host->fault, LSCHED_E_TYPE, "%s must be a string%s, got a %s", key,
                  strcmp(key, "placement") == 0 ? " or a function" : "", type_at(host, -1));
        throw_at_key(host, key);
    }
    const char *text = host->api.tolstring(host->L, -1, &len);
    if (len >= cap || !policy_keys_is_word(text, len)) {
        fault_set(&host->fault, LSCHED_E_TYPE,
                  "%s must be a name of at most %u letters, digits, '-', '_' or '.'", key,
                  (unsigned)cap - 1);
        throw_at_key(host, key);
    }
    memcpy(out, text, len);
    out[len] = '\0';
}

static void lua_definition_read_word(struct lua_host *host, const char *key, char *out,
                                     size_t cap) {
    if (push_key(host, key) != LUA_TNIL) lua_definition_copy_word(host, key, out, cap);
    host->api.settop(host->L, DEFINITION);
}

static void read_pipeline(struct lua_host *host) {
    struct policy_desc *desc = &host->desc;
    int type = push_key(host, "pipeline");
    if (type != LUA_TNIL) {
        size_t n = type == LUA_TTABLE ? list_length(host, host->api.gettop(host->L)) : 0;
        if (n == 0 || n > POLICY_PIPELINE_MAX) {
            fault_set(&host->fault, LSCHED_E_TYPE,
                      "pipeline must be a list of 1 to %u actions or a function, got %s",
                      (unsigned)POLICY_PIPELINE_MAX,
                      type != LUA_TTABLE ? type_at(host, -1)
                      : n == 0           ? "an empty list"
                                         : "a longer list");
            throw_at_key(host, "pipeline");
        }
        for (size_t i = 0; i < n; i++) {
            host->api.rawgeti(host->L, -1, (int)i + 1);
            lua_definition_copy_word(host, "pipeline", desc->pipeline[i], sizeof desc->pipeline[i]);
            host->api.settop(host->L, -2);
        }
        desc->n_pipeline = (uint32_t)n;
    }
    host->api.settop(host->L, DEFINITION);
}

/* ---- parameters ---- */

/* Adds a parameter to the hash of the policy. Before the call, the key is at stack index -2 and the
 * value at -1. */
static void hash_param(struct lua_host *host) {
    const struct luajit_api *api = &host->api;
    size_t key_len, len = 0;
    lsched_text key = {api->tolstring(host->L, -2, &key_len), 0}, text = {NULL, 0};
    uint32_t type = (uint32_t)api->type(host->L, -1);
    double number = 0;
    key.len = key_len;
    if (type == LUA_TNUMBER) number = api->tonumber(host->L, -1);
    if (type == LUA_TBOOLEAN) number = api->toboolean(host->L, -1);
    if (type == LUA_TSTRING) text.ptr = api->tolstring(host->L, -1, &len);
    text.len = len;
    host->desc.hash += policy_keys_param_hash(key, type, number, text);
}

/* True if the value on top of the stack is a finite number, a string or a boolean. */
static int is_param_value(struct lua_host *host) {
    int type = host->api.type(host->L, -1);
    if (type == LUA_TNUMBER) return isfinite(host->api.tonumber(host->L, -1));
    return type == LUA_TSTRING || type == LUA_TBOOLEAN;
}

/* Checks the table `params` at stack index 2. If several values are wrong, the function reports the
 * one whose key is first in byte order. */
static void check_params(struct lua_host *host) {
    const struct luajit_api *api = &host->api;
    const char *wrong = NULL;
    uint32_t n = 0;
    int odd = value_odd_key(host, 2);
    if (odd != LUA_TSTRING) {
        fault_set(&host->fault, LSCHED_E_TYPE, "params has only named entries, got a %s key",
                  api->typename(host->L, odd));
        throw_at_key(host, "params");
    }
    api->pushnil(host->L);
    for (; api->next(host->L, 2); api->settop(host->L, -2)) {
        /* stays valid: the table keeps the string */
        const char *key = api->tolstring(host->L, -2, NULL);
        if (!is_param_value(host) && (!wrong || strcmp(key, wrong) < 0)) wrong = key;
        n++;
    }
    if (n > HOST_PARAMS_MAX) {
        fault_set(&host->fault, LSCHED_E_LIMIT, "params may have %d entries, got %u",
                  HOST_PARAMS_MAX, n);
        throw_at_key(host, "params");
    }
    if (!wrong) return;
    api->pushlstring(host->L, wrong, strlen(wrong));
    api->rawget(host->L, 2);
    if (api->type(host->L, -1) == LUA_TNUMBER)
        fault_set(&host->fault, LSCHED_E_RANGE, "the parameter '%.40s' is not a finite number",
                  wrong);
    else
        fault_set(&host->fault, LSCHED_E_TYPE,
                  "the parameter '%.40s' must be a number, a string or a boolean, got a %s", wrong,
                  type_at(host, -1));
    throw_at_key(host, wrong);
}

static void read_params(struct lua_host *host) {
    const struct luajit_api *api = &host->api;
    lua_State *L = host->L;
    int type = push_key(host, "params");
    if (type != LUA_TNIL && type != LUA_TTABLE) {
        fault_set(&host->fault, LSCHED_E_TYPE, "params must be a table, got a %s",
                  type_at(host, -1));
        throw_at_key(host, "params");
    }
    /* the stack now: 2 `params` of the policy text, 3 the table `params` that hooks see */
    api->rawgeti(L, LUA_REGISTRYINDEX, SLOT_PARAMS);
    if (type == LUA_TTABLE) {
        check_params(host);
        api->pushnil(L);
        while (api->next(L, 2)) {
            api->pushvalue(L, -2);
            api->pushvalue(L, -2);
            api->rawset(L, 3);
            api->settop(L, -2);
        }
    }
}

static _Noreturn void refuse_param(struct lua_host *host, lsched_text key) {
    const struct luajit_api *api = &host->api;
    struct suggest s;
    suggest_begin(&s, key.ptr, (size_t)key.len);
    api->pushnil(host->L);
    while (api->next(host->L, 3)) {
        size_t n;
        const char *name = api->tolstring(host->L, -2, &n);
        suggest_offer(&s, name, n);
        api->settop(host->L, -2);
    }
    policy_keys_refuse_param(&host->fault, &s);
    host_throw(host);
}

/* Pushes the value that the caller's options give to a parameter. `type` is the Lua type of the
 * parameter in the policy. Throws an error if the option's value does not have this type. `name` is
 * the key with a NUL after it. */
static void push_override(struct lua_host *host, const lsched_param *param, const char *name,
                          int type) {
    const struct luajit_api *api = &host->api;
    int fits = policy_keys_takes((uint32_t)type, param);
    if (fits && type == LUA_TBOOLEAN)
        api->pushboolean(host->L, policy_keys_is_true(param->text));
    else if (param->text.ptr)
        api->pushlstring(host->L, param->text.ptr, (size_t)param->text.len);
    else
        api->pushnumber(host->L, param->number);
    if (fits) return;
    policy_keys_refuse_value(&host->fault, (uint32_t)type, param->key,
                             value_describe(host, -1).text);
    throw_at_key(host, name);
}

static int key_order(const lsched_text *a, const lsched_text *b) {
    size_t both = (size_t)(a->len < b->len ? a->len : b->len);
    int order = memcmp(a->ptr, b->ptr, both);
    return order ? order : (a->len > b->len) - (a->len < b->len);
}

/* Adds a parameter to the sorted list host->params. Before the call, the key is at stack index -2
 * and the value at -1. */
static void keep_param(struct lua_host *host) {
    const struct luajit_api *api = &host->api;
    lsched_param fresh = {.number = 0};
    size_t len;
    fresh.key.ptr = api->tolstring(host->L, -2, &len);
    fresh.key.len = len;
    switch (api->type(host->L, -1)) {
    case LUA_TNUMBER: fresh.number = api->tonumber(host->L, -1); break;
    case LUA_TBOOLEAN:
        fresh.text =
            api->toboolean(host->L, -1) ? (lsched_text){"true", 4} : (lsched_text){"false", 5};
        break;
    default: fresh.text.ptr = api->tolstring(host->L, -1, &len); fresh.text.len = len;
    }
    uint32_t at = host->n_params++;
    for (; at > 0 && key_order(&fresh.key, &host->params[at - 1].key) < 0; at--)
        host->params[at] = host->params[at - 1];
    host->params[at] = fresh;
}

static void override_params(struct lua_host *host) {
    const struct luajit_api *api = &host->api;
    lua_State *L = host->L;
    for (uint32_t i = 0; host->opts && i < host->opts->n_params; i++) {
        const lsched_param *param = &host->opts->params[i];
        host->fault.element = (int64_t)i; /* index of the option, for an error message */
        api->pushlstring(L, param->key.ptr, (size_t)param->key.len);
        api->pushvalue(L, -1);
        api->rawget(L, 3);
        int type = api->type(L, -1);
        if (type == LUA_TNIL) refuse_param(host, param->key);
        api->settop(L, -2);
        push_override(host, param, api->tolstring(L, -1, NULL), type);
        api->rawset(L, 3);
    }
    host->fault.element = -1;
    api->pushnil(L);
    while (api->next(L, 3)) {
        hash_param(host);
        keep_param(host);
        api->settop(L, -2);
    }
    api->settop(L, DEFINITION);
}

/* ---- hooks ---- */

/* True if the value of this key is a function. The value of `placement` and of `pipeline` is either
 * a function (a hook) or a plain value. */
static int is_hook(struct lua_host *host, const char *key) {
    int type = push_key(host, key);
    host->api.settop(host->L, DEFINITION);
    return type == LUA_TFUNCTION;
}

static void read_hook(struct lua_host *host, uint32_t number) {
    struct hook *hook = &host->hooks[number];
    struct function_lines lines = {0, 0};
    hook->kind = &hook_kinds[number];
    int type = push_key(host, hook->kind->name);
    int is_plain = (hook->kind->answer == HOOK_GIVES_WORD && type == LUA_TSTRING) ||
                   (hook->kind->answer == HOOK_GIVES_WORDS && type == LUA_TTABLE);
    if (type != LUA_TNIL && !is_plain) {
        if (type != LUA_TFUNCTION || !host_is_policy_function(host, &lines)) {
            fault_set(&host->fault, LSCHED_E_TYPE, "%s must be a function of this text, got a %s",
                      hook->kind->name,
                      type == LUA_TFUNCTION ? "built-in function" : type_at(host, -1));
            throw_at_key(host, hook->kind->name);
        }
        if (fields_collect(host, hook, &lines) < 0) host_throw(host);
        tails_find(&host->tree, hook->node, &hook->tails);
        lift_hook(host, number);
        batch_build(host, number);
        hook->present = 1;
        host->desc.hooks |= 1u << number;
    }
    host->api.settop(host->L, DEFINITION);
}

/* Makes sure that the pipeline has the actions that carry out the hooks `time_limit` and `idle`. If
 * the policy has no `pipeline`, the function adds these actions. If the policy has a `pipeline`
 * without them, the function throws an error. */
static void complete_pipeline(struct lua_host *host) {
    struct policy_desc *desc = &host->desc;
    static const struct {
        uint32_t hook;
        const char *name, *action;
    } needs[] = {{LSCHED_HOOK_TIME_LIMIT, "time_limit", "evict-overdue"},
                 {LSCHED_HOOK_IDLE, "idle", "evict-idle"}};
    uint32_t given = desc->n_pipeline;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        uint32_t at = 0;
        if (!(desc->hooks & needs[i].hook)) continue;
        if (!given) {
            memcpy(desc->pipeline[desc->n_pipeline++], needs[i].action,
                   strlen(needs[i].action) + 1);
            continue;
        }
        while (at < given && strcmp(desc->pipeline[at], needs[i].action) != 0) at++;
        if (at < given) continue;
        fault_set(&host->fault, LSCHED_E_KEY,
                  "the pipeline lacks '%s', and without it %s stops no work: add it to the list",
                  needs[i].action, needs[i].name);
        throw_at_key(host, "pipeline");
    }
    if (!given && desc->n_pipeline)
        memcpy(desc->pipeline[desc->n_pipeline++], "allocate", sizeof "allocate");
}

void definition_read(struct lua_host *host) {
    struct policy_desc *desc = &host->desc;
    host->api.rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_DEFINITION);
    check_keys(host);
    read_api(host);
    lua_definition_read_word(host, "name", desc->name, sizeof desc->name);
    lua_definition_read_word(host, "fair_share", desc->fair_share, sizeof desc->fair_share);
    if (!is_hook(host, "placement"))
        lua_definition_read_word(host, "placement", desc->placement, sizeof desc->placement);
    lua_definition_read_word(host, "order", desc->order, sizeof desc->order);
    if (!is_hook(host, "pipeline")) read_pipeline(host);
    read_params(host);
    override_params(host);
    policy_desc_default(desc);
    for (uint32_t i = 0; i < SETTINGS; i++) {
        push_key(host, policy_settings[i].key);
        settings_read(host, i);
        host->api.settop(host->L, DEFINITION);
    }
    push_key(host, "contention");
    contention_read(host);
    host->api.settop(host->L, DEFINITION);
    push_key(host, "speeds");
    speeds_read(host);
    host->api.settop(host->L, DEFINITION);
    for (uint32_t i = 0; i < HOST_HOOKS; i++) read_hook(host, i);
    complete_pipeline(host);
    freeze_reachable(host);
}
