/* luajit_api.c -- see luajit_api.h. */
#if !defined(LSCHED_LUAJIT_STATIC) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* needed for RTLD_DEEPBIND */
#endif
#include "lua/state/luajit_api.h"

#include "base/call_args.h"

#include <string.h>

#if defined(LSCHED_LUAJIT_STATIC)

void *luajit_hold(void) {
    static char linked;
    return &linked;
}

void luajit_release(void *held) {
    (void)held;
}

int32_t luajit_held(const void *held, lsched_error *err) {
    (void)held, (void)err;
    return LSCHED_OK;
}

int32_t luajit_open(struct luajit_api *api, struct fault *fault) {
    (void)fault;
#define X(member, function) api->member = function;
    LUAJIT_FUNCTIONS(X)
#undef X
    api->library = NULL;
    return LSCHED_OK;
}

void luajit_close(struct luajit_api *api) {
    (void)api;
}

#else

#include <dlfcn.h>

#ifndef RTLD_DEEPBIND
/* Without glibc there is no RTLD_DEEPBIND. An orchestrator that links another Lua must then build
 * libsched with LSCHED_LUAJIT_STATIC. */
#define RTLD_DEEPBIND 0
#endif

static const char luajit_library[] = "libluajit-5.1.so.2";

/* `slot` points to a function pointer. POSIX guarantees that a function pointer and dlsym's void
 * pointer have the same representation. */
static int luajit_find(void *library, const char *name, void *slot) {
    void *symbol = dlsym(library, name);
    memcpy(slot, &symbol, sizeof symbol);
    return symbol != NULL;
}

void *luajit_hold(void) {
    return dlopen(luajit_library, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
}

void luajit_release(void *held) {
    if (held) dlclose(held);
}

int32_t luajit_held(const void *held, lsched_error *err) {
    if (held) return LSCHED_OK;
    return fail(err, LSCHED_E_NOLUA,
                "policies and selectors in Lua need LuaJIT (Debian: libluajit-5.1-2), and %s was "
                "not there when the cluster was created",
                luajit_library);
}

int32_t luajit_open(struct luajit_api *api, struct fault *fault) {
    api->library = luajit_hold();
    if (!api->library) {
        const char *why = dlerror();
        return fault_set(fault, LSCHED_E_NOLUA,
                         "policies in Lua need LuaJIT (Debian: libluajit-5.1-2): %s",
                         why ? why : luajit_library);
    }
    const char *missing = NULL;
#define X(member, function) \
    if (!luajit_find(api->library, #function, &api->member)) missing = #function;
    LUAJIT_FUNCTIONS(X)
#undef X
    if (!missing) return LSCHED_OK;
    luajit_close(api);
    return fault_set(fault, LSCHED_E_NOLUA, "%s has no function %s", luajit_library, missing);
}

void luajit_close(struct luajit_api *api) {
    if (api->library) dlclose(api->library);
    api->library = NULL;
}

#endif
