/* lua_dialect.c -- see lua_dialect.h. */
#include "lua/front/lua_dialect.h"

#include <string.h>

static int has_other_letters(const char *name, uint32_t len) {
    for (uint32_t i = 0; i < len; i++)
        if ((unsigned char)name[i] >= 0x80) return 1;
    return 0;
}

/* Returns the letter of the first escape that only LuaJIT knows, or 0. */
static char odd_escape(const char *text, uint32_t len) {
    if (text[0] == '[') return 0;
    for (uint32_t i = 1; i + 1 < len; i++) {
        if (text[i] != '\\') continue;
        i++;
        if (text[i] == 'x' || text[i] == 'z' || text[i] == 'u') return text[i];
    }
    return 0;
}

static int32_t check_node(const struct parse_tree *tree, uint32_t node, struct fault *fault) {
    static const char instead[] = "this libsched runs policies in PUC Lua 5.1, not in LuaJIT";
    const struct parse_node *n = tree_at(tree, node);
    const char *text = tree->text + n->at;
    switch (n->kind) {
    case PARSE_GOTO:
    case PARSE_LABEL:
        return fault_at(fault, LSCHED_E_SYNTAX, n->line, n->column,
                        "goto and labels need LuaJIT, and %s; write if, while or break", instead);
    case PARSE_NAME:
    case PARSE_WORD:
    case PARSE_VARIABLE:
        if ((n->flags & PARSE_IS_SELF) || !has_other_letters(text, n->len)) return LSCHED_OK;
        return fault_at(fault, LSCHED_E_SYNTAX, n->line, n->column,
                        "a name has a letter beyond ASCII, and %s; write it in ASCII", instead);
    case PARSE_STRING: {
        char letter = odd_escape(text, n->len);
        if (!letter) return LSCHED_OK;
        return fault_at(fault, LSCHED_E_SYNTAX, n->line, n->column,
                        "the escape \\%c needs LuaJIT, and %s; write \\ddd with the decimal code",
                        letter, instead);
    }
    default: return LSCHED_OK;
    }
}

/* Nodes are visited in the order of the text, so the first place is named. */
int32_t dialect_check(const struct parse_tree *tree, struct fault *fault) {
    int32_t rc = LSCHED_OK;
    for (uint32_t node = 0; node != PARSE_NONE && rc == LSCHED_OK; node = tree_step(tree, 0, node))
        rc = check_node(tree, node, fault);
    return rc;
}
