/*
 * lua_settings.h -- reads the tables `eviction` and `usage` of a policy: it checks the names of
 * settings, the ranges of numbers, and the words.
 *
 * The value of each key is a table, or a function without arguments that returns a table. The
 * function is called once, after the parameters are known, so that the settings can depend on
 * parameters. Seconds become microseconds and factors become thousandths, rounded to nearest. A
 * value whose meaning the rounding would change is refused as out of range: for example, a
 * half-life of a nanosecond would become 0, which means "none".
 */
#ifndef LSCHED_LUA_SETTINGS_H
#define LSCHED_LUA_SETTINGS_H

#include "lua/front/lua_host.h"

enum { SETTINGS = 2 };
/* Returns the key of the definition for settings table number i: "eviction" or "usage". */
const char *settings_key(uint32_t i);
/* In host_run only: checks the value on top of the stack and fills host->desc. The value nil sets
 * nothing. After the call, the value is still on the stack; if the value was a function, the
 * function's result is there in its place. */
void settings_read(struct lua_host *host, uint32_t i);

#endif
