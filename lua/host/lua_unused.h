/*
 * lua_unused.h -- warns, when a policy is loaded, about settings and hooks that nothing reads.
 *
 * The checks use the definition alone: which share algorithm reads quotas, which action reads
 * `eviction`. An algorithm that the orchestrator registered may read anything, so names that are
 * not the library's own cause no warning.
 */
#ifndef LSCHED_LUA_UNUSED_H
#define LSCHED_LUA_UNUSED_H

#include "lua/front/lua_host.h"

/* Adds the warnings. Called after the definition was read, while the tree exists. */
void unused_warn(struct lua_host *host);
/* Called after `trials` trial runs of each hook: warns about hooks that answered no in all of them,
 * and about amounts in the wrong unit. */
void unused_warn_trials(struct lua_host *host, uint32_t trials);

/* Record the answer of a trial run of a hook: yes or no, a number, or the amounts for a typical
 * queue or for another one. */
void unused_note_trial(struct hook *hook, int yes);
void unused_note_number(struct hook *hook, double number);
void unused_note_amounts(struct hook *hook, const struct policy_quota *quota, int typical);

#endif
