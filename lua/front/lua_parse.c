/*
 * lua_parse.c -- reads statements and runs the machine of the parser; see lua_parse.h.
 *
 * The state machine follows LuaJIT's recursive parser step by step, so that both parsers understand
 * a text in the same way.
 */
#include "lua/front/lua_parse.h"

#include <string.h>

#include "lua/front/lua_expressions.h"

static void end_statement(struct parser *p, struct frame *f) {
    parser_finish(p, f->node);
    parser_pop(p);
}

/* Begins a function statement such as: function a.b.c:d() end */
static void begin_function_statement(struct parser *p, uint32_t node) {
    const struct lex_token keyword = p->t.now;
    int is_method = 0;
    tokens_take(&p->t);
    if (!parser_is_name(p)) return;
    parser_take_use(p);
    while (!is_method && (p->t.now.kind == '.' || p->t.now.kind == ':')) {
        is_method = p->t.now.kind == ':';
        tokens_take(&p->t);
        uint32_t index = parser_wrap(p, PARSE_INDEX);
        parser_take_name(p, index, PARSE_WORD);
        parser_finish_value(p, index);
    }
    parser_note_assigned(p, p->value);
    parser_attach(p, node, p->value);
    parser_push(p, FUNCTION_OF_STATEMENT, node);
    expression_begin_function(p, &keyword, is_method);
}

static void begin_local(struct parser *p, uint32_t node) {
    tokens_take(&p->t);
    const struct lex_token keyword = p->t.now;
    if (tokens_take_if(&p->t, LEX_FUNCTION)) {
        parser_node(p, node)->kind = PARSE_LOCAL_FUNCTION;
        parser_declare(p, parser_take_name(p, node, PARSE_VARIABLE));
        parser_push(p, FUNCTION_OF_STATEMENT, node);
        expression_begin_function(p, &keyword, 0);
        return;
    }
    uint32_t list = parser_attach_here(p, node, PARSE_LIST);
    do {
        parser_take_name(p, list, PARSE_VARIABLE);
    } while (tokens_take_if(&p->t, ','));
    parser_finish(p, list);
    parser_push(p, LOCAL_END, node);
    if (tokens_take_if(&p->t, '=')) parser_push_list(p, parser_attach_here(p, node, PARSE_LIST));
}

static void end_local(struct parser *p, struct frame *f) {
    parser_declare_first(p, f->node);
    end_statement(p, f);
}

static void end_function_statement(struct parser *p, struct frame *f) {
    parser_attach(p, f->node, p->value);
    end_statement(p, f);
}

static int ends_block(uint32_t kind) {
    return kind == LEX_END || kind == LEX_KEY_END || kind == LEX_ELSE || kind == LEX_ELSEIF ||
           kind == LEX_UNTIL;
}

static void begin_for(struct parser *p, uint32_t node) {
    struct frame *f = parser_push(p, FOR_NUMBERS, node);
    tokens_take(&p->t);
    const struct lex_token name = p->t.now;
    if (!parser_is_name(p)) return;
    tokens_take(&p->t);
    uint32_t variable = parser_node_of(p, PARSE_VARIABLE, &name);
    if (tokens_take_if(&p->t, '=')) {
        parser_attach(p, node, variable);
        parser_wait_for_expression(p, f, FOR_NUMBERS);
        return;
    }
    if (p->t.now.kind != ',' && p->t.now.kind != LEX_IN) tokens_fail(&p->t, "'=' or 'in' expected");
    uint32_t list = parser_node_of(p, PARSE_LIST, &name);
    parser_node(p, node)->kind = PARSE_FOR_IN;
    parser_attach(p, node, list);
    parser_attach(p, list, variable);
    while (tokens_take_if(&p->t, ',')) parser_take_name(p, list, PARSE_VARIABLE);
    parser_finish(p, list);
    parser_expect(p, LEX_IN, "in");
    f->state = FOR_LIST;
    parser_push_list(p, parser_attach_here(p, node, PARSE_LIST));
}

/* Takes a return, break, goto or label. `break` must be the last statement of its block, because
 * only some builds of LuaJIT allow statements after it. */
static void take_simple(struct parser *p, struct frame *f, uint32_t node, uint32_t kind) {
    if (kind == LEX_RETURN || kind == LEX_BREAK) f->mark = LAST_READ;
    parser_push(p, STATEMENT_END, node);
    tokens_take(&p->t);
    if (kind == LEX_NAME || kind == LEX_LABEL) parser_take_name(p, node, PARSE_WORD);
    if (kind == LEX_LABEL) parser_expect(p, LEX_LABEL, "::");
    if (kind == LEX_RETURN && !ends_block(p->t.now.kind) && p->t.now.kind != ';')
        parser_push_list(p, node);
}

static void begin_statement(struct parser *p, struct frame *block) {
    static const struct {
        uint16_t token;
        uint8_t kind, state;
    } kinds[] = {{LEX_IF, PARSE_IF, IF_CONDITION}, {LEX_WHILE, PARSE_WHILE, WHILE_CONDITION},
                 {LEX_DO, PARSE_DO, BODY_END},     {LEX_REPEAT, PARSE_REPEAT, REPEAT_BLOCK},
                 {LEX_FOR, PARSE_FOR_NUMERIC, 0},  {LEX_FUNCTION, PARSE_FUNCTION_STATEMENT, 0},
                 {LEX_LOCAL, PARSE_LOCAL, 0},      {LEX_RETURN, PARSE_RETURN, 0},
                 {LEX_BREAK, PARSE_BREAK, 0},      {LEX_LABEL, PARSE_LABEL, 0},
                 {LEX_NAME, PARSE_GOTO, 0},        {0, PARSE_ASSIGN, FIRST_TARGET}};
    uint32_t token = p->t.now.kind, i = 0;
    int is_jump = tokens_is_goto(&p->t, &p->t.now) && tokens_ahead(&p->t) == LEX_NAME &&
                  !tokens_is_goto(&p->t, &p->t.ahead);
    if (token == LEX_NAME && !is_jump) token = 0;
    while (kinds[i].token && kinds[i].token != token) i++;
    uint32_t node = parser_attach_here(p, block->node, (enum parse_kind)kinds[i].kind);
    enum parser_state state = (enum parser_state)kinds[i].state;
    switch (token) {
    case LEX_FUNCTION: begin_function_statement(p, node); break;
    case LEX_LOCAL: begin_local(p, node); break;
    case LEX_FOR: begin_for(p, node); break;
    case LEX_RETURN:
    case LEX_BREAK:
    case LEX_LABEL:
    case LEX_NAME: take_simple(p, block, node, token); break;
    case LEX_DO:
    case LEX_REPEAT:
    case LEX_IF:
    case LEX_WHILE: {
        struct frame *f = parser_push(p, state, node);
        tokens_take(&p->t);
        if (token == LEX_IF || token == LEX_WHILE)
            parser_wait_for_expression(p, f, state);
        else
            parser_wait_for_block(p, f, state);
        break;
    }
    default: parser_push(p, FIRST_TARGET, node); expression_push_primary(p);
    }
}

static void step_block(struct parser *p, struct frame *f) {
    if (f->mark != NOTHING_READ) tokens_take_if(&p->t, ';');
    if (f->mark == LAST_READ || ends_block(p->t.now.kind)) {
        if (f->mark != NOTHING_READ) parser_finish(p, f->node);
        parser_pop(p);
        return;
    }
    f->mark = STATEMENT_READ;
    begin_statement(p, f);
}

static void step_if(struct parser *p, struct frame *f) {
    if (f->state == IF_CONDITION) {
        parser_attach(p, f->node, p->value);
        parser_expect(p, LEX_THEN, "then");
        parser_wait_for_block(p, f, IF_BLOCK);
        return;
    }
    parser_leave_block(p, f);
    if (!f->mark && tokens_take_if(&p->t, LEX_ELSEIF)) {
        parser_wait_for_expression(p, f, IF_CONDITION);
    } else if (!f->mark && tokens_take_if(&p->t, LEX_ELSE)) {
        f->mark = 1;
        parser_wait_for_block(p, f, IF_BLOCK);
    } else {
        parser_expect_close(p, f, LEX_KEY_END, "end");
        end_statement(p, f);
    }
}

static void begin_body(struct parser *p, struct frame *f) {
    parser_expect(p, LEX_DO, "do");
    parser_wait_for_block(p, f, BODY_END);
}

static void end_body(struct parser *p, struct frame *f) {
    parser_leave_block(p, f);
    parser_expect_close(p, f, LEX_KEY_END, "end");
    end_statement(p, f);
}

static void step_while(struct parser *p, struct frame *f) {
    parser_attach(p, f->node, p->value);
    begin_body(p, f);
}

static void step_for(struct parser *p, struct frame *f) {
    if (f->state == FOR_NUMBERS) {
        parser_attach(p, f->node, p->value);
        if (++f->mark == 1) parser_expect(p, ',', ",");
        if (f->mark == 1 || (f->mark == 2 && tokens_take_if(&p->t, ','))) {
            parser_wait_for_expression(p, f, FOR_NUMBERS);
            return;
        }
    }
    parser_declare_first(p, f->node);
    begin_body(p, f);
}

static void step_repeat(struct parser *p, struct frame *f) {
    if (f->state == REPEAT_BLOCK) {
        parser_expect_close(p, f, LEX_UNTIL, "until");
        parser_wait_for_expression(p, f, REPEAT_CONDITION);
        return;
    }
    parser_attach(p, f->node, p->value);
    parser_leave_block(p, f);
    end_statement(p, f);
}

static void step_target(struct parser *p, struct frame *f) {
    uint32_t kind = parser_node(p, p->value)->kind, node = f->node;
    if (f->state == FIRST_TARGET && (kind == PARSE_CALL || kind == PARSE_METHOD_CALL)) {
        parser_node(p, node)->kind = PARSE_CALL_STATEMENT;
        parser_attach(p, node, p->value);
        end_statement(p, f);
        return;
    }
    if (kind != PARSE_NAME && kind != PARSE_INDEX) tokens_fail(&p->t, "syntax error");
    uint32_t list =
        f->state == FIRST_TARGET ? parser_wrap(p, PARSE_LIST) : parser_node(p, node)->first;
    parser_attach(p, f->state == FIRST_TARGET ? node : list,
                  f->state == FIRST_TARGET ? list : p->value);
    parser_finish(p, f->state == FIRST_TARGET ? list : parser_node(p, node)->first);
    parser_note_assigned(p, p->value);
    f->state = MORE_TARGETS;
    if (tokens_take_if(&p->t, ',')) {
        expression_push_primary(p);
        return;
    }
    parser_node(p, node)->line = p->t.now.line;
    parser_node(p, node)->column = p->t.now.column;
    parser_expect(p, '=', "=");
    f->state = STATEMENT_END;
    parser_push_list(p, parser_attach_here(p, node, PARSE_LIST));
}

static void step_list(struct parser *p, struct frame *f) {
    parser_attach(p, f->node, p->value);
    if (tokens_take_if(&p->t, ','))
        parser_wait_for_expression(p, f, LIST_VALUE);
    else
        end_statement(p, f);
}

static void end_chunk(struct parser *p, struct frame *f) {
    if (p->t.now.kind != LEX_END) tokens_fail_expected(&p->t, "<eof>", NULL);
    end_statement(p, f);
}

/* ---- the machine ---- */

typedef void (*step_fn)(struct parser *p, struct frame *f);

/* One function per state, in the order of enum parser_state. */
static const step_fn steps[] = {step_block,
                                end_chunk,
                                end_statement,
                                end_body,
                                step_while,
                                step_repeat,
                                step_repeat,
                                step_if,
                                step_if,
                                step_for,
                                step_for,
                                step_list,
                                end_local,
                                step_target,
                                step_target,
                                expression_end_function,
                                end_function_statement,
                                expression_operand,
                                expression_end_operator,
                                expression_operator,
                                expression_suffix,
                                expression_argument,
                                expression_argument,
                                expression_argument,
                                expression_argument,
                                expression_table,
                                expression_table,
                                expression_table};

static int32_t refuse_text(const char *text, size_t len, struct fault *fault) {
    if (len > PARSE_TEXT_BYTES_MAX)
        return fault_set(fault, LSCHED_E_LIMIT, "the text has %u bytes; expected at most %u",
                         len < UINT32_MAX ? (unsigned)len : UINT32_MAX,
                         (unsigned)PARSE_TEXT_BYTES_MAX);
    if (len && text[0] == '\x1B')
        return fault_at(fault, LSCHED_E_SYNTAX, 1, 1, "this is bytecode; a policy is Lua text");
    if (len && text[0] == '#')
        return fault_at(fault, LSCHED_E_SYNTAX, 1, 1, "unexpected '#'; a comment begins with --");
    return LSCHED_OK;
}

int32_t parse_text(struct parse_tree *tree, struct alloc *alloc, const char *text, size_t len,
                   struct fault *fault) {
    struct parser p;
    int32_t rc = refuse_text(text, len, fault);
    *tree = (struct parse_tree){.alloc = alloc, .text = text, .text_len = (uint32_t)len};
    if (rc < 0) return rc;
    memset(&p, 0, sizeof p);
    p.tree = tree;
    tokens_begin(&p.t, text, len, fault);
    const struct lex_token begin = {.line = 1, .column = 1};
    uint32_t chunk = parser_node_of(&p, PARSE_CHUNK, &begin);
    if (!parser_failed(&p)) {
        parser_node(&p, chunk)->flags = PARSE_IS_VARARG;
        parser_wait_for_block(&p, parser_push(&p, CHUNK_END, chunk), CHUNK_END);
    }
    while (!parser_failed(&p) && p.n_frames) {
        struct frame *f = &p.frames[p.n_frames - 1];
        steps[f->state](&p, f);
    }
    if (parser_failed(&p))
        tree_free(tree);
    else
        tree_settle(tree);
    return p.t.code;
}
