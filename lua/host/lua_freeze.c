/* lua_freeze.c -- see lua_freeze.h. */
#include "lua/host/lua_freeze.h"

#include <string.h>

enum { TO_VISIT = 2, SEEN = 3, ITEM = 4 }; /* stack indexes; the definition is at index 1 */

/* Pops the value on top of the stack. If the value is a table or a function that was not offered
 * before, it is added to the list of values to visit. */
static void freeze_offer(struct lua_host *host, int *n) {
    const struct luajit_api *api = &host->api;
    lua_State *L = host->L;
    int type = api->type(L, -1);
    if (type == LUA_TTABLE || type == LUA_TFUNCTION) {
        api->pushvalue(L, -1);
        api->rawget(L, SEEN);
        int is_new = api->type(L, -1) == LUA_TNIL;
        api->settop(L, -2);
        if (is_new) {
            api->pushvalue(L, -1);
            api->pushboolean(L, 1);
            api->rawset(L, SEEN);
            api->pushvalue(L, -1);
            api->rawseti(L, TO_VISIT, ++*n);
        }
    }
    api->settop(L, -2);
}

/* Records an entry of the table at stack index ITEM. Before the call, the entry's key is at stack
 * index -2 and its value at -1. */
static void snapshot_add(struct lua_host *host) {
    const struct luajit_api *api = &host->api;
    lua_State *L = host->L;
    if (!host->facts.assigns) return;
    int key = api->gettop(L) - 1, at = (int)host->n_snapshot * 3;
    double x = api->type(L, -1) == LUA_TNUMBER ? api->tonumber(L, -1) : 0;
    if (x != x) return; /* NaN is not recorded, because it is not equal to itself */
    api->rawgeti(L, LUA_REGISTRYINDEX, SLOT_SNAPSHOT);
    api->pushvalue(L, ITEM);
    api->rawseti(L, -2, at + 1);
    api->pushvalue(L, key);
    api->rawseti(L, -2, at + 2);
    api->pushvalue(L, key + 1);
    api->rawseti(L, -2, at + 3);
    api->settop(L, key + 1);
    host->n_snapshot++;
}

static void freeze_item(struct lua_host *host, int *n) {
    const struct luajit_api *api = &host->api;
    lua_State *L = host->L;
    struct function_lines lines;
    if (api->type(L, ITEM) == LUA_TFUNCTION) {
        if (!host_is_policy_function(host, &lines)) return;
        for (int i = 1; api->getupvalue(L, ITEM, i); i++) freeze_offer(host, n);
        return;
    }
    /* not frozen: a table with a metatable is a view that the prelude made, which is read-only
     * already */
    if (api->getmetatable(L, ITEM)) return;
    api->rawgeti(L, LUA_REGISTRYINDEX, SLOT_FROZEN);
    api->setmetatable(L, ITEM);
    api->pushnil(L);
    while (api->next(L, ITEM)) {
        snapshot_add(host);
        freeze_offer(host, n);
        api->pushvalue(L, -1);
        freeze_offer(host, n);
    }
}

void freeze_reachable(struct lua_host *host) {
    const struct luajit_api *api = &host->api;
    lua_State *L = host->L;
    int n = 0;
    api->createtable(L, 16, 0);
    api->createtable(L, 0, 16);
    api->createtable(L, 0, 0);
    api->rawseti(L, LUA_REGISTRYINDEX, SLOT_SNAPSHOT);
    for (int i = 0; i < HOST_HOOKS; i++) {
        const char *name = hook_kinds[i].name;
        api->pushlstring(L, name, strlen(name));
        api->rawget(L, 1);
        freeze_offer(host, &n);
    }
    for (int i = 1; i <= n; i++) {
        api->rawgeti(L, TO_VISIT, i);
        freeze_item(host, &n);
        api->settop(L, SEEN);
    }
    api->settop(L, 1);
}

/* Returns the name that is first in byte order. The result must not depend on the order in which a
 * Lua table lists its entries. */
static const char *earlier(const char *a, const char *b) {
    return !a || (b && strcmp(b, a) < 0) ? b : a;
}

const char *freeze_restore(struct lua_host *host) {
    const struct luajit_api *api = &host->api;
    lua_State *L = host->L;
    const char *changed = NULL;
    int top = api->gettop(L), snapshot = top + 1;
    api->rawgeti(L, LUA_REGISTRYINDEX, SLOT_SNAPSHOT);
    for (int i = 0; i < (int)host->n_snapshot; i++) {
        api->rawgeti(L, snapshot, i * 3 + 1);
        api->rawgeti(L, snapshot, i * 3 + 2);
        api->rawgeti(L, snapshot, i * 3 + 3);
        api->pushvalue(L, -2);
        api->rawget(L, -4);
        if (!api->rawequal(L, -1, -2)) {
            int is_text = api->type(L, -3) == LUA_TSTRING;
            changed = earlier(changed, is_text ? api->tolstring(L, -3, NULL) : "[...]");
            api->settop(L, -2);
            api->rawset(L, -3);
        }
        api->settop(L, snapshot);
    }
    api->settop(L, top);
    return changed;
}
