/*
 * lua_lift_values.h -- determines the values of names, fields and constants in the text of a hook;
 * see lua_lift.h.
 *
 * The values of the chunk's locals are read from the upvalues of the Lua function, after the chunk
 * has run. Therefore the results of all computations of the chunk are known. These values cannot
 * change later, because hooks must not assign the locals, and the tables in them are read-only
 * (lua_freeze.h).
 */
#ifndef LSCHED_LUA_LIFT_VALUES_H
#define LSCHED_LUA_LIFT_VALUES_H

#include "lua/lift/lua_lift_graph.h"

struct lift_value lift_leaf(struct lift *l, uint32_t at);
struct lift_value lift_index(struct lift *l, uint32_t at);
uint32_t lift_input(struct lift *l, const struct lift_input *input);

#endif
