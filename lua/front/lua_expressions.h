/*
 * lua_expressions.h -- the steps of the parser that read expressions: operators by their binding
 * power, calls and indexes, table constructors, and functions with their parameters.
 *
 * Each step gets the frame on top of the parser's stack. p->value is the expression that was read
 * last.
 */
#ifndef LSCHED_LUA_EXPRESSIONS_H
#define LSCHED_LUA_EXPRESSIONS_H

#include "lua/front/lua_parser.h"

/* Begins a function. Before the call, the keyword `function` has been taken, and the current token
 * is '('. */
void expression_begin_function(struct parser *p, const struct lex_token *keyword, int is_method);
/* Pushes the frames for a name or an expression in parentheses, and for the indexes and calls that
 * can follow it. */
void expression_push_primary(struct parser *p);

void expression_end_function(struct parser *p, struct frame *f);
void expression_operand(struct parser *p, struct frame *f);
void expression_end_operator(struct parser *p, struct frame *f);
void expression_operator(struct parser *p, struct frame *f);
void expression_suffix(struct parser *p, struct frame *f);
void expression_argument(struct parser *p, struct frame *f);
void expression_table(struct parser *p, struct frame *f);

#endif
