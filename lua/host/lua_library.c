/* lua_library.c -- see lua_library.h. */
#include "lua/host/lua_library.h"

#include <string.h>

#include "base/units.h"
#include "embedded_text.h"
#include "lua/state/lua_value.h"
#include "lua/host/lua_env.h"

static const char file_prefix[] = "library_";

const char *library_name(uint32_t i) {
    for (const struct embedded_text *e = embedded_lua; e->name; e++) {
        if (strncmp(e->name, file_prefix, sizeof file_prefix - 1) != 0) continue;
        if (i-- == 0) return e->name + sizeof file_prefix - 1;
    }
    return NULL;
}

static int is_named(const struct lua_host *host, const char *name) {
    size_t len = strlen(name);
    const char *at = host->text, *end = host->text + host->text_len;
    while ((size_t)(end - at) >= len && (at = memchr(at, name[0], (size_t)(end - at))) != NULL) {
        if ((size_t)(end - at) >= len && memcmp(at, name, len) == 0) return 1;
        at++;
    }
    return 0;
}

/* Installs the libraries whose names occur in the policy text. Before the call, the prelude's
 * function install(name, make) is on top of the stack; library_install pops it. */
void library_install(struct lua_host *host) {
    const struct luajit_api *api = &host->api;
    lua_State *L = host->L;
    int install = api->gettop(L);
    for (const struct embedded_text *e = embedded_lua; e->name; e++) {
        const char *name = e->name + sizeof file_prefix - 1;
        if (strncmp(e->name, file_prefix, sizeof file_prefix - 1) != 0) continue;
        if (!is_named(host, name)) continue;
        api->pushvalue(L, install);
        api->pushlstring(L, name, strlen(name));
        env_load_trusted(host, e->name, "=library");
        api->call(L, 2, 0);
    }
    api->settop(L, install - 1);
}

/* ---- functions ---- */

/* Arguments (value). Returns a description of the value for a message. */
static int library_show(lua_State *L) {
    struct lua_host *host = host_of(L);
    struct value_text shown = value_describe(host, 1);
    host->api.pushlstring(L, shown.text, strlen(shown.text));
    return 1;
}

static int parsed(lua_State *L, enum units_kind kind, const char *function, double unit) {
    struct lua_host *host = host_of(L);
    const struct luajit_api *api = &host->api;
    size_t len = 0;
    int64_t value;
    const char *text = api->type(L, 1) == LUA_TSTRING ? api->tolstring(L, 1, &len) : NULL;
    host_charge(host, 10 + len / 8);
    /* A text without a unit is refused. In YAML a memory number without a unit means bytes, but the
     * text "80" in a policy is more likely a mistake. */
    int is_bare = text && len && text[len - 1] >= '0' && text[len - 1] <= '9';
    if (text && !is_bare && units_parse(kind, text, len, &value) == UNITS_OK) {
        api->pushnumber(L, (double)value / unit);
        return 1;
    }
    host_refuse(host, LSCHED_E_POLICY, "%s: expected a text that is %s, got %s", function,
                kind == UNITS_DURATION_US ? units_expected(kind)
                                          : "a memory size such as 64Gi or 512M",
                value_describe(host, 1).text);
}

static int library_duration(lua_State *L) {
    return parsed(L, UNITS_DURATION_US, "units.duration", 1e6);
}

static int library_memory(lua_State *L) {
    return parsed(L, UNITS_MEMORY_BYTES, "units.memory", 1073741824.0);
}

const struct env_function library_functions[] = {
    {"show", library_show},
    {"duration", library_duration},
    {"memory", library_memory},
    {NULL, NULL},
};
