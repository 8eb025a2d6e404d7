/*
 * lua_parser.h -- the parser as a state machine with a stack of its own: frames, the nodes that it
 * adds, and the names in scope.
 *
 * Each frame stands for a construct of the text, such as an `if` or an operator. The frame's state
 * says what the parser does when the frame above it is finished. The limits on nesting
 * (TOKENS_NEST_MAX) and on operators (PARSE_LEVELS_MAX) bound the stack. After a failure, no
 * further token is read and the machine stops, so no step has to check whether the step before it
 * failed. After a failure, a step can still change node 0 by mistake. This does no harm, because
 * the tree is discarded.
 */
#ifndef LSCHED_LUA_PARSER_H
#define LSCHED_LUA_PARSER_H

#include "lua/front/lua_tokens.h"
#include "lua/front/lua_tree.h"

enum { FRAMES_MAX = 640 };

/* The state of a frame: the construct whose end the frame waits for. */
enum parser_state {
    /* a statement of a block; frame.mark is NOTHING_READ, STATEMENT_READ or LAST_READ */
    AT_STATEMENT,
    CHUNK_END,
    STATEMENT_END, /* the end of a statement that needs nothing more */
    BODY_END,
    WHILE_CONDITION,
    REPEAT_BLOCK,
    REPEAT_CONDITION,
    IF_CONDITION,
    IF_BLOCK,    /* frame.mark: 1 for the block of `else` */
    FOR_NUMBERS, /* frame.mark: number of expressions read so far (first, last, step) */
    FOR_LIST,
    LIST_VALUE, /* value of a LIST or RETURN */
    LOCAL_END,
    FIRST_TARGET, /* first target of an assignment, or a call */
    MORE_TARGETS,
    FUNCTION_BLOCK,
    FUNCTION_OF_STATEMENT,
    /* frame.mark: binding power; an operator becomes part of the operand only if its left binding
     * power is higher */
    OPERAND,
    RIGHT_SIDE,
    OPERATOR,
    SUFFIX,
    PAREN_VALUE,
    BRACKET_VALUE,
    ARGUMENT, /* frame.mark: 1 if the call has no arguments */
    ARGUMENT_TABLE,
    TABLE_ITEM,
    TABLE_KEY,
    TABLE_VALUE
};

/* values of frame.mark in the state AT_STATEMENT */
enum { NOTHING_READ, STATEMENT_READ, LAST_READ };

struct frame {
    uint8_t state, mark;
    uint16_t n_locals; /* number of locals in scope when the frame began */
    uint32_t node;
    struct lex_token opener;
};

struct parser {
    struct parse_tree *tree;
    struct tokens t;
    uint32_t value; /* node of the expression that was read last */
    uint32_t function, levels, n_locals, n_frames;
    uint32_t locals[PARSE_LOCALS_MAX];
    struct frame frames[FRAMES_MAX];
};

static inline int parser_failed(const struct parser *p) {
    return p->t.code < 0;
}
static inline struct parse_node *parser_node(struct parser *p, uint32_t node) {
    return &p->tree->nodes[node];
}
static inline void parser_pop(struct parser *p) {
    p->n_frames--;
}
static inline void parser_leave_block(struct parser *p, const struct frame *f) {
    p->n_locals = f->n_locals;
}

void parser_expect(struct parser *p, uint32_t kind, const char *what);
/* Takes the token that closes the construct opened by f->opener. If the current token is another
 * one, it is a syntax error. */
void parser_expect_close(struct parser *p, const struct frame *f, uint32_t kind, const char *what);
/* Adds a node whose text is this token. Returns the node's index, or 0 after a failure. */
uint32_t parser_node_of(struct parser *p, enum parse_kind kind, const struct lex_token *t);
uint32_t parser_node_here(struct parser *p, enum parse_kind kind);
void parser_attach(struct parser *p, uint32_t parent, uint32_t child);
uint32_t parser_attach_here(struct parser *p, uint32_t parent, enum parse_kind kind);
/* Sets the end of the node's text to the end of the token taken last. */
void parser_finish(struct parser *p, uint32_t node);
void parser_finish_value(struct parser *p, uint32_t node);
/* Adds a node around the expression p->value, which becomes its first child. The line and column of
 * the new node are those of the current token. */
uint32_t parser_wrap(struct parser *p, enum parse_kind kind);
void parser_declare(struct parser *p, uint32_t variable);
/* Declares the variables that are in the first child of `node`, or that are its first children. */
void parser_declare_first(struct parser *p, uint32_t node);
int parser_is_name(struct parser *p);
/* Takes a name, which becomes a child of `parent`. */
uint32_t parser_take_name(struct parser *p, uint32_t parent, enum parse_kind kind);
/* Takes a name that is used as a variable; p->value becomes its node. */
void parser_take_use(struct parser *p);
void parser_note_assigned(struct parser *p, uint32_t target);
/* Pushes a frame in this state for `node`. The current token becomes the frame's opener. */
struct frame *parser_push(struct parser *p, enum parser_state state, uint32_t node);
/* Sets the state of frame f and pushes a frame for an expression. Frame f continues in this state
 * when the expression has been read. */
void parser_wait_for_expression(struct parser *p, struct frame *f, enum parser_state state);
void parser_wait_for_block(struct parser *p, struct frame *f, enum parser_state state);
void parser_push_list(struct parser *p, uint32_t list);

#endif
