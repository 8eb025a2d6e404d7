/*
 * lua_unused.h -- what a policy sets and nothing reads: said once, when it is loaded, as a warning.
 *
 * From the definition alone: which share reads quotas, which action reads `eviction`. Algorithms
 * that a host registers may read anything, so a name that is not the library's own is given the
 * benefit of the doubt.
 */
#ifndef LSCHED_LUA_UNUSED_H
#define LSCHED_LUA_UNUSED_H

#include "lua/front/lua_host.h"

/* While the tree is there, after the definition was read. */
void unused_warn(struct lua_host *host);
/* After so many trial runs of each hook: answers that are the same no for everybody, and amounts in
 * the wrong unit. */
void unused_warn_trials(struct lua_host *host, uint32_t trials);

/* What a trial run of a hook answered: yes or no, a number, amounts of a typical queue or of
 * another. */
void unused_note_trial(struct hook *hook, int yes);
void unused_note_number(struct hook *hook, double number);
void unused_note_amounts(struct hook *hook, const struct policy_quota *quota, int typical);

#endif
