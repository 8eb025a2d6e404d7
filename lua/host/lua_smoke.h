/*
 * lua_smoke.h -- trial runs of every hook when a policy is loaded, on jobs, queues, nodes and
 * candidates that do not exist.
 *
 * Trial runs find mistakes that only appear when a hook runs: nil arithmetic, a missing return, an
 * endless loop. The first run uses typical objects: capacities above the free amounts, no zeros,
 * labels that exist. A policy that fails in this run is not loaded. The other runs use all
 * combinations of typical, empty and large objects. Empty objects have no GPUs, no duration, no
 * deadline, no label, nothing free and quota 0. Large objects have an unlimited quota and a
 * deadline that has passed. A failure in these other runs is only a warning, which `lsched check`
 * shows, because the operator's cluster possibly has no such objects. For example, a policy is
 * allowed to divide by the number of a node's GPUs if every node of its cluster has GPUs.
 */
#ifndef LSCHED_LUA_SMOKE_H
#define LSCHED_LUA_SMOKE_H

#include "lua/state/lua_host.h"

/* Runs every hook on made-up objects and fills host->warnings. Returns LSCHED_OK, or an error with
 * *err filled if a hook fails with typical objects. */
int32_t smoke_run(struct lua_host *host, lsched_error *err);

#endif
