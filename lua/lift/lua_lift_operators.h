/*
 * lua_lift_operators.h -- compiles Lua's operators and the library's functions for values whose
 * types are known; see lua_lift.h.
 *
 * The result of `and` and `or` is one of the two operands. Its type is known only if both operands
 * have the same type. Therefore `a and x or y` with two numbers is a number. `a and x` alone is a
 * number or false, and a compiled hook can only use it as a condition.
 */
#ifndef LSCHED_LUA_LIFT_OPERATORS_H
#define LSCHED_LUA_LIFT_OPERATORS_H

#include "lua/lift/lua_lift_graph.h"

/* Returns the mask that is 1 if the value counts as true. `at` is the node of the tree that a
 * refusal names. */
uint32_t lift_truth(struct lift *l, uint32_t at, struct lift_value v);
struct lift_value lift_unary(struct lift *l, uint32_t at);
struct lift_value lift_binary(struct lift *l, uint32_t at);
/* Returns the result of a library function. `at` is the CALL node; the values of its arguments are
 * already in l->of. */
struct lift_value lift_builtin(struct lift *l, uint32_t at, uint16_t id);

#endif
