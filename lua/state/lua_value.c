/*
 * lua_value.c -- see lua_value.h. LuaJIT converts numbers to text, because the output of printf
 * depends on the locale.
 */
#include "lua/state/lua_value.h"

#include <math.h>
#include <stdio.h>

/* Returns the number of bytes of the text that are shown. The last UTF-8 character is shown whole
 * or not at all. */
static int shown_bytes(const char *text, size_t len) {
    size_t n = len < VALUE_SHOWN_BYTES ? len : VALUE_SHOWN_BYTES;
    while (n < len && n > 0 && ((unsigned char)text[n] & 0xC0u) == 0x80u) n--;
    return (int)n;
}

static const char *number_words(double x) {
    return x != x ? "NaN (0/0?)" : isinf(x) ? "infinity (a division by 0?)" : NULL;
}

struct value_text value_describe(struct lua_host *host, int index) {
    const struct luajit_api *api = &host->api;
    struct value_text out;
    int type = api->type(host->L, index), is_string = type == LUA_TSTRING;
    const char *words = NULL;
    if (type == LUA_TNIL || type == LUA_TNONE) words = "nothing";
    if (type == LUA_TBOOLEAN) words = api->toboolean(host->L, index) ? "true" : "false";
    if (type == LUA_TNUMBER) words = number_words(api->tonumber(host->L, index));
    if (words) {
        snprintf(out.text, sizeof out.text, "%s", words);
    } else if (is_string || type == LUA_TNUMBER) {
        size_t len;
        api->pushvalue(host->L, index);
        const char *text = api->tolstring(host->L, -1, &len);
        int shown = shown_bytes(text, len);
        snprintf(out.text, sizeof out.text, "%s%.*s%s%s", is_string ? "the string '" : "", shown,
                 text, (size_t)shown < len ? "..." : "", is_string ? "'" : "");
        api->settop(host->L, -2);
    } else {
        snprintf(out.text, sizeof out.text, "a %s", api->typename(host->L, type));
    }
    return out;
}

int value_odd_key(struct lua_host *host, int table) {
    const struct luajit_api *api = &host->api;
    int odd = LUA_TSTRING;
    api->pushnil(host->L);
    for (; api->next(host->L, table); api->settop(host->L, -2)) {
        int type = api->type(host->L, -2);
        if (type != LUA_TSTRING && (odd == LUA_TSTRING || type < odd)) odd = type;
    }
    return odd;
}
