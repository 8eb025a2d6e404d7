/*
 * plain_value.h -- the values of constant expressions of a policy text, computed from the syntax
 * tree without LuaJIT.
 *
 * Known are literals, parentheses, the minus sign, + - * / of numbers, locals that are assigned
 * once, table constructors, functions, and `params.NAME` where the caller allows it. The value of
 * every other expression is PLAIN_UNKNOWN. A value that is known equals the value that LuaJIT
 * computes: arithmetic is that of binary64 in both, and a number literal is known only if its
 * conversion is exact or one correctly rounded operation (Clinger 1990). The evaluation does not
 * recurse; it takes at most PLAIN_STEPS_MAX steps and PLAIN_DEPTH_MAX nested expressions, and what
 * needs more is unknown.
 */
#ifndef LSCHED_PLAIN_VALUE_H
#define LSCHED_PLAIN_VALUE_H

#include "lua/front/lua_tree.h"
#include <libsched/libsched.h>

enum { PLAIN_PARAMS_MAX = 256, PLAIN_DEPTH_MAX = 64, PLAIN_STEPS_MAX = 4096 };

enum plain_kind {
    PLAIN_UNKNOWN,
    PLAIN_NIL,
    PLAIN_TRUTH,
    PLAIN_NUMBER,
    PLAIN_TEXT,
    PLAIN_TABLE,   /* `node` is the constructor */
    PLAIN_FUNCTION /* `node` is the function */
};

struct plain_value {
    enum plain_kind kind;
    uint32_t node;    /* the expression; PLAIN_UNKNOWN: the first one that is not known */
    double number;    /* PLAIN_NUMBER; PLAIN_TRUTH: 0 or 1 */
    lsched_text text; /* PLAIN_TEXT; the bytes lie in the policy text or in an option */
};

struct plain_param {
    lsched_text key;
    struct plain_value value; /* a number, a text or a truth */
};

struct plain_params {
    struct plain_param list[PLAIN_PARAMS_MAX];
    uint32_t n;
};

/* Returns the parameter of this name, NULL if there is none. */
struct plain_param *plain_params_find(struct plain_params *params, lsched_text key);

/* Returns the value of an expression. `params` is NULL where the text runs before its parameters
 * are known: then params.NAME is unknown. */
struct plain_value plain_value_of(const struct parse_tree *tree, uint32_t node,
                                  struct plain_params *params);

#endif
