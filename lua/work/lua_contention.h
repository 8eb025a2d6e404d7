/*
 * lua_contention.h -- reads the table `contention` of a policy: how much slower kinds of work run
 * beside each other on one device (base/contention_table.h).
 *
 *   contention = { max = 1.2, avoid = 1.05, others = "train",
 *       slowdown = { train = { train = 1.6, serve = 1.1 }, serve = { train = 1.3 } } }
 *
 * A key `estimates`, "alone" or "beside", says whether estimates of jobs count neighbours. The keys
 * of `slowdown` are the kinds of work; slowdown.a.b is how much slower `a` runs beside
 * `b`. A pair without a number has none, 1.0, and one warning counts such pairs. Of several
 * mistakes, the message names the first in the order of names, because Lua tables have no order.
 */
#ifndef LSCHED_LUA_CONTENTION_H
#define LSCHED_LUA_CONTENTION_H

#include "lua/state/lua_host.h"

/* In host_run only: checks the value on top of the stack and fills host->desc.contention. The value
 * nil sets nothing. The stack can have more values after the call. */
void contention_read(struct lua_host *host);

#endif
