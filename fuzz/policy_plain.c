/* Any bytes as a policy text: what the reader without LuaJIT takes, LuaJIT takes, and both make the
 * same settings and the same hash of it. What only LuaJIT takes is refused with LSCHED_E_NOLUA. */
#include <stdlib.h>
#include <string.h>

#include "lua/host/lua_policy.h"
#include "lua/plain/plain_policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct alloc memory;
    struct policy lua, plain;
    lsched_error lua_error = LSCHED_ERROR_INIT, plain_error = LSCHED_ERROR_INIT;
    const char *text = (const char *)data;
    alloc_init(&memory, NULL, 0);
    int32_t with = lua_policy_create(&memory, "p", text, size, NULL, &lua, &lua_error);
    int32_t without = plain_policy_create(&memory, "p", text, size, NULL, &plain, &plain_error);
    if (without == LSCHED_OK) {
        if (with != LSCHED_OK || memcmp(&lua.desc, &plain.desc, sizeof lua.desc) != 0) abort();
        plain.ops->destroy(plain.self);
    } else if (with == LSCHED_OK && without != LSCHED_E_NOLUA) {
        abort();
    }
    if (with == LSCHED_OK) lua.ops->destroy(lua.self);
    if (memory.bytes != 0) abort();
    return 0;
}
