/*
 * lua_absent.c -- what stands for lua/state, lua/host and lua/selector in a build without Lua
 * (LSCHED_NO_LUA). LuaJIT is never found, so lua/plain reads policies, and selectors of devices are
 * refused.
 *
 * The functions keep the meaning that their headers state for a machine without LuaJIT. Therefore
 * the library has no other case for such a build.
 */
#include "base/call_args.h"
#include "lua/host/lua_policy.h"
#include "lua/plain/plain_policy.h"
#include "lua/selector/lua_selector.h"
#include "lua/state/luajit_hold.h"

void *luajit_hold(void) {
    return NULL;
}

void luajit_release(void *held) {
    (void)held;
}

int32_t luajit_held(const void *held, lsched_error *err) {
    (void)held;
    return fail(err, LSCHED_E_NOLUA,
                "hooks of policies and selectors need Lua, and this build of libsched has no Lua: "
                "build it without LSCHED_NO_LUA");
}

int32_t lua_policy_create(struct alloc *alloc, const char *name, const char *text, size_t len,
                          const lsched_policy_opts *opts, struct policy *out, lsched_error *err) {
    return plain_policy_create(alloc, name, text, len, opts, out, err);
}

int32_t selectors_open(struct alloc *alloc, struct selectors **out, lsched_error *err) {
    (void)alloc, (void)out;
    return luajit_held(NULL, err);
}

void selectors_close(struct selectors *s) {
    (void)s;
}

int32_t selector_begin(struct selectors *s, lsched_text text, struct selector_form *out,
                       lsched_error *err) {
    (void)s, (void)text, (void)out;
    return luajit_held(NULL, err);
}

int32_t selector_ask(struct selectors *s, const struct selector_device *device, uint8_t *answer,
                     lsched_error *err) {
    (void)s, (void)device, (void)answer;
    return luajit_held(NULL, err);
}
