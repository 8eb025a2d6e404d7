/* lua_log.c -- see lua_log.h. */
#include "lua/host/lua_log.h"

#include <string.h>

#include "base/utf8_text.h"
#include "lua/state/lua_value.h"
#include "lua/host/lua_batch.h"

enum { LINE_PREFIX_BYTES = 160 };

/* Copies as much of the text as fits in `cap` bytes, with unsafe characters replaced. Returns the
 * number of bytes written. */
static size_t copy_clean(char *out, size_t cap, const char *text, size_t len) {
    size_t n = 0;
    for (size_t i = 0; i < len;) {
        size_t bytes = utf8_bytes(text + i, len - i), step = bytes ? bytes : 1;
        int plain = bytes && !utf8_is_control(text + i, bytes);
        if (n + (plain ? bytes : 1) > cap) break;
        if (plain)
            memcpy(out + n, text + i, bytes);
        else
            out[n] = bytes ? ' ' : '?';
        n += plain ? bytes : 1;
        i += step;
    }
    return n;
}

static int log_say(lua_State *L) {
    struct lua_host *host = host_of(L);
    const struct luajit_api *api = &host->api;
    int type = api->type(L, 1);
    size_t len;
    if (api->gettop(L) != 1 || (type != LUA_TSTRING && type != LUA_TNUMBER && type != LUA_TBOOLEAN))
        host_refuse(host, LSCHED_E_POLICY, "log: expected one text, got %s",
                    api->gettop(L) > 1 ? "more (join them with ..)" : value_describe(host, 1).text);
    const char *text = push_shown(host, 1, &len);
    host_charge(host, 50);
    if (!host->view || !host->view->log) return 0;
    char line[POLICY_LOG_LINE_BYTES], prefix[LINE_PREFIX_BYTES];
    batch_prefix_now(host, prefix, sizeof prefix);
    size_t n = copy_clean(line, sizeof line - POLICY_LOG_TEXT_BYTES - 1, prefix, strlen(prefix));
    n += copy_clean(line + n, POLICY_LOG_TEXT_BYTES, text, len);
    line[n] = '\0';
    host->view->log(host->view->engine, line, n);
    return 0;
}

const struct env_function log_functions[] = {{"say", log_say}, {NULL, NULL}};
