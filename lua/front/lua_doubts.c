/* lua_doubts.c -- see lua_doubts.h. */
#include "lua/front/lua_doubts.h"

#include <stdio.h>

static uint32_t lua_doubts_kind_of(const struct parse_tree *tree, uint32_t node) {
    return node == PARSE_NONE ? (uint32_t)PARSE_CHUNK : tree_at(tree, node)->kind;
}

/* If the node is the name of a local that is assigned once, returns the expression that initializes
 * the local; otherwise returns the node. Parentheses around the node are dropped. */
static uint32_t lua_doubts_meant(const struct parse_tree *tree, uint32_t node) {
    if (lua_doubts_kind_of(tree, node) == PARSE_PAREN) node = tree_at(tree, node)->first;
    if (lua_doubts_kind_of(tree, node) != PARSE_NAME) return node;
    uint32_t variable = tree_at(tree, node)->ref;
    if (variable == PARSE_NONE || (tree_at(tree, variable)->flags & PARSE_IS_ASSIGNED)) return node;
    uint32_t initial = tree_initial(tree, variable);
    return initial == PARSE_NONE ? node : initial;
}

/* True if the node names an object that a hook gets: a parameter called `job`, `queue` or the like,
 * of a function that is the value of a key in a table. */
static int is_object(const struct parse_tree *tree, uint32_t node) {
    static const char *const names[] = {"job", "queue", "node", "candidate", "cluster"};
    if (lua_doubts_kind_of(tree, node) != PARSE_NAME) return 0;
    uint32_t variable = tree_at(tree, node)->ref;
    if (variable == PARSE_NONE) return 0;
    const struct parse_node *v = tree_at(tree, variable);
    if (!(v->flags & PARSE_IS_PARAM) || (v->flags & PARSE_IS_ASSIGNED)) return 0;
    if (lua_doubts_kind_of(tree, tree_at(tree, v->function)->parent) != PARSE_ITEM_WORD) return 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (tree_is_word(tree, variable, names[i])) return 1;
    return 0;
}

/* ---- results of calendar functions ---- */

struct doubt_range {
    const char *function;
    int first, last;
    const char *words;
};

static const struct doubt_range *lua_doubts_range_of(const struct parse_tree *tree, uint32_t node) {
    static const struct doubt_range ranges[] = {{"weekday", 1, 7, "1 (Monday) to 7 (Sunday)"},
                                                {"hour", 0, 23, "0 to 23"},
                                                {"minute", 0, 59, "0 to 59"},
                                                {"month", 1, 12, "1 to 12"},
                                                {"day_of_month", 1, 31, "1 to 31"}};
    uint32_t call = lua_doubts_meant(tree, node);
    if (lua_doubts_kind_of(tree, call) != PARSE_CALL) return NULL;
    uint32_t callee = tree_at(tree, call)->first;
    if (lua_doubts_kind_of(tree, callee) != PARSE_INDEX) return NULL;
    uint32_t library = tree_at(tree, callee)->first;
    if (lua_doubts_kind_of(tree, library) != PARSE_NAME ||
        tree_at(tree, library)->ref != PARSE_NONE || !tree_is_word(tree, library, "calendar"))
        return NULL;
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (tree_is_word(tree, tree_at(tree, library)->next, ranges[i].function)) return &ranges[i];
    return NULL;
}

/* True if the node is a string literal, or a whole number outside of the range. */
static int is_outside(const struct parse_tree *tree, uint32_t node,
                      const struct doubt_range *range) {
    if (lua_doubts_kind_of(tree, node) == PARSE_STRING) return 1;
    if (lua_doubts_kind_of(tree, node) != PARSE_NUMBER) return 0;
    const struct parse_node *n = tree_at(tree, node);
    int64_t number = 0;
    for (uint32_t i = 0; i < n->len; i++) {
        char c = tree->text[n->at + i];
        /* other sorts of numbers cause no warning */
        if (c < '0' || c > '9' || number > INT32_MAX) return 0;
        number = number * 10 + (c - '0');
    }
    return number < range->first || number > range->last;
}

static int doubt_range(const struct parse_tree *tree, uint32_t a, uint32_t b, int unlike,
                       char *text, size_t cap) {
    const struct doubt_range *range = lua_doubts_range_of(tree, a);
    uint32_t literal = lua_doubts_meant(tree, b);
    if (!range || !is_outside(tree, literal, range)) return 0;
    const struct parse_node *n = tree_at(tree, literal);
    snprintf(text, cap, "calendar.%s gives %s, which is %s %.*s", range->function, range->words,
             unlike ? "always unlike" : "never equal to", (int)(n->len < 40 ? n->len : 40),
             tree->text + n->at);
    return 1;
}

/* ---- nil, and lengths ---- */

static int doubt_nil(const struct parse_tree *tree, uint32_t a, uint32_t b, char *text,
                     size_t cap) {
    uint32_t index = lua_doubts_meant(tree, a), len;
    if (lua_doubts_kind_of(tree, b) != PARSE_NIL || lua_doubts_kind_of(tree, index) != PARSE_INDEX)
        return 0;
    uint32_t object = tree_at(tree, index)->first;
    uint32_t key = object == PARSE_NONE ? PARSE_NONE : tree_at(tree, object)->next;
    if (!is_object(tree, object) || lua_doubts_kind_of(tree, key) != PARSE_WORD) return 0;
    const char *word = tree_word(tree, key, &len);
    uint32_t named;
    const char *name = tree_word(tree, object, &named);
    snprintf(text, cap,
             "%.*s.%.*s is never nil: an unknown value is 0 or an empty text, as the "
             "table of fields says",
             (int)named, name, (int)(len < 40 ? len : 40), word);
    return 1;
}

static int doubt_length(const struct parse_tree *tree, uint32_t node, char *text, size_t cap) {
    uint32_t operand = tree_at(tree, node)->first, len;
    if (tree_at(tree, node)->operator!= '#' || !is_object(tree, operand)) return 0;
    const char *word = tree_word(tree, operand, &len);
    snprintf(text, cap, "#%.*s is not a count: a %.*s has fields, but no elements", (int)len, word,
             (int)len, word);
    return 1;
}

static int doubt_comparison(const struct parse_tree *tree, uint32_t node, char *text, size_t cap) {
    const struct parse_node *n = tree_at(tree, node);
    if (n->operator!= LEX_EQUAL && n->operator!= LEX_UNLIKE) return 0;
    uint32_t a = n->first, b = tree_at(tree, a)->next;
    int unlike = n->operator== LEX_UNLIKE;
    return doubt_range(tree, a, b, unlike, text, cap) ||
           doubt_range(tree, b, a, unlike, text, cap) || doubt_nil(tree, a, b, text, cap) ||
           doubt_nil(tree, b, a, text, cap);
}

uint32_t doubts_next(const struct parse_tree *tree, uint32_t node, char *text, size_t cap) {
    for (uint32_t i = node == PARSE_NONE ? 0 : node + 1; i < tree->n; i++) {
        uint32_t kind = lua_doubts_kind_of(tree, i);
        if (kind == PARSE_BINARY && doubt_comparison(tree, i, text, cap)) return i;
        if (kind == PARSE_UNARY && doubt_length(tree, i, text, cap)) return i;
    }
    return PARSE_NONE;
}
