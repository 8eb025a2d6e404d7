/* lua_length.c -- see lua_length.h. */
#include "lua/host/lua_length.h"

#include <string.h>

#include "base/bisect.h"
#include "lua/state/lua_value.h"

static int is_there(struct lua_host *host, int index, size_t i) {
    host->api.rawgeti(host->L, index, (int)i);
    int there = host->api.type(host->L, -1) != LUA_TNIL;
    host->api.settop(host->L, -2);
    return there;
}

size_t list_length(struct lua_host *host, int index) {
    size_t below = 0, above = 1; /* invariant: t[below] is not nil, or `below` is 0 */
    while (above < (size_t)1 << 26 && is_there(host, index, above)) {
        below = above;
        above *= 2;
    }
    BISECT_LAST(below, above, middle, is_there(host, index, middle));
    return below;
}

static int env_length(lua_State *L) {
    struct lua_host *host = host_of(L);
    const struct luajit_api *api = &host->api;
    int type = api->type(L, 1);
    if (type != LUA_TTABLE && type != LUA_TSTRING) {
        fault_set(&host->fault, LSCHED_E_POLICY, "# needs a list or a string, got %s",
                  value_describe(host, 1).text);
        fault_word(&host->fault, "#", 1);
        host_throw(host);
    }
    host_charge(host, 5);
    size_t n = type == LUA_TTABLE ? list_length(host, 1) : api->objlen(L, 1);
    api->pushnumber(L, (double)n);
    return 1;
}

const struct env_function length_functions[] = {{"length", env_length}, {NULL, NULL}};
