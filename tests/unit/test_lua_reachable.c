/* Everything that policy text could get at, were it to follow every reference there is:
 * environments, metatables, upvalues, entries of tables, the metatable of strings. In none of the
 * tables does LuaJIT have a C function that is not on a list here, and there is no userdata and no
 * thread. So what the prelude says it keeps is not taken on trust. */
#define _DEFAULT_SOURCE
#include <dlfcn.h>

#include "lua/state/lua_host.h"
#include "unit/lua_fixture.h"

enum { SEEN_MAX = 20000 };

typedef void getfenv_fn(lua_State *L, int index);
typedef const void *topointer_fn(lua_State *L, int index);

struct walk {
    struct lua_host *host;
    getfenv_fn *getfenv;
    topointer_fn *topointer;
    const void *seen[SEEN_MAX];
    int list, n; /* stack index of the list of what to visit, and its length */
    size_t tables, functions;
    char stranger[64]; /* a name that is not on the list */
};

/* What C functions may be called where a table names them: the environment's, and the host's own
 * for its prelude. */
static const char allowed[] =
    " assert error ipairs select tonumber tostring type hash log __index __newindex"
    " abs ceil floor fmod max min sqrt exp pow"
    " len sub byte lower upper starts_with ends_with contains format"
    " duration memory missing frozen label describe join show say sorted_keys length charge __lsched_length ";

/* The value on top is visited later, if it can refer to others and is new; pops it. */
static void offer(struct walk *w) {
    const struct luajit_api *api = &w->host->api;
    lua_State *L = w->host->L;
    int type = api->type(L, -1), i = 0;
    if (type == LUA_TTABLE || type == LUA_TFUNCTION || type >= LUA_TUSERDATA) {
        const void *p = w->topointer(L, -1);
        while (i < w->n && w->seen[i] != p) i++;
        if (i == w->n) {
            assert_true(w->n < SEEN_MAX);
            w->seen[w->n++] = p;
            api->pushvalue(L, -1);
            api->rawseti(L, w->list, w->n);
        }
    }
    api->settop(L, -2);
}

/* Key at -2, value at -1. */
static void check_entry(struct walk *w) {
    const struct luajit_api *api = &w->host->api;
    char word[60];
    if (api->type(w->host->L, -2) != LUA_TSTRING || !api->iscfunction(w->host->L, -1)) return;
    snprintf(word, sizeof word, " %.40s ", api->tolstring(w->host->L, -2, NULL));
    if (!strstr(allowed, word)) snprintf(w->stranger, sizeof w->stranger, "%s", word);
}

static void visit_table(struct walk *w, int at) {
    const struct luajit_api *api = &w->host->api;
    lua_State *L = w->host->L;
    w->tables++;
    if (api->getmetatable(L, at)) offer(w);
    api->pushnil(L);
    while (api->next(L, at)) {
        check_entry(w);
        api->pushvalue(L, -2);
        offer(w);
        offer(w);
    }
}

static void visit_function(struct walk *w, int at) {
    w->functions++;
    for (int i = 1; w->host->api.getupvalue(w->host->L, at, i); i++) offer(w);
    w->getfenv(w->host->L, at);
    offer(w);
}

static void walk_all(struct lua_host *host, void *user) {
    struct walk *w = user;
    const struct luajit_api *api = &host->api;
    lua_State *L = host->L;
    api->createtable(L, 0, 0);
    w->list = api->gettop(L);
    api->pushvalue(L, LUA_GLOBALSINDEX);
    offer(w);
    api->pushlstring(L, "", 0);
    assert_int_equal(api->getmetatable(L, -1), 1);
    offer(w);
    for (int hook = 0; hook < HOST_HOOKS; hook++) {
        api->rawgeti(L, LUA_REGISTRYINDEX, SLOT_LOOP + hook);
        offer(w);
    }
    for (int i = 1; i <= w->n; i++) {
        api->settop(L, w->list);
        api->rawgeti(L, w->list, i);
        int at = api->gettop(L), type = api->type(L, at);
        if (type == LUA_TTABLE)
            visit_table(w, at);
        else if (type == LUA_TFUNCTION)
            visit_function(w, at);
        else
            snprintf(w->stranger, sizeof w->stranger, "(a %s)", api->typename(L, type));
    }
}

static void *symbol(struct lua_host *host, const char *name) {
    return dlsym(host->api.library ? host->api.library : RTLD_DEFAULT, name);
}

static const char text[] =
    "local sites = { a = { 1 } }\n"
    "local function f(x) return sites[x] end\n"
    "return { api = 1, params = { n = 1 },\n"
    "  priority = function(job, queue, now) return calendar.hour(now) + #sites + (f('a') and 1 or 0) end,\n"
    "  score = function(job, node) return stats.mean({ node.gpu }) + decay.rise(1, 2) + usage.over(1, 2) end,\n"
    "  weight = function(queue) log('x') return units.hour + string.len(queue.name) end }";

static void nothing_of_the_libraries_remains(void **unused) {
    (void)unused;
    struct loaded l;
    static struct walk w;
    load(&l, text);
    w.host = l.policy.self;
    void *found[] = {symbol(w.host, "lua_getfenv"), symbol(w.host, "lua_topointer")};
    if (!found[0] || !found[1]) {
        print_message("LuaJIT's own symbols are hidden in this build\n");
        unload(&l);
        skip();
    }
    memcpy(&w.getfenv, &found[0], sizeof w.getfenv);
    memcpy(&w.topointer, &found[1], sizeof w.topointer);
    assert_int_equal(host_run(w.host, walk_all, &w, UINT64_MAX), LSCHED_OK);
    print_message("%zu tables, %zu functions\n", w.tables, w.functions);
    assert_true(w.tables > 20 && w.functions > 60);
    if (w.stranger[0]) fail_msg("within reach:%s", w.stranger);
    unload(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_of_the_libraries_remains)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
