/*
 * lua_log.c -- log(text): messages from a policy to the orchestrator. The messages go only into the
 * plan, so no answer of a hook can depend on them. An answer that the engine kept from an earlier
 * call logs nothing again.
 *
 * A line is "score of job 'x' on node 'y': text", one line of whole characters. The text comes from
 * the policy, the names in it come from users who submit jobs, and both are shown on terminals and
 * in logs. Therefore bytes that are not UTF-8 become '?', and control characters become spaces.
 * While a policy is loaded, messages are dropped.
 */
#include <string.h>

#include "base/utf8_text.h"
#include "lua/host/lua_functions.h"
#include "lua/front/lua_value.h"

enum { LINE_PREFIX_BYTES = 160 };

/* Copies the text, at most `cap` bytes, with unsafe characters replaced. Returns how many bytes
 * were written. */
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
    if (api->gettop(L) != 1 ||
        (type != LUA_TSTRING && type != LUA_TNUMBER && type != LUA_TBOOLEAN)) {
        fault_set(&host->fault, LSCHED_E_POLICY, "log: expected one text, got %s",
                  api->gettop(L) > 1 ? "more (join them with ..)" : value_describe(host, 1).text);
        host_throw(host);
    }
    const char *text = push_shown(host, 1, &len);
    host_charge(host, 50);
    if (!host->view || !host->view->log) return 0;
    char line[POLICY_LOG_LINE_BYTES], prefix[LINE_PREFIX_BYTES];
    hook_prefix(host, prefix, sizeof prefix);
    size_t n = copy_clean(line, sizeof line - POLICY_LOG_TEXT_BYTES - 1, prefix, strlen(prefix));
    n += copy_clean(line + n, POLICY_LOG_TEXT_BYTES, text, len);
    line[n] = '\0';
    host->view->log(host->view->engine, line, n);
    return 0;
}

const struct env_function log_functions[] = {{"say", log_say}, {NULL, NULL}};
