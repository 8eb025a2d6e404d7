/* plain_value.c -- see plain_value.h. */
#include "lua/plain/plain_value.h"

#include <string.h>

struct plain_param *plain_params_find(struct plain_params *params, lsched_text key) {
    for (uint32_t i = 0; i < params->n; i++) {
        struct plain_param *p = &params->list[i];
        if (p->key.len == key.len && memcmp(p->key.ptr, key.ptr, (size_t)key.len) == 0) return p;
    }
    return NULL;
}

/* ---- numbers ---- */

enum { EXACT_POWER_MAX = 22 }; /* 10^22 is the greatest power of ten that binary64 has exactly */
#define EXACT_DIGITS ((uint64_t)1 << 53)

static double power_of_ten(uint32_t n) {
    double x = 1;
    while (n-- > 0) x *= 10; /* exact up to 10^22 */
    return x;
}

static int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 16;
}

/* Reads digits with at most one point. Returns 0 if they exceed what a double has exactly, or if
 * they are no number: the lexer takes 1..2 and 1e+ as tokens, and LuaJIT refuses them. */
static int plain_value_read_digits(const char *text, uint32_t len, uint32_t *at, int base,
                                   uint64_t *digits, int32_t *exponent) {
    int after_point = 0;
    for (; *at < len; ++*at) {
        if (text[*at] == '.') {
            if (after_point) return 0;
            after_point = 1;
            continue;
        }
        int digit = digit_of(text[*at]);
        if (digit >= base) break;
        *digits = *digits * (uint64_t)base + (uint64_t)digit;
        if (*digits > EXACT_DIGITS) return 0;
        *exponent -= after_point;
    }
    return !(after_point && base == 16);
}

static int read_exponent(const char *text, uint32_t len, uint32_t *at, int32_t *exponent) {
    if (*at == len) return 1;
    if (text[*at] != 'e' && text[*at] != 'E') return 0;
    int is_minus = 0;
    int32_t x = 0;
    if (++*at < len && (text[*at] == '-' || text[*at] == '+')) is_minus = text[(*at)++] == '-';
    if (*at == len) return 0;
    for (; *at < len; ++*at) {
        if (digit_of(text[*at]) > 9) return 0;
        x = x * 10 + digit_of(text[*at]);
        if (x > 1000) return 0;
    }
    *exponent += is_minus ? -x : x;
    return 1;
}

static struct plain_value plain_value_number_literal(const struct parse_tree *tree, uint32_t node) {
    const struct parse_node *n = tree_at(tree, node);
    const char *text = tree->text + n->at;
    int is_hex = n->len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    struct plain_value out = {.kind = PLAIN_UNKNOWN, .node = node};
    uint32_t at = is_hex ? 2 : 0;
    uint64_t digits = 0;
    int32_t exponent = 0;
    if (!plain_value_read_digits(text, n->len, &at, is_hex ? 16 : 10, &digits, &exponent))
        return out;
    if (is_hex ? at != n->len : !read_exponent(text, n->len, &at, &exponent)) return out;
    if (exponent < -EXACT_POWER_MAX || exponent > EXACT_POWER_MAX) return out;
    out.kind = PLAIN_NUMBER;
    out.number = exponent < 0 ? (double)digits / power_of_ten((uint32_t)-exponent)
                              : (double)digits * power_of_ten((uint32_t)exponent);
    return out;
}

/* ---- expressions ---- */

struct plain_frame {
    uint32_t node, taken; /* taken: number of operands whose values are known */
    struct plain_value left;
};

static struct plain_value param_value(const struct parse_tree *tree, uint32_t node,
                                      struct plain_params *params) {
    struct plain_value unknown = {.kind = PLAIN_UNKNOWN, .node = node};
    const struct parse_node *object = tree_at(tree, tree_child(tree, node, 0));
    uint32_t key_node = tree_child(tree, node, 1), len;
    if (!params || object->kind != PARSE_NAME || object->ref != PARSE_NONE ||
        !tree_is_word(tree, tree_child(tree, node, 0), "params"))
        return unknown;
    const char *word = tree_word(tree, key_node, &len);
    if (!word || (tree_at(tree, key_node)->kind != PARSE_WORD &&
                  tree_at(tree, key_node)->kind != PARSE_STRING))
        return unknown;
    const struct plain_param *p = plain_params_find(params, (lsched_text){word, len});
    if (!p) return unknown;
    struct plain_value value = p->value;
    value.node = node;
    return value;
}

/* Returns the value of an expression without operands. */
static struct plain_value leaf_value(const struct parse_tree *tree, uint32_t node,
                                     struct plain_params *params) {
    struct plain_value out = {.kind = PLAIN_UNKNOWN, .node = node};
    uint32_t len;
    switch (tree_at(tree, node)->kind) {
    case PARSE_NIL: out.kind = PLAIN_NIL; break;
    case PARSE_TRUE: out.kind = PLAIN_TRUTH, out.number = 1; break;
    case PARSE_FALSE: out.kind = PLAIN_TRUTH; break;
    case PARSE_NUMBER: return plain_value_number_literal(tree, node);
    case PARSE_TABLE: out.kind = PLAIN_TABLE; break;
    case PARSE_FUNCTION: out.kind = PLAIN_FUNCTION; break;
    case PARSE_INDEX: return param_value(tree, node, params);
    case PARSE_STRING:
        out.text.ptr = tree_word(tree, node, &len);
        if (!out.text.ptr) break;
        out.text.len = len;
        out.kind = PLAIN_TEXT;
        break;
    default: break;
    }
    return out;
}

/* Returns the next operand of an expression, PARSE_NONE if it has no more. A name has one operand,
 * the expression that its local is initialized with. */
static uint32_t next_operand(const struct parse_tree *tree, const struct plain_frame *f) {
    const struct parse_node *n = tree_at(tree, f->node);
    switch (n->kind) {
    case PARSE_PAREN:
    case PARSE_UNARY: return f->taken < 1 ? tree_child(tree, f->node, 0) : PARSE_NONE;
    case PARSE_BINARY: return f->taken < 2 ? tree_child(tree, f->node, f->taken) : PARSE_NONE;
    case PARSE_NAME:
        if (f->taken || n->ref == PARSE_NONE || tree_at(tree, n->ref)->function != 0 ||
            (tree_at(tree, n->ref)->flags & (PARSE_IS_ASSIGNED | PARSE_IS_PARAM)))
            return PARSE_NONE;
        return tree_initial(tree, n->ref);
    default: return PARSE_NONE;
    }
}

/* Returns the value of an expression from the values of its operands: f->left and `last`. */
static struct plain_value combine(const struct parse_tree *tree, const struct plain_frame *f,
                                  struct plain_value last) {
    const struct parse_node *n = tree_at(tree, f->node);
    struct plain_value out = {.kind = PLAIN_UNKNOWN, .node = f->node};
    double a = f->left.number, b = last.number;
    if (n->kind == PARSE_PAREN || n->kind == PARSE_NAME) {
        last.node = last.kind == PLAIN_TABLE || last.kind == PLAIN_FUNCTION ? last.node : f->node;
        return last;
    }
    if (last.kind != PLAIN_NUMBER || (n->kind == PARSE_BINARY && f->left.kind != PLAIN_NUMBER))
        return out;
    out.kind = PLAIN_NUMBER;
    if (n->kind == PARSE_UNARY) {
        if (n->operator!= '-') out.kind = PLAIN_UNKNOWN;
        out.number = -b;
        return out;
    }
    switch (n->operator) {
    case '+': out.number = a + b; break;
    case '-': out.number = a - b; break;
    case '*': out.number = a * b; break;
    case '/': out.number = a / b; break;
    default: out.kind = PLAIN_UNKNOWN;
    }
    return out;
}

struct plain_value plain_value_of(const struct parse_tree *tree, uint32_t node,
                                  struct plain_params *params) {
    struct plain_frame stack[PLAIN_DEPTH_MAX];
    struct plain_value value = {.kind = PLAIN_UNKNOWN, .node = node};
    uint32_t depth = 0;
    stack[depth++] = (struct plain_frame){.node = node};
    for (uint32_t steps = 0; depth && steps < PLAIN_STEPS_MAX; steps++) {
        struct plain_frame *f = &stack[depth - 1];
        uint32_t operand = next_operand(tree, f);
        if (operand != PARSE_NONE) {
            if (depth == PLAIN_DEPTH_MAX) break;
            stack[depth++] = (struct plain_frame){.node = operand};
            continue;
        }
        value = f->taken ? combine(tree, f, value) : leaf_value(tree, f->node, params);
        if (value.kind == PLAIN_UNKNOWN) return value;
        if (--depth == 0) return value;
        f = &stack[depth - 1];
        if (f->taken++ == 0) f->left = value;
    }
    return (struct plain_value){.kind = PLAIN_UNKNOWN, .node = node};
}
