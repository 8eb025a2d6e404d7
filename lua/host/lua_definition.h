/*
 * lua_definition.h -- reads the table that a policy text returns: its keys, their types, its
 * parameters and its hooks.
 *
 * All keys, types and values are checked once, when the policy is loaded. Therefore a typing error
 * is found then, and not when a hook first uses the key. After the checks, the tables of the policy
 * text that hooks can reach become read-only (lua_freeze.c).
 */
#ifndef LSCHED_LUA_DEFINITION_H
#define LSCHED_LUA_DEFINITION_H

#include "lua/state/lua_host.h"

/* In host_run only: checks the table at SLOT_DEFINITION, and fills host->desc, the parameters and
 * the hooks. */
void definition_read(struct lua_host *host);

#endif
