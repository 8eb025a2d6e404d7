/*
 * lua_speeds.h -- reads the table `speeds` of a policy: how fast kinds of work run on models of
 * devices (base/speed_table.h).
 *
 *   speeds = { prefer = "speed", others = "train",
 *       speed = { train = { ["H100-80GB"] = 3.2, ["A100-80GB"] = 1.5 }, serve = { T4 = 1 } },
 *       scaling = { train = { [1] = 1, [2] = 1.9, [8] = 5.5 } } }
 *
 * The keys of `speed` are the kinds of work, and the keys of all their tables are the models. A
 * model without a number for a kind has 1.0, and one warning counts such holes and names the first.
 * A table of `scaling` has the speed of a job of the kind on numbers of devices.
 */
#ifndef LSCHED_LUA_SPEEDS_H
#define LSCHED_LUA_SPEEDS_H

#include "lua/state/lua_host.h"

/* In host_run only: checks the value on top of the stack and fills host->desc.speeds. The value nil
 * sets nothing. The stack can have more values after the call. */
void speeds_read(struct lua_host *host);

#endif
