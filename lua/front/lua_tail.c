/* lua_tail.c -- see lua_tail.h. If a hook tail-calls a function of the policy text, the tail calls
 * of this other function are found as well. Each function is searched once. */
#include "lua/front/lua_tail.h"

#include <string.h>

enum { FUNCTIONS_MAX = 8 };

struct ends {
    uint32_t functions[FUNCTIONS_MAX], n;
};

static void ends_add(struct ends *ends, uint32_t function) {
    for (uint32_t i = 0; i < ends->n; i++)
        if (ends->functions[i] == function) return;
    if (ends->n < FUNCTIONS_MAX) ends->functions[ends->n++] = function;
}

/* Returns the call that is the only value of a return statement. Returns PARSE_NONE if the
 * statement returns anything else. */
static uint32_t returned_call(const struct parse_tree *tree, uint32_t node) {
    uint32_t first = tree_at(tree, node)->first;
    if (first == PARSE_NONE || tree_at(tree, first)->next != PARSE_NONE) return PARSE_NONE;
    uint8_t kind = tree_at(tree, first)->kind;
    return kind == PARSE_CALL || kind == PARSE_METHOD_CALL ? first : PARSE_NONE;
}

static void lua_tail_note(const struct parse_tree *tree, uint32_t call, struct tails *out) {
    const struct parse_node *c = tree_at(tree, call);
    const struct parse_node *callee = tree_at(tree, c->first);
    const struct parse_node *shown = c->kind == PARSE_CALL ? callee : c;
    if (out->n++ >= TAILS_MAX) return;
    out->calls[out->n - 1].line = shown->line;
    out->calls[out->n - 1].column = shown->column;
    out->calls[out->n - 1].at = callee->at;
    out->calls[out->n - 1].len = callee->len;
}

void tails_find(const struct parse_tree *tree, uint32_t function, struct tails *out) {
    struct ends ends = {{function}, function != PARSE_NONE};
    out->n = 0;
    for (uint32_t i = 0; i < ends.n; i++) {
        uint32_t root = ends.functions[i];
        for (uint32_t at = root; at != PARSE_NONE; at = tree_step(tree, root, at)) {
            const struct parse_node *node = tree_at(tree, at);
            if (node->kind != PARSE_RETURN || node->function != root) continue;
            uint32_t call = returned_call(tree, at);
            if (call == PARSE_NONE) continue;
            uint32_t known = tree_at(tree, call)->kind == PARSE_CALL
                                 ? tree_known_function(tree, tree_at(tree, call)->first)
                                 : PARSE_NONE;
            if (known == PARSE_NONE)
                lua_tail_note(tree, call, out);
            else
                ends_add(&ends, known);
        }
    }
}

int tails_place(const struct tails *tails, const char *text, const char *message, uint32_t *line,
                uint32_t *column) {
    uint32_t n = tails->n < TAILS_MAX ? tails->n : TAILS_MAX, found = PARSE_NONE;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t len = tails->calls[i].len;
        int is_named = strncmp(message, text + tails->calls[i].at, len) == 0 && message[len] == ':';
        /* unknown which one failed: two tail calls name the same function */
        if (is_named && found != PARSE_NONE) return 0;
        if (is_named) found = i;
    }
    if (found == PARSE_NONE && tails->n == 1) found = 0;
    if (found == PARSE_NONE) return 0;
    *line = tails->calls[found].line;
    *column = tails->calls[found].column;
    return 1;
}
