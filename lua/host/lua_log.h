/*
 * lua_log.h -- log(text): messages from a policy to the orchestrator. The messages go only into the
 * plan, so no answer of a hook can depend on them. If the engine uses an answer that it has cached
 * from an earlier call, the hook does not run, so its messages are not repeated.
 *
 * A message is one line such as "score of job 'x' on node 'y': text". The text comes from the
 * policy, and the names in the line come from users who submit jobs. Both are shown on terminals
 * and in logs. Therefore bytes that are not UTF-8 become '?', and control characters become spaces.
 * Messages of the trial runs while a policy is loaded are dropped.
 */
#ifndef LSCHED_LUA_LOG_H
#define LSCHED_LUA_LOG_H

#include "lua/host/lua_functions.h"

extern const struct env_function log_functions[];

#endif
