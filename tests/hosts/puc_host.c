/* A host that has linked PUC Lua 5.1, as Slurm has: its lua_* are global, and libsched's LuaJIT
 * has functions of the same names. Both must run side by side, errors included, because an error
 * unwinds through whichever Lua it was raised in.
 *
 * goto tells them apart: LuaJIT compiles it, PUC Lua 5.1 does not. Skipped (77) where PUC Lua is
 * not installed, and in a build whose own Lua is PUC Lua. */
#include <stdio.h>
#include <string.h>

#include <libsched/libsched.h>

#if defined(HAVE_PUC_LUA)
#include <lua.h>
#include <lauxlib.h>
#include <lualib.h>

static int failures;

static void expect(int ok, const char *what) {
    if (ok) return;
    printf("failed: %s\n", what);
    failures++;
}

static const char good[] = "return { api = 1, name = 'with-goto', priority = function(job)\n"
                           "  local n = 0\n"
                           "  ::again:: n = n + 1 if n < 100 then goto again end\n"
                           "  return n + string.len(string.format('%s', job.name)) end }";

static int32_t load(lsched_cluster *cluster, const char *text, lsched_error *err) {
    return lsched_policy_load(cluster, LSCHED_TEXT("p.lua"), lsched_cstr(text), NULL, err);
}

static void run_puc(lua_State *L) {
    expect(luaL_dostring(L, "x = (x or 0) + 1 return _VERSION .. type(jit) .. x") == 0,
           "PUC Lua runs");
    const char *got = lua_tostring(L, -1);
    expect(got && strncmp(got, "Lua 5.1nil", 10) == 0, "the host's Lua is PUC Lua");
    lua_pop(L, 1);
    expect(luaL_dostring(L, "goto a ::a::") != 0, "PUC Lua has no goto");
    lua_pop(L, 1);
    expect(luaL_dostring(L, "error({})") != 0, "PUC Lua raises");
    lua_pop(L, 1);
}

static void run_policies(lsched_cluster *cluster) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_policy_info info = {.size = sizeof info};
    int32_t rc = load(cluster, good, &err);
    expect(rc == LSCHED_OK, rc == LSCHED_OK ? "" : err.message);
    expect(load(cluster, "return { api = 1, weight = function() return nil + 1 end }", &err) ==
               LSCHED_E_POLICY,
           "an error inside a hook is caught");
    expect(strstr(err.message, "arithmetic") != NULL, "it is LuaJIT's own");
    expect(load(cluster, "return { api = 1", &err) == LSCHED_E_SYNTAX, "a syntax error is caught");
    expect(load(cluster, "while true do end", &err) == LSCHED_E_BUDGET, "a loop is ended");
    expect(lsched_policy_get(cluster, &info, NULL) == LSCHED_OK &&
               strcmp(info.name, "with-goto") == 0,
           "the policy that loaded stays");
}

int main(void) {
    lua_State *L = luaL_newstate();
    lsched_cluster *cluster = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    expect(L != NULL, "PUC Lua has a state");
    luaL_openlibs(L);
    expect(lsched_cluster_create(NULL, &cluster, &err) == LSCHED_OK, "there is a cluster");
    for (int round = 0; round < 3 && !failures; round++) {
        run_puc(L);
        run_policies(cluster);
    }
    lua_close(L);
    run_policies(cluster);
    lsched_cluster_destroy(cluster);
    puts(failures ? "failed" : "PUC Lua and policies run side by side");
    return failures != 0;
}

#else

int main(void) {
    puts("skipped: PUC Lua 5.1 is not installed (Debian: liblua5.1-0-dev)");
    return 77;
}

#endif
