/*
 * luajit_hold.h -- keeps LuaJIT open for the life of a cluster. This header needs no header of
 * LuaJIT.
 *
 * In a build without Lua (LSCHED_NO_LUA), lua/absent implements these functions: LuaJIT is never
 * found.
 */
#ifndef LSCHED_LUAJIT_HOLD_H
#define LSCHED_LUAJIT_HOLD_H

#include <libsched/libsched.h>

/* Opens LuaJIT and keeps it open; returns NULL if LuaJIT is not found. A cluster calls this
 * function when the cluster is created. The cluster does not wait until the first policy is loaded,
 * because the library search path can then lead to another library than at the orchestrator's
 * start. */
void *luajit_hold(void);
void luajit_release(void *held);
/* Returns LSCHED_OK, or LSCHED_E_NOLUA if `held` is NULL. */
int32_t luajit_held(const void *held, lsched_error *err);

#endif
