/*
 * lua_tree.c -- see lua_tree.h.
 *
 * While the parser builds the tree, the field `ref` of a node with children holds the index of its
 * last child. tree_settle() sets these fields to PARSE_NONE when the tree is complete.
 */
#include "lua/front/lua_tree.h"

#include <string.h>

#include "base/vec.h"

void tree_free(struct parse_tree *tree) {
    if (tree->nodes) alloc_free(tree->alloc, tree->nodes, tree->cap * sizeof *tree->nodes);
    tree->nodes = NULL;
    tree->n = tree->cap = 0;
}

uint32_t tree_add(struct parse_tree *tree, enum parse_kind kind, const struct lex_token *token,
                  uint32_t function) {
    if (tree->n == PARSE_NODES_MAX || !VEC_ROOM(tree->alloc, tree->nodes, tree->cap, tree->n + 1))
        return PARSE_NONE;
    tree->nodes[tree->n] = (struct parse_node){.kind = (uint8_t)kind,
                                               .line = token->line,
                                               .column = token->column,
                                               .at = token->at,
                                               .len = token->len,
                                               .line_end = token->line,
                                               .first = PARSE_NONE,
                                               .next = PARSE_NONE,
                                               .parent = PARSE_NONE,
                                               .ref = PARSE_NONE,
                                               .function = function};
    return tree->n++;
}

void tree_attach(struct parse_tree *tree, uint32_t parent, uint32_t child) {
    struct parse_node *of = &tree->nodes[parent];
    if (of->first == PARSE_NONE)
        of->first = child;
    else
        tree->nodes[of->ref].next = child;
    of->ref = child;
    tree->nodes[child].parent = parent;
}

void tree_settle(struct parse_tree *tree) {
    for (uint32_t i = 0; i < tree->n; i++) {
        if (tree->nodes[i].kind != PARSE_NAME) tree->nodes[i].ref = PARSE_NONE;
    }
}

uint32_t tree_child(const struct parse_tree *tree, uint32_t node, uint32_t i) {
    uint32_t child = tree->nodes[node].first;
    while (child != PARSE_NONE && i-- > 0) child = tree->nodes[child].next;
    return child;
}

uint32_t tree_count(const struct parse_tree *tree, uint32_t node) {
    uint32_t n = 0;
    for (uint32_t c = tree->nodes[node].first; c != PARSE_NONE; c = tree->nodes[c].next) n++;
    return n;
}

/* Returns the next node of a walk as tree_step() does, but without visiting the children of
 * `node`. */
static uint32_t parse_skip(const struct parse_tree *tree, uint32_t root, uint32_t node) {
    while (node != root) {
        if (tree->nodes[node].next != PARSE_NONE) return tree->nodes[node].next;
        node = tree->nodes[node].parent;
    }
    return PARSE_NONE;
}

uint32_t tree_step(const struct parse_tree *tree, uint32_t root, uint32_t node) {
    uint32_t first = tree->nodes[node].first;
    return first != PARSE_NONE ? first : parse_skip(tree, root, node);
}

const char *tree_word(const struct parse_tree *tree, uint32_t node, uint32_t *len) {
    const struct parse_node *n = &tree->nodes[node];
    const char *p = tree->text + n->at;
    *len = n->len;
    switch (n->kind) {
    case PARSE_VARIABLE:
        if (!(n->flags & PARSE_IS_SELF)) return p;
        *len = 4;
        return "self";
    case PARSE_NAME:
    case PARSE_WORD: return p;
    case PARSE_STRING:
        if (*p == '[' || memchr(p, '\\', n->len)) return NULL;
        *len = n->len - 2;
        return p + 1;
    default: return NULL;
    }
}

int tree_is_word(const struct parse_tree *tree, uint32_t node, const char *word) {
    uint32_t len;
    const char *p = tree_word(tree, node, &len);
    return p && strlen(word) == len && memcmp(p, word, len) == 0;
}

uint32_t tree_initial(const struct parse_tree *tree, uint32_t variable) {
    uint32_t parent = tree->nodes[variable].parent;
    if (tree->nodes[parent].kind == PARSE_LOCAL_FUNCTION) return tree->nodes[variable].next;
    if (tree->nodes[parent].kind != PARSE_LIST ||
        tree->nodes[tree->nodes[parent].parent].kind != PARSE_LOCAL)
        return PARSE_NONE;
    uint32_t values = tree->nodes[parent].next;
    if (values == PARSE_NONE) return PARSE_NONE;
    uint32_t value = tree->nodes[values].first, v = tree->nodes[parent].first;
    for (; v != variable && value != PARSE_NONE; v = tree->nodes[v].next)
        value = tree->nodes[value].next;
    return value;
}

/* The loop ends, because each name leads to a variable that was declared earlier in the text. */
uint32_t tree_known_function(const struct parse_tree *tree, uint32_t expression) {
    while (expression != PARSE_NONE) {
        const struct parse_node *n = &tree->nodes[expression];
        if (n->kind == PARSE_FUNCTION) return expression;
        if (n->kind == PARSE_PAREN) {
            expression = n->first;
        } else if (n->kind == PARSE_NAME && n->ref != PARSE_NONE &&
                   !(tree->nodes[n->ref].flags & PARSE_IS_ASSIGNED)) {
            expression = tree_initial(tree, n->ref);
        } else {
            break;
        }
    }
    return PARSE_NONE;
}

uint32_t tree_function_line(const struct parse_tree *tree, uint32_t function) {
    const struct parse_node *n = &tree->nodes[function];
    if (tree->nodes[n->parent].kind == PARSE_FUNCTION_STATEMENT) return n->line;
    return tree->nodes[n->first].line; /* line of the '(' before the parameters */
}
