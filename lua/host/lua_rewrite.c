/* lua_rewrite.c -- see lua_rewrite.h. */
#include "lua/host/lua_rewrite.h"

#include <stdio.h>
#include <string.h>

#include "lua/front/lua_charge.h"
#include "lua/host/lua_length.h"
#include "lua/state/lua_host.h"

/* A local, because a read of a global is a search in a table. */
static const char prefix[] = "local " METER_NAME "=" METER_NAME " ";
static const char opening[] = "(" LENGTH_NAME "(", closing[] = "))", zero[] = METER_NAME "[3]";
enum {
    PREFIX = sizeof prefix - 1,
    OPENING = sizeof opening - 1,
    CLOSING = sizeof closing - 1,
    ZERO = sizeof zero - 1
};
/* longest text of a charge */
enum { CHARGE_BYTES = 96 };

/* What is inserted at each position of the text. */
struct marks {
    uint32_t *charges; /* charge of the piece that begins here, or 0 */
    uint32_t *ends;    /* number of operands of `#` that end here */
    /* number of bytes of the `#` or of the literal 0 that begins here and is replaced, or 0 */
    uint32_t *replaced;
};

static size_t charge_put(char *out, uint32_t charge) {
    return (size_t)snprintf(out, CHARGE_BYTES,
                            METER_NAME "[1]=" METER_NAME "[1]-%u if " METER_NAME
                                       "[1]<0 then " METER_NAME "[2]()end ",
                            (unsigned)charge);
}

/* Writes the text, or only measures it if `out` is NULL. The closing parentheses stand where the
 * operand of `#` ends. The call is in parentheses of its own, because a tail call would lose its
 * line number. If several calls close at the same place, their order does not matter. */
static size_t rewrite_copy(const struct parse_tree *tree, const struct marks *marks, char *out) {
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    char charge[CHARGE_BYTES];
    size_t n = PREFIX;
    uint32_t at = tree->text_len >= 3 && memcmp(tree->text, byte_order_mark, 3) == 0 ? 3 : 0;
    if (out) memcpy(out, prefix, PREFIX);
    for (; at <= tree->text_len; at++) {
        for (uint32_t i = 0; i < marks->ends[at]; i++, n += CLOSING)
            if (out) memcpy(out + n, closing, CLOSING);
        if (marks->charges[at]) {
            size_t bytes = charge_put(charge, marks->charges[at]);
            if (out) memcpy(out + n, charge, bytes);
            n += bytes;
        }
        if (at == tree->text_len) break;
        if (marks->replaced[at]) {
            int is_length = tree->text[at] == '#';
            size_t bytes = is_length ? OPENING : ZERO;
            if (out) memcpy(out + n, is_length ? opening : zero, bytes);
            n += bytes;
            at += marks->replaced[at] - 1;
        } else {
            if (out) out[n] = tree->text[at];
            n++;
        }
    }
    return n;
}

/* PUC Lua keeps equal constants of a function once, and 0 equals -0: a function that contains both
 * would get one of them twice. Therefore PUC Lua reads 0 from the meter and never has -0 as a
 * constant. */
static int is_zero_literal(const struct parse_tree *tree, const struct parse_node *node) {
#if defined(LSCHED_LUA_PUC)
    const char *text = tree->text + node->at;
    int is_hex = node->len > 2 && (text[1] | 0x20) == 'x';
    if (node->kind != PARSE_NUMBER) return 0;
    for (uint32_t i = is_hex ? 2 : 0; i < node->len; i++) {
        if (!is_hex && (text[i] | 0x20) == 'e') break;
        if (text[i] != '0' && text[i] != '.') return 0;
    }
    return 1;
#else
    (void)tree, (void)node;
    return 0;
#endif
}

static void marks_set(const struct parse_tree *tree, const uint32_t *charges, struct marks *marks) {
    for (uint32_t i = 0; i < tree->n; i++) {
        const struct parse_node *node = tree_at(tree, i);
        marks->charges[node->at] += charges[i];
        if (is_zero_literal(tree, node)) marks->replaced[node->at] = node->len;
        if (node->kind != PARSE_UNARY || node->operator!= '#') continue;
        marks->replaced[node->at] = 1;
        marks->ends[node->at + node->len]++;
    }
}

int32_t rewrite_text(const struct parse_tree *tree, char **out, size_t *out_len) {
    size_t places = (size_t)tree->text_len + 1;
    size_t bytes = (2 * (size_t)tree->n + 3 * places) * sizeof(uint32_t);
    uint32_t *numbers = alloc_zero(tree->alloc, bytes);
    *out = NULL;
    *out_len = 0;
    if (!numbers) return LSCHED_E_NOMEM;
    uint32_t *charges = numbers, *owners = charges + tree->n;
    struct marks marks = {.charges = owners + tree->n};
    marks.ends = marks.charges + places;
    marks.replaced = marks.ends + places;
    charge_pieces(tree, charges, owners);
    marks_set(tree, charges, &marks);
    size_t len = rewrite_copy(tree, &marks, NULL);
    char *text = alloc_new(tree->alloc, len + 1);
    if (text) {
        rewrite_copy(tree, &marks, text);
        text[len] = '\0';
        *out = text;
        *out_len = len;
    }
    alloc_free(tree->alloc, numbers, bytes);
    return text ? LSCHED_OK : LSCHED_E_NOMEM;
}
