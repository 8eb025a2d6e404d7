/*
 * lua_parse.c -- builds the tree from the tokens; see lua_parse.h.
 *
 * The parser is a machine with a stack of its own. Each frame is a construct that waits for the
 * frame above it; the frame's state says what comes next. The machine follows LuaJIT's recursive
 * parser step by step, so that both understand a text in the same way. The limits of nesting and of
 * waiting operators bound the stack. After a failure, no further token is read and the loop ends,
 * so no step has to check whether the step before it failed. Steps may still change node 0 after a
 * failure; the tree is discarded then.
 */
#include "lua/front/lua_parse.h"

#include <string.h>

#include "lua/front/lua_tokens.h"

enum { FRAMES_MAX = 640 };

/* The state of a frame: what the frame waits for. */
enum state {
    AT_STATEMENT, /* a statement of a block; `mark`: what was read so far */
    CHUNK_END,
    STATEMENT_END, /* the end of a statement that needs nothing more */
    BODY_END,
    WHILE_CONDITION,
    REPEAT_BLOCK,
    REPEAT_CONDITION,
    IF_CONDITION,
    IF_BLOCK,    /* `mark`: 1 for the block of `else` */
    FOR_NUMBERS, /* `mark`: how many numbers were read */
    FOR_LIST,
    LIST_VALUE, /* value of a LIST or RETURN */
    LOCAL_END,
    FIRST_TARGET, /* first target of an assignment, or a call */
    MORE_TARGETS,
    FUNCTION_BLOCK,
    FUNCTION_OF_STATEMENT,
    OPERAND, /* `mark`: binding power; only operators that bind tighter are taken */
    RIGHT_SIDE,
    OPERATOR,
    SUFFIX,
    PAREN_VALUE,
    BRACKET_VALUE,
    ARGUMENT, /* `mark`: 1 if there is no argument */
    ARGUMENT_TABLE,
    TABLE_ITEM,
    TABLE_KEY,
    TABLE_VALUE
};

enum { NOTHING_READ, STATEMENT_READ, LAST_READ }; /* values of `mark` for a block */

struct frame {
    uint8_t state, mark;
    uint16_t n_locals; /* locals in scope when the frame began */
    uint32_t node;
    struct lex_token opener;
};

struct parse {
    struct parse_tree *tree;
    struct tokens t;
    uint32_t value; /* the expression that was read last */
    uint32_t function, levels, n_locals, n_frames;
    uint32_t locals[PARSE_LOCALS_MAX];
    struct frame frames[FRAMES_MAX];
};

static void lua_parse_fail(struct parse *p, const char *text) {
    tokens_fail(&p->t, text);
}

static int failed(const struct parse *p) {
    return p->t.code < 0;
}

static void lua_parse_take(struct parse *p) {
    tokens_take(&p->t);
}

static int take_if(struct parse *p, uint32_t kind) {
    return tokens_take_if(&p->t, kind);
}

static void expect(struct parse *p, uint32_t kind, const char *what) {
    if (!take_if(p, kind)) tokens_fail_expected(&p->t, what, NULL);
}

/* Takes the token that closes what f->opener opened, or fails. */
static void expect_close(struct parse *p, const struct frame *f, uint32_t kind, const char *what) {
    if (!take_if(p, kind)) tokens_fail_expected(&p->t, what, &f->opener);
}

/* ---- nodes and names ---- */

static struct parse_node *node_at(struct parse *p, uint32_t node) {
    return &p->tree->nodes[node];
}

/* Adds a node that begins and ends with the token. Returns node 0 after a failure. */
static uint32_t node_of(struct parse *p, enum parse_kind kind, const struct lex_token *t) {
    if (failed(p)) return 0;
    uint32_t node = parse_add(p->tree, kind, t, p->function);
    if (node != PARSE_NONE) return node;
    if (p->tree->n == PARSE_NODES_MAX) {
        tokens_fail_at(&p->t, LSCHED_E_LIMIT, t, "the text has more than 32768 parts");
    } else {
        tokens_fail_at(&p->t, LSCHED_E_NOMEM, &(struct lex_token){.kind = LEX_END},
                       "out of memory");
    }
    return 0;
}

static uint32_t node_here(struct parse *p, enum parse_kind kind) {
    return node_of(p, kind, &p->t.now);
}

static void attach(struct parse *p, uint32_t parent, uint32_t child) {
    if (!failed(p)) parse_attach(p->tree, parent, child);
}

static uint32_t attach_here(struct parse *p, uint32_t parent, enum parse_kind kind) {
    uint32_t node = node_here(p, kind);
    attach(p, parent, node);
    return node;
}

/* Ends the node with the token that was taken last. */
static void lua_parse_finish(struct parse *p, uint32_t node) {
    struct parse_node *n = node_at(p, node);
    n->len = p->t.last.at + p->t.last.len - n->at;
    n->line_end = p->t.last.line;
}

static void finish_value(struct parse *p, uint32_t node) {
    lua_parse_finish(p, node);
    p->value = node;
}

/* Adds a node around the last expression, which becomes its first child. The position of the node
 * is that of the current token. */
static uint32_t wrap(struct parse *p, enum parse_kind kind) {
    uint32_t node = node_here(p, kind);
    node_at(p, node)->at = node_at(p, p->value)->at;
    attach(p, node, p->value);
    return node;
}

static void lua_parse_declare(struct parse *p, uint32_t variable) {
    const struct parse_node *n = node_at(p, variable);
    const struct lex_token t = {.line = n->line, .column = n->column};
    if (p->n_locals == PARSE_LOCALS_MAX)
        tokens_fail_at(&p->t, LSCHED_E_LIMIT, &t, "more than 1024 local variables at once");
    else
        p->locals[p->n_locals++] = variable;
}

/* Declares the variables in the first child of `node`. */
static void declare_first(struct parse *p, uint32_t node) {
    uint32_t v = node_at(p, node)->first;
    if (!failed(p) && node_at(p, v)->kind == PARSE_LIST) v = node_at(p, v)->first;
    for (; !failed(p) && v != PARSE_NONE; v = node_at(p, v)->next) {
        if (node_at(p, v)->kind != PARSE_VARIABLE) break;
        lua_parse_declare(p, v);
    }
}

static int lua_parse_is_name(struct parse *p) {
    if (p->t.now.kind == LEX_NAME) return 1;
    lua_parse_fail(p, "<name> expected");
    return 0;
}

/* Takes a name as a child of `parent`. */
static uint32_t take_name(struct parse *p, uint32_t parent, enum parse_kind kind) {
    uint32_t node = lua_parse_is_name(p) ? attach_here(p, parent, kind) : 0;
    lua_parse_take(p);
    return node;
}

/* Takes the name of a variable; its node becomes p->value. */
static void take_use(struct parse *p) {
    uint32_t len, node = node_here(p, PARSE_NAME);
    p->value = node;
    for (uint32_t i = p->n_locals; !failed(p) && i-- > 0;) {
        const char *name = parse_word(p->tree, p->locals[i], &len);
        if (!lex_is(&p->t.lex, &p->t.now, name, len)) continue;
        struct parse_node *variable = node_at(p, p->locals[i]);
        if (variable->function != p->function) variable->flags |= PARSE_IS_CAPTURED;
        node_at(p, node)->ref = p->locals[i];
        break;
    }
    lua_parse_take(p);
}

static void note_assigned(struct parse *p, uint32_t target) {
    const struct parse_node *n = node_at(p, target);
    if (n->kind == PARSE_NAME && n->ref != PARSE_NONE)
        node_at(p, n->ref)->flags |= PARSE_IS_ASSIGNED;
}

/* ---- frames ---- */

/* Pushes a frame for the construct that the current token opens. */
static struct frame *lua_parse_push(struct parse *p, enum state state, uint32_t node) {
    if (p->n_frames == FRAMES_MAX) {
        tokens_fail_at(&p->t, LSCHED_E_LIMIT, &p->t.now, "nested too deep");
        p->n_frames--;
    }
    struct frame *f = &p->frames[p->n_frames++];
    *f = (struct frame){(uint8_t)state, 0, (uint16_t)p->n_locals, node, p->t.now};
    return f;
}

static void pop(struct parse *p) {
    p->n_frames--;
}

/* Pushes a frame for an expression. When that has been read, frame f continues in the given state.
 */
static void wait_for_expression(struct parse *p, struct frame *f, enum state state) {
    f->state = (uint8_t)state;
    lua_parse_push(p, OPERAND, 0);
}

static void wait_for_block(struct parse *p, struct frame *f, enum state state) {
    uint32_t block = attach_here(p, f->node, PARSE_BLOCK);
    node_at(p, block)->len = 0;
    f->state = (uint8_t)state;
    lua_parse_push(p, AT_STATEMENT, block);
}

static void push_list(struct parse *p, uint32_t list) {
    wait_for_expression(p, lua_parse_push(p, LIST_VALUE, list), LIST_VALUE);
}

static void lua_parse_leave_block(struct parse *p, const struct frame *f) {
    p->n_locals = f->n_locals;
}

static void end_statement(struct parse *p, struct frame *f) {
    lua_parse_finish(p, f->node);
    pop(p);
}

/* ---- functions ---- */

static void take_params(struct parse *p, uint32_t function, int is_method) {
    uint32_t list = attach_here(p, function, PARSE_LIST);
    const struct lex_token paren = p->t.now;
    expect(p, '(', "(");
    if (is_method) {
        uint32_t self = node_of(p, PARSE_VARIABLE, &p->t.last);
        node_at(p, self)->len = 0;
        node_at(p, self)->flags = PARSE_IS_SELF | PARSE_IS_PARAM;
        attach(p, list, self);
    }
    while (p->t.now.kind != ')' && !failed(p)) {
        if (p->t.now.kind == LEX_NAME) {
            node_at(p, take_name(p, list, PARSE_VARIABLE))->flags = PARSE_IS_PARAM;
            if (p->t.now.kind != ',') break;
            lua_parse_take(p);
            if (p->t.now.kind != ')') continue;
        } else if (p->t.now.kind == LEX_DOTS) {
            attach_here(p, list, PARSE_DOTS);
            node_at(p, function)->flags |= PARSE_IS_VARARG;
            lua_parse_take(p);
            break;
        }
        lua_parse_fail(p, "<name> or '...' expected");
    }
    if (!take_if(p, ')')) tokens_fail_expected(&p->t, ")", &paren);
    lua_parse_finish(p, list);
    declare_first(p, function);
}

/* Begins a function whose keyword was taken. The current token is '('. */
static void begin_function(struct parse *p, const struct lex_token *keyword, int is_method) {
    uint32_t node = node_of(p, PARSE_FUNCTION, keyword);
    struct frame *f = lua_parse_push(p, FUNCTION_BLOCK, node);
    f->opener = *keyword;
    p->function = node;
    take_params(p, node, is_method);
    wait_for_block(p, f, FUNCTION_BLOCK);
}

static void end_function(struct parse *p, struct frame *f) {
    lua_parse_leave_block(p, f);
    expect_close(p, f, LEX_KEY_END, "end");
    finish_value(p, f->node);
    p->function = node_at(p, f->node)->function;
    pop(p);
}

/* Begins a statement such as: function a.b.c:d() end */
static void begin_function_statement(struct parse *p, uint32_t node) {
    const struct lex_token keyword = p->t.now;
    int is_method = 0;
    lua_parse_take(p);
    if (!lua_parse_is_name(p)) return;
    take_use(p);
    while (!is_method && (p->t.now.kind == '.' || p->t.now.kind == ':')) {
        is_method = p->t.now.kind == ':';
        lua_parse_take(p);
        uint32_t index = wrap(p, PARSE_INDEX);
        take_name(p, index, PARSE_WORD);
        finish_value(p, index);
    }
    note_assigned(p, p->value);
    attach(p, node, p->value);
    lua_parse_push(p, FUNCTION_OF_STATEMENT, node);
    begin_function(p, &keyword, is_method);
}

static void begin_local(struct parse *p, uint32_t node) {
    lua_parse_take(p);
    const struct lex_token keyword = p->t.now;
    if (take_if(p, LEX_FUNCTION)) {
        node_at(p, node)->kind = PARSE_LOCAL_FUNCTION;
        lua_parse_declare(p, take_name(p, node, PARSE_VARIABLE));
        lua_parse_push(p, FUNCTION_OF_STATEMENT, node);
        begin_function(p, &keyword, 0);
        return;
    }
    uint32_t list = attach_here(p, node, PARSE_LIST);
    do {
        take_name(p, list, PARSE_VARIABLE);
    } while (take_if(p, ','));
    lua_parse_finish(p, list);
    lua_parse_push(p, LOCAL_END, node);
    if (take_if(p, '=')) push_list(p, attach_here(p, node, PARSE_LIST));
}

static void end_local(struct parse *p, struct frame *f) {
    declare_first(p, f->node);
    end_statement(p, f);
}

static void end_function_statement(struct parse *p, struct frame *f) {
    attach(p, f->node, p->value);
    end_statement(p, f);
}

/* ---- statements ---- */

static void push_primary(struct parse *p);

static int ends_block(uint32_t kind) {
    return kind == LEX_END || kind == LEX_KEY_END || kind == LEX_ELSE || kind == LEX_ELSEIF ||
           kind == LEX_UNTIL;
}

static void begin_for(struct parse *p, uint32_t node) {
    struct frame *f = lua_parse_push(p, FOR_NUMBERS, node);
    lua_parse_take(p);
    const struct lex_token name = p->t.now;
    if (!lua_parse_is_name(p)) return;
    lua_parse_take(p);
    uint32_t variable = node_of(p, PARSE_VARIABLE, &name);
    if (take_if(p, '=')) {
        attach(p, node, variable);
        wait_for_expression(p, f, FOR_NUMBERS);
        return;
    }
    if (p->t.now.kind != ',' && p->t.now.kind != LEX_IN) lua_parse_fail(p, "'=' or 'in' expected");
    uint32_t list = node_of(p, PARSE_LIST, &name);
    node_at(p, node)->kind = PARSE_FOR_IN;
    attach(p, node, list);
    attach(p, list, variable);
    while (take_if(p, ',')) take_name(p, list, PARSE_VARIABLE);
    lua_parse_finish(p, list);
    expect(p, LEX_IN, "in");
    f->state = FOR_LIST;
    push_list(p, attach_here(p, node, PARSE_LIST));
}

/* Takes a return, break, goto or label. `break` must be the last statement of its block, so that
 * every build of LuaJIT agrees. */
static void take_simple(struct parse *p, struct frame *f, uint32_t node, uint32_t kind) {
    if (kind == LEX_RETURN || kind == LEX_BREAK) f->mark = LAST_READ;
    lua_parse_push(p, STATEMENT_END, node);
    lua_parse_take(p);
    if (kind == LEX_NAME || kind == LEX_LABEL) take_name(p, node, PARSE_WORD);
    if (kind == LEX_LABEL) expect(p, LEX_LABEL, "::");
    if (kind == LEX_RETURN && !ends_block(p->t.now.kind) && p->t.now.kind != ';')
        push_list(p, node);
}

static void lua_parse_begin_statement(struct parse *p, struct frame *block) {
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
    uint32_t node = attach_here(p, block->node, (enum parse_kind)kinds[i].kind);
    enum state state = (enum state)kinds[i].state;
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
        struct frame *f = lua_parse_push(p, state, node);
        lua_parse_take(p);
        if (token == LEX_IF || token == LEX_WHILE)
            wait_for_expression(p, f, state);
        else
            wait_for_block(p, f, state);
        break;
    }
    default: lua_parse_push(p, FIRST_TARGET, node); push_primary(p);
    }
}

static void lua_parse_step_block(struct parse *p, struct frame *f) {
    if (f->mark != NOTHING_READ) take_if(p, ';');
    if (f->mark == LAST_READ || ends_block(p->t.now.kind)) {
        if (f->mark != NOTHING_READ) lua_parse_finish(p, f->node);
        pop(p);
        return;
    }
    f->mark = STATEMENT_READ;
    lua_parse_begin_statement(p, f);
}

static void lua_parse_step_if(struct parse *p, struct frame *f) {
    if (f->state == IF_CONDITION) {
        attach(p, f->node, p->value);
        expect(p, LEX_THEN, "then");
        wait_for_block(p, f, IF_BLOCK);
        return;
    }
    lua_parse_leave_block(p, f);
    if (!f->mark && take_if(p, LEX_ELSEIF)) {
        wait_for_expression(p, f, IF_CONDITION);
    } else if (!f->mark && take_if(p, LEX_ELSE)) {
        f->mark = 1;
        wait_for_block(p, f, IF_BLOCK);
    } else {
        expect_close(p, f, LEX_KEY_END, "end");
        end_statement(p, f);
    }
}

static void begin_body(struct parse *p, struct frame *f) {
    expect(p, LEX_DO, "do");
    wait_for_block(p, f, BODY_END);
}

static void end_body(struct parse *p, struct frame *f) {
    lua_parse_leave_block(p, f);
    expect_close(p, f, LEX_KEY_END, "end");
    end_statement(p, f);
}

static void step_while(struct parse *p, struct frame *f) {
    attach(p, f->node, p->value);
    begin_body(p, f);
}

static void step_for(struct parse *p, struct frame *f) {
    if (f->state == FOR_NUMBERS) {
        attach(p, f->node, p->value);
        if (++f->mark == 1) expect(p, ',', ",");
        if (f->mark == 1 || (f->mark == 2 && take_if(p, ','))) {
            wait_for_expression(p, f, FOR_NUMBERS);
            return;
        }
    }
    declare_first(p, f->node);
    begin_body(p, f);
}

static void step_repeat(struct parse *p, struct frame *f) {
    if (f->state == REPEAT_BLOCK) {
        expect_close(p, f, LEX_UNTIL, "until");
        wait_for_expression(p, f, REPEAT_CONDITION);
        return;
    }
    attach(p, f->node, p->value);
    lua_parse_leave_block(p, f);
    end_statement(p, f);
}

static void step_target(struct parse *p, struct frame *f) {
    uint32_t kind = node_at(p, p->value)->kind, node = f->node;
    if (f->state == FIRST_TARGET && (kind == PARSE_CALL || kind == PARSE_METHOD_CALL)) {
        node_at(p, node)->kind = PARSE_CALL_STATEMENT;
        attach(p, node, p->value);
        end_statement(p, f);
        return;
    }
    if (kind != PARSE_NAME && kind != PARSE_INDEX) lua_parse_fail(p, "syntax error");
    uint32_t list = f->state == FIRST_TARGET ? wrap(p, PARSE_LIST) : node_at(p, node)->first;
    attach(p, f->state == FIRST_TARGET ? node : list, f->state == FIRST_TARGET ? list : p->value);
    lua_parse_finish(p, f->state == FIRST_TARGET ? list : node_at(p, node)->first);
    note_assigned(p, p->value);
    f->state = MORE_TARGETS;
    if (take_if(p, ',')) {
        push_primary(p);
        return;
    }
    node_at(p, node)->line = p->t.now.line;
    node_at(p, node)->column = p->t.now.column;
    expect(p, '=', "=");
    f->state = STATEMENT_END;
    push_list(p, attach_here(p, node, PARSE_LIST));
}

static void step_list(struct parse *p, struct frame *f) {
    attach(p, f->node, p->value);
    if (take_if(p, ','))
        wait_for_expression(p, f, LIST_VALUE);
    else
        end_statement(p, f);
}

static void end_chunk(struct parse *p, struct frame *f) {
    if (p->t.now.kind != LEX_END) tokens_fail_expected(&p->t, "<eof>", NULL);
    end_statement(p, f);
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

/* Takes the current token as the operator of f->node. */
static void take_operator(struct parse *p, struct frame *f, uint8_t power) {
    node_at(p, f->node)->operator=(uint16_t) p->t.now.kind;
    if (++p->levels > PARSE_LEVELS_MAX)
        tokens_fail_at(&p->t, LSCHED_E_LIMIT, &p->t.now,
                       "more than 150 operators within each other");
    lua_parse_take(p);
    f->state = RIGHT_SIDE;
    lua_parse_push(p, OPERAND, 0)->mark = power;
}

static void push_table(struct parse *p) {
    lua_parse_push(p, TABLE_ITEM, node_here(p, PARSE_TABLE));
    lua_parse_take(p);
}

/* Pushes the frames for a name or an expression in parentheses, and for what follows it. */
static void push_primary(struct parse *p) {
    if (p->t.now.kind == '(') {
        struct frame *f = lua_parse_push(p, PAREN_VALUE, node_here(p, PARSE_PAREN));
        lua_parse_take(p);
        wait_for_expression(p, f, PAREN_VALUE);
    } else if (p->t.now.kind == LEX_NAME) {
        lua_parse_push(p, SUFFIX, 0);
        take_use(p);
    } else {
        lua_parse_fail(p, "unexpected symbol");
    }
}

static void step_operand(struct parse *p, struct frame *f) {
    const struct lex_token t = p->t.now;
    enum parse_kind kind = PARSE_NIL;
    f->state = OPERATOR;
    switch (t.kind) {
    case '-':
    case '#':
    case LEX_NOT:
        f->node = node_here(p, PARSE_UNARY);
        take_operator(p, f, UNARY_POWER);
        return;
    case '{': push_table(p); return;
    case LEX_FUNCTION:
        lua_parse_take(p);
        begin_function(p, &t, 0);
        return;
    case LEX_NIL: kind = PARSE_NIL; break;
    case LEX_TRUE: kind = PARSE_TRUE; break;
    case LEX_FALSE: kind = PARSE_FALSE; break;
    case LEX_NUMBER: kind = PARSE_NUMBER; break;
    case LEX_STRING: kind = PARSE_STRING; break;
    case LEX_DOTS: kind = PARSE_DOTS; break;
    default: push_primary(p); return;
    }
    if (kind == PARSE_DOTS && !(node_at(p, p->function)->flags & PARSE_IS_VARARG))
        lua_parse_fail(p, "cannot use '...' outside a vararg function");
    p->value = node_here(p, kind);
    lua_parse_take(p);
}

static void step_operator(struct parse *p, struct frame *f) {
    const struct power *power = power_of(p->t.now.kind);
    if (!power || power->left <= f->mark) {
        pop(p);
        return;
    }
    f->node = wrap(p, PARSE_BINARY);
    take_operator(p, f, power->right);
}

static void end_operator(struct parse *p, struct frame *f) {
    p->levels--;
    attach(p, f->node, p->value);
    finish_value(p, f->node);
    f->state = OPERATOR;
}

static void begin_arguments(struct parse *p, struct frame *f, uint32_t call) {
    f->node = call;
    f->opener = p->t.now;
    if (p->t.now.kind == LEX_STRING) {
        attach_here(p, call, PARSE_STRING);
        lua_parse_take(p);
        finish_value(p, call);
    } else if (p->t.now.kind == '{') {
        f->state = ARGUMENT_TABLE;
        push_table(p);
    } else if (p->t.now.kind != '(') {
        lua_parse_fail(p, "function arguments expected");
    } else if (p->t.now.line != p->t.last_end_line) {
        lua_parse_fail(p, "ambiguous syntax (function call x new statement)");
    } else {
        lua_parse_take(p);
        f->state = ARGUMENT;
        f->mark = p->t.now.kind == ')';
        if (!f->mark) wait_for_expression(p, f, ARGUMENT);
    }
}

static void step_suffix(struct parse *p, struct frame *f) {
    switch (p->t.now.kind) {
    case '.':
        lua_parse_take(p);
        f->node = wrap(p, PARSE_INDEX);
        take_name(p, f->node, PARSE_WORD);
        finish_value(p, f->node);
        break;
    case '[':
        f->opener = p->t.now;
        lua_parse_take(p);
        f->node = wrap(p, PARSE_INDEX);
        wait_for_expression(p, f, BRACKET_VALUE);
        break;
    case ':':
        lua_parse_take(p);
        f->node = wrap(p, PARSE_METHOD_CALL);
        take_name(p, f->node, PARSE_WORD);
        begin_arguments(p, f, f->node);
        break;
    case '(':
    case '{':
    case LEX_STRING: begin_arguments(p, f, wrap(p, PARSE_CALL)); break;
    default: pop(p);
    }
}

static void step_argument(struct parse *p, struct frame *f) {
    if (f->state != ARGUMENT || !f->mark) attach(p, f->node, p->value);
    if (f->state == ARGUMENT && !f->mark && take_if(p, ',')) {
        wait_for_expression(p, f, ARGUMENT);
        return;
    }
    if (f->state == ARGUMENT || f->state == PAREN_VALUE) expect_close(p, f, ')', ")");
    if (f->state == BRACKET_VALUE) expect_close(p, f, ']', "]");
    finish_value(p, f->node);
    f->state = SUFFIX;
}

static void step_table(struct parse *p, struct frame *f) {
    if (f->state != TABLE_ITEM) {
        uint32_t item = node_at(p, f->node)->ref;
        attach(p, item, p->value);
        if (f->state == TABLE_KEY) {
            expect(p, ']', "]");
            expect(p, '=', "=");
            wait_for_expression(p, f, TABLE_VALUE);
            return;
        }
        lua_parse_finish(p, item);
        f->mark = !take_if(p, ',') && !take_if(p, ';');
    }
    if (f->mark || p->t.now.kind == '}') {
        expect_close(p, f, '}', "}");
        finish_value(p, f->node);
        pop(p);
    } else if (p->t.now.kind == '[') {
        attach_here(p, f->node, PARSE_ITEM_KEY);
        lua_parse_take(p);
        wait_for_expression(p, f, TABLE_KEY);
    } else if (p->t.now.kind == LEX_NAME && tokens_ahead(&p->t) == '=') {
        take_name(p, attach_here(p, f->node, PARSE_ITEM_WORD), PARSE_WORD);
        lua_parse_take(p);
        wait_for_expression(p, f, TABLE_VALUE);
    } else {
        attach_here(p, f->node, PARSE_ITEM);
        wait_for_expression(p, f, TABLE_VALUE);
    }
}

/* ---- the machine ---- */

typedef void (*step_fn)(struct parse *p, struct frame *f);

/* One function per state, in the order of enum state. */
static const step_fn steps[] = {lua_parse_step_block,
                                end_chunk,
                                end_statement,
                                end_body,
                                step_while,
                                step_repeat,
                                step_repeat,
                                lua_parse_step_if,
                                lua_parse_step_if,
                                step_for,
                                step_for,
                                step_list,
                                end_local,
                                step_target,
                                step_target,
                                end_function,
                                end_function_statement,
                                step_operand,
                                end_operator,
                                step_operator,
                                step_suffix,
                                step_argument,
                                step_argument,
                                step_argument,
                                step_argument,
                                step_table,
                                step_table,
                                step_table};

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
    struct parse p;
    int32_t rc = refuse_text(text, len, fault);
    *tree = (struct parse_tree){.alloc = alloc, .text = text, .text_len = (uint32_t)len};
    if (rc < 0) return rc;
    memset(&p, 0, sizeof p);
    p.tree = tree;
    tokens_begin(&p.t, text, len, fault);
    const struct lex_token begin = {.line = 1, .column = 1};
    uint32_t chunk = node_of(&p, PARSE_CHUNK, &begin);
    if (!failed(&p)) {
        node_at(&p, chunk)->flags = PARSE_IS_VARARG;
        wait_for_block(&p, lua_parse_push(&p, CHUNK_END, chunk), CHUNK_END);
    }
    while (!failed(&p) && p.n_frames) {
        struct frame *f = &p.frames[p.n_frames - 1];
        steps[f->state](&p, f);
    }
    if (failed(&p))
        parse_free(tree);
    else
        parse_settle(tree);
    return p.t.code;
}
