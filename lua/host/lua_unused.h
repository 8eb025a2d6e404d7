/*
 * lua_unused.h -- when a policy is loaded, warns about settings and hooks that have no effect.
 *
 * The checks use the policy's definition and fixed lists: which share algorithms read no quotas,
 * and which actions do not read `eviction`. An algorithm that the orchestrator registered possibly
 * reads every setting and hook. Therefore the names of such algorithms cause no warning.
 */
#ifndef LSCHED_LUA_UNUSED_H
#define LSCHED_LUA_UNUSED_H

#include "lua/state/lua_host.h"

/* Adds the warnings about settings and hooks that have no effect to host->warnings. Must be called
 * after the definition is read and while host->tree exists. */
void unused_warn(struct lua_host *host);
/* Adds two sorts of warnings, after `trials` trial runs of each hook: a hook answered "no" in all
 * of its runs, or a hook gave amounts in the wrong unit. */
void unused_warn_trials(struct lua_host *host, uint32_t trials);

/* These functions record the answer of one trial run: yes or no, a number, or amounts. `typical` is
 * 1 if the amounts are for the typical queue. */
void unused_note_trial(struct hook *hook, int yes);
void unused_note_number(struct hook *hook, double number);
void unused_note_amounts(struct hook *hook, const struct policy_quota *quota, int typical);

#endif
