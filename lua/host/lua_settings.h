/*
 * lua_settings.h -- reads the tables `eviction` and `usage` of a policy: it checks the names of
 * settings, the ranges of numbers, and the words.
 *
 * The value of each key is a table, or a function without arguments that returns a table. The
 * function is called once, after the parameters are known, so that the settings can depend on
 * parameters. policy_settings.h has the names and ranges.
 */
#ifndef LSCHED_LUA_SETTINGS_H
#define LSCHED_LUA_SETTINGS_H

#include "lua/front/policy_settings.h"
#include "lua/state/lua_host.h"

/* In host_run only: checks the value on top of the stack and fills host->desc. The value nil sets
 * nothing. After the call, the value is still on the stack; if the value was a function, the
 * function's result is there in its place. */
void settings_read(struct lua_host *host, uint32_t i);

#endif
