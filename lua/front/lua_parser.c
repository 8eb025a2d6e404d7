/* lua_parser.c -- see lua_parser.h. */
#include "lua/front/lua_parser.h"

void parser_expect(struct parser *p, uint32_t kind, const char *what) {
    if (!tokens_take_if(&p->t, kind)) tokens_fail_expected(&p->t, what, NULL);
}

void parser_expect_close(struct parser *p, const struct frame *f, uint32_t kind, const char *what) {
    if (!tokens_take_if(&p->t, kind)) tokens_fail_expected(&p->t, what, &f->opener);
}

/* ---- nodes and names ---- */

uint32_t parser_node_of(struct parser *p, enum parse_kind kind, const struct lex_token *t) {
    if (parser_failed(p)) return 0;
    uint32_t node = tree_add(p->tree, kind, t, p->function);
    if (node != PARSE_NONE) return node;
    if (p->tree->n == PARSE_NODES_MAX) {
        tokens_fail_at(&p->t, LSCHED_E_LIMIT, t, "the text has more than 32768 parts");
    } else {
        tokens_fail_at(&p->t, LSCHED_E_NOMEM, &(struct lex_token){.kind = LEX_END},
                       "out of memory");
    }
    return 0;
}

uint32_t parser_node_here(struct parser *p, enum parse_kind kind) {
    return parser_node_of(p, kind, &p->t.now);
}

void parser_attach(struct parser *p, uint32_t parent, uint32_t child) {
    if (!parser_failed(p)) tree_attach(p->tree, parent, child);
}

uint32_t parser_attach_here(struct parser *p, uint32_t parent, enum parse_kind kind) {
    uint32_t node = parser_node_here(p, kind);
    parser_attach(p, parent, node);
    return node;
}

void parser_finish(struct parser *p, uint32_t node) {
    struct parse_node *n = parser_node(p, node);
    n->len = p->t.last.at + p->t.last.len - n->at;
    n->line_end = p->t.last.line;
}

void parser_finish_value(struct parser *p, uint32_t node) {
    parser_finish(p, node);
    p->value = node;
}

uint32_t parser_wrap(struct parser *p, enum parse_kind kind) {
    uint32_t node = parser_node_here(p, kind);
    parser_node(p, node)->at = parser_node(p, p->value)->at;
    parser_attach(p, node, p->value);
    return node;
}

void parser_declare(struct parser *p, uint32_t variable) {
    const struct parse_node *n = parser_node(p, variable);
    const struct lex_token t = {.line = n->line, .column = n->column};
    if (p->n_locals == PARSE_LOCALS_MAX)
        tokens_fail_at(&p->t, LSCHED_E_LIMIT, &t,
                       "more than 1024 local variables are visible at one place");
    else
        p->locals[p->n_locals++] = variable;
}

void parser_declare_first(struct parser *p, uint32_t node) {
    uint32_t v = parser_node(p, node)->first;
    if (!parser_failed(p) && parser_node(p, v)->kind == PARSE_LIST) v = parser_node(p, v)->first;
    for (; !parser_failed(p) && v != PARSE_NONE; v = parser_node(p, v)->next) {
        if (parser_node(p, v)->kind != PARSE_VARIABLE) break;
        parser_declare(p, v);
    }
}

int parser_is_name(struct parser *p) {
    if (p->t.now.kind == LEX_NAME) return 1;
    tokens_fail(&p->t, "<name> expected");
    return 0;
}

uint32_t parser_take_name(struct parser *p, uint32_t parent, enum parse_kind kind) {
    uint32_t node = parser_is_name(p) ? parser_attach_here(p, parent, kind) : 0;
    tokens_take(&p->t);
    return node;
}

void parser_take_use(struct parser *p) {
    uint32_t len, node = parser_node_here(p, PARSE_NAME);
    p->value = node;
    for (uint32_t i = p->n_locals; !parser_failed(p) && i-- > 0;) {
        const char *name = tree_word(p->tree, p->locals[i], &len);
        if (!lex_is(&p->t.lex, &p->t.now, name, len)) continue;
        struct parse_node *variable = parser_node(p, p->locals[i]);
        if (variable->function != p->function) variable->flags |= PARSE_IS_CAPTURED;
        parser_node(p, node)->ref = p->locals[i];
        break;
    }
    tokens_take(&p->t);
}

void parser_note_assigned(struct parser *p, uint32_t target) {
    const struct parse_node *n = parser_node(p, target);
    if (n->kind == PARSE_NAME && n->ref != PARSE_NONE)
        parser_node(p, n->ref)->flags |= PARSE_IS_ASSIGNED;
}

/* ---- frames ---- */

struct frame *parser_push(struct parser *p, enum parser_state state, uint32_t node) {
    if (p->n_frames == FRAMES_MAX) {
        tokens_fail_at(&p->t, LSCHED_E_LIMIT, &p->t.now, "nested too deep");
        p->n_frames--;
    }
    struct frame *f = &p->frames[p->n_frames++];
    *f = (struct frame){(uint8_t)state, 0, (uint16_t)p->n_locals, node, p->t.now};
    return f;
}

void parser_wait_for_expression(struct parser *p, struct frame *f, enum parser_state state) {
    f->state = (uint8_t)state;
    parser_push(p, OPERAND, 0);
}

void parser_wait_for_block(struct parser *p, struct frame *f, enum parser_state state) {
    uint32_t block = parser_attach_here(p, f->node, PARSE_BLOCK);
    parser_node(p, block)->len = 0;
    f->state = (uint8_t)state;
    parser_push(p, AT_STATEMENT, block);
}

void parser_push_list(struct parser *p, uint32_t list) {
    parser_wait_for_expression(p, parser_push(p, LIST_VALUE, list), LIST_VALUE);
}
