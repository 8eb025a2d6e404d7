/* lua_length.c -- see lua_length.h. */
#include "lua/host/lua_length.h"

#include <string.h>

#include "lua/state/lua_value.h"

/* ---- the length ---- */

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
    while (above - below > 1) {
        size_t middle = below + (above - below) / 2;
        if (is_there(host, index, middle))
            below = middle;
        else
            above = middle;
    }
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

/* ---- the text ---- */

static const char opening[] = "(" LENGTH_NAME "(", closing[] = "))";
enum { OPENING = sizeof opening - 1, CLOSING = sizeof closing - 1 };

static int is_length(const struct parse_node *node) {
    return node->kind == PARSE_UNARY && node->operator== '#';
}

/* Copies the policy text and replaces each `#` by a call of the length function. The closing
 * parentheses are written where the operand of `#` ends. The call is in parentheses of its own,
 * because a tail call would lose its line number. If several calls close at the same place, their
 * order does not matter. */
static size_t copy_marked(const struct parse_tree *tree, const uint8_t *begins,
                          const uint32_t *ends, char *out) {
    size_t n = 0;
    for (uint32_t at = 0; at <= tree->text_len; at++) {
        for (uint32_t i = 0; i < ends[at]; i++) {
            memcpy(out + n, closing, CLOSING);
            n += CLOSING;
        }
        if (at == tree->text_len) break;
        if (begins[at]) {
            memcpy(out + n, opening, OPENING);
            n += OPENING;
        } else {
            out[n++] = tree->text[at];
        }
    }
    return n;
}

int32_t length_rewrite(const struct parse_tree *tree, char **out, size_t *out_len) {
    uint32_t found = 0, places = tree->text_len + 1;
    *out = NULL;
    *out_len = 0;
    for (uint32_t i = 0; i < tree->n; i++) found += (uint32_t)is_length(tree_at(tree, i));
    if (found == 0) return LSCHED_OK;
    size_t len =
        /* minus 1: the `#` itself is not copied */
        tree->text_len + (size_t)found * (OPENING + CLOSING - 1);
    size_t mark_bytes = places * (sizeof(uint32_t) + 1);
    uint32_t *ends = alloc_zero(tree->alloc, mark_bytes);
    char *text = alloc_new(tree->alloc, len + 1);
    if (!ends || !text) {
        alloc_free(tree->alloc, ends, mark_bytes);
        alloc_free(tree->alloc, text, len + 1);
        return LSCHED_E_NOMEM;
    }
    uint8_t *begins = (uint8_t *)(ends + places);
    for (uint32_t i = 0; i < tree->n; i++) {
        const struct parse_node *node = tree_at(tree, i);
        if (!is_length(node)) continue;
        begins[node->at] = 1;
        ends[node->at + node->len]++;
    }
    size_t n = copy_marked(tree, begins, ends, text);
    alloc_free(tree->alloc, ends, mark_bytes);
    *out = text;
    *out_len = len;
    text[*out_len] = '\0';
    return n == *out_len ? LSCHED_OK : LSCHED_E_CORRUPT;
}
