/* lua_expressions.c -- see lua_expressions.h. */
#include "lua/front/lua_expressions.h"

/* ---- functions ---- */

static void take_params(struct parser *p, uint32_t function, int is_method) {
    uint32_t list = parser_attach_here(p, function, PARSE_LIST);
    const struct lex_token paren = p->t.now;
    parser_expect(p, '(', "(");
    if (is_method) {
        uint32_t self = parser_node_of(p, PARSE_VARIABLE, &p->t.last);
        parser_node(p, self)->len = 0;
        parser_node(p, self)->flags = PARSE_IS_SELF | PARSE_IS_PARAM;
        parser_attach(p, list, self);
    }
    while (p->t.now.kind != ')' && !parser_failed(p)) {
        if (p->t.now.kind == LEX_NAME) {
            parser_node(p, parser_take_name(p, list, PARSE_VARIABLE))->flags = PARSE_IS_PARAM;
            if (p->t.now.kind != ',') break;
            tokens_take(&p->t);
            if (p->t.now.kind != ')') continue;
        } else if (p->t.now.kind == LEX_DOTS) {
            parser_attach_here(p, list, PARSE_DOTS);
            parser_node(p, function)->flags |= PARSE_IS_VARARG;
            tokens_take(&p->t);
            break;
        }
        tokens_fail(&p->t, "<name> or '...' expected");
    }
    if (!tokens_take_if(&p->t, ')')) tokens_fail_expected(&p->t, ")", &paren);
    parser_finish(p, list);
    parser_declare_first(p, function);
}

void expression_begin_function(struct parser *p, const struct lex_token *keyword, int is_method) {
    uint32_t node = parser_node_of(p, PARSE_FUNCTION, keyword);
    struct frame *f = parser_push(p, FUNCTION_BLOCK, node);
    f->opener = *keyword;
    p->function = node;
    take_params(p, node, is_method);
    parser_wait_for_block(p, f, FUNCTION_BLOCK);
}

void expression_end_function(struct parser *p, struct frame *f) {
    parser_leave_block(p, f);
    parser_expect_close(p, f, LEX_KEY_END, "end");
    parser_finish_value(p, f->node);
    p->function = parser_node(p, f->node)->function;
    parser_pop(p);
}

/* ---- expressions ---- */

enum { UNARY_POWER = 8 };

static const struct power {
    uint16_t kind;
    uint8_t left, right;
} powers[] = {{'+', 6, 6},    {'-', 6, 6},        {'*', 7, 7},           {'/', 7, 7},
              {'%', 7, 7},    {LEX_CONCAT, 5, 4}, {LEX_EQUAL, 3, 3},     {LEX_UNLIKE, 3, 3},
              {'<', 3, 3},    {'>', 3, 3},        {LEX_AND, 2, 2},       {LEX_LESS_EQUAL, 3, 3},
              {LEX_OR, 1, 1}, {0, 0, 0},          {LEX_MORE_EQUAL, 3, 3}};

static const struct power *power_of(uint32_t kind) {
    for (uint32_t i = 0; kind && i < sizeof powers / sizeof powers[0]; i++) {
        if (powers[i].kind == kind) return &powers[i];
    }
    return NULL;
}

/* Takes the current token as the operator of f->node. `power` is the binding power of its right
 * operand. */
static void take_operator(struct parser *p, struct frame *f, uint8_t power) {
    parser_node(p, f->node)->operator=(uint16_t) p->t.now.kind;
    if (++p->levels > PARSE_LEVELS_MAX)
        tokens_fail_at(&p->t, LSCHED_E_LIMIT, &p->t.now,
                       "an expression nests more than 150 operators");
    tokens_take(&p->t);
    f->state = RIGHT_SIDE;
    parser_push(p, OPERAND, 0)->mark = power;
}

static void push_table(struct parser *p) {
    parser_push(p, TABLE_ITEM, parser_node_here(p, PARSE_TABLE));
    tokens_take(&p->t);
}

void expression_push_primary(struct parser *p) {
    if (p->t.now.kind == '(') {
        struct frame *f = parser_push(p, PAREN_VALUE, parser_node_here(p, PARSE_PAREN));
        tokens_take(&p->t);
        parser_wait_for_expression(p, f, PAREN_VALUE);
    } else if (p->t.now.kind == LEX_NAME) {
        parser_push(p, SUFFIX, 0);
        parser_take_use(p);
    } else {
        tokens_fail(&p->t, "unexpected symbol");
    }
}

void expression_operand(struct parser *p, struct frame *f) {
    const struct lex_token t = p->t.now;
    enum parse_kind kind = PARSE_NIL;
    f->state = OPERATOR;
    switch (t.kind) {
    case '-':
    case '#':
    case LEX_NOT:
        f->node = parser_node_here(p, PARSE_UNARY);
        take_operator(p, f, UNARY_POWER);
        return;
    case '{': push_table(p); return;
    case LEX_FUNCTION:
        tokens_take(&p->t);
        expression_begin_function(p, &t, 0);
        return;
    case LEX_NIL: kind = PARSE_NIL; break;
    case LEX_TRUE: kind = PARSE_TRUE; break;
    case LEX_FALSE: kind = PARSE_FALSE; break;
    case LEX_NUMBER: kind = PARSE_NUMBER; break;
    case LEX_STRING: kind = PARSE_STRING; break;
    case LEX_DOTS: kind = PARSE_DOTS; break;
    default: expression_push_primary(p); return;
    }
    if (kind == PARSE_DOTS && !(parser_node(p, p->function)->flags & PARSE_IS_VARARG))
        tokens_fail(&p->t, "cannot use '...' outside a vararg function");
    p->value = parser_node_here(p, kind);
    tokens_take(&p->t);
}

void expression_operator(struct parser *p, struct frame *f) {
    const struct power *power = power_of(p->t.now.kind);
    if (!power || power->left <= f->mark) {
        parser_pop(p);
        return;
    }
    f->node = parser_wrap(p, PARSE_BINARY);
    take_operator(p, f, power->right);
}

void expression_end_operator(struct parser *p, struct frame *f) {
    p->levels--;
    parser_attach(p, f->node, p->value);
    parser_finish_value(p, f->node);
    f->state = OPERATOR;
}

static void begin_arguments(struct parser *p, struct frame *f, uint32_t call) {
    f->node = call;
    f->opener = p->t.now;
    if (p->t.now.kind == LEX_STRING) {
        parser_attach_here(p, call, PARSE_STRING);
        tokens_take(&p->t);
        parser_finish_value(p, call);
    } else if (p->t.now.kind == '{') {
        f->state = ARGUMENT_TABLE;
        push_table(p);
    } else if (p->t.now.kind != '(') {
        tokens_fail(&p->t, "function arguments expected");
    } else if (p->t.now.line != p->t.last_end_line) {
        tokens_fail(&p->t, "ambiguous syntax (function call x new statement)");
    } else {
        tokens_take(&p->t);
        f->state = ARGUMENT;
        f->mark = p->t.now.kind == ')';
        if (!f->mark) parser_wait_for_expression(p, f, ARGUMENT);
    }
}

void expression_suffix(struct parser *p, struct frame *f) {
    switch (p->t.now.kind) {
    case '.':
        tokens_take(&p->t);
        f->node = parser_wrap(p, PARSE_INDEX);
        parser_take_name(p, f->node, PARSE_WORD);
        parser_finish_value(p, f->node);
        break;
    case '[':
        f->opener = p->t.now;
        tokens_take(&p->t);
        f->node = parser_wrap(p, PARSE_INDEX);
        parser_wait_for_expression(p, f, BRACKET_VALUE);
        break;
    case ':':
        tokens_take(&p->t);
        f->node = parser_wrap(p, PARSE_METHOD_CALL);
        parser_take_name(p, f->node, PARSE_WORD);
        begin_arguments(p, f, f->node);
        break;
    case '(':
    case '{':
    case LEX_STRING: begin_arguments(p, f, parser_wrap(p, PARSE_CALL)); break;
    default: parser_pop(p);
    }
}

void expression_argument(struct parser *p, struct frame *f) {
    if (f->state != ARGUMENT || !f->mark) parser_attach(p, f->node, p->value);
    if (f->state == ARGUMENT && !f->mark && tokens_take_if(&p->t, ',')) {
        parser_wait_for_expression(p, f, ARGUMENT);
        return;
    }
    if (f->state == ARGUMENT || f->state == PAREN_VALUE) parser_expect_close(p, f, ')', ")");
    if (f->state == BRACKET_VALUE) parser_expect_close(p, f, ']', "]");
    parser_finish_value(p, f->node);
    f->state = SUFFIX;
}

void expression_table(struct parser *p, struct frame *f) {
    if (f->state != TABLE_ITEM) {
        uint32_t item = parser_node(p, f->node)->ref;
        parser_attach(p, item, p->value);
        if (f->state == TABLE_KEY) {
            parser_expect(p, ']', "]");
            parser_expect(p, '=', "=");
            parser_wait_for_expression(p, f, TABLE_VALUE);
            return;
        }
        parser_finish(p, item);
        f->mark = !tokens_take_if(&p->t, ',') && !tokens_take_if(&p->t, ';');
    }
    if (f->mark || p->t.now.kind == '}') {
        parser_expect_close(p, f, '}', "}");
        parser_finish_value(p, f->node);
        parser_pop(p);
    } else if (p->t.now.kind == '[') {
        parser_attach_here(p, f->node, PARSE_ITEM_KEY);
        tokens_take(&p->t);
        parser_wait_for_expression(p, f, TABLE_KEY);
    } else if (p->t.now.kind == LEX_NAME && tokens_ahead(&p->t) == '=') {
        parser_take_name(p, parser_attach_here(p, f->node, PARSE_ITEM_WORD), PARSE_WORD);
        tokens_take(&p->t);
        parser_wait_for_expression(p, f, TABLE_VALUE);
    } else {
        parser_attach_here(p, f->node, PARSE_ITEM);
        parser_wait_for_expression(p, f, TABLE_VALUE);
    }
}
