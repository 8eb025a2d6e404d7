/*
 * lua_freeze.h -- makes sure that a hook cannot keep state between calls in tables of the policy
 * text.
 *
 * Two measures cost nothing at run time. First, the text must not assign an entry of a table by the
 * table's own name, if hooks can reach the table (lua_source.c). Second, a metatable refuses new
 * entries. Neither measure catches an assignment to an existing entry through another name of the
 * table. Lua has no read-only tables, and if they were replaced by proxy tables, `#` would not
 * work. Therefore, if the text assigns any entry inside a function, all entries are recorded when
 * the policy is loaded, and compared after each call of a hook. The comparison costs some 40 ns per
 * entry and is charged as instructions.
 */
#ifndef LSCHED_LUA_FREEZE_H
#define LSCHED_LUA_FREEZE_H

#include "lua/state/lua_host.h"

/* In host_run only: makes the tables that hooks can reach read-only and records their entries.
 * Before the call, the policy's definition table is at stack index 1. */
void freeze_reachable(struct lua_host *host);
/* In host_run only: sets every recorded entry that a hook changed back to its recorded value.
 * Returns the name of a changed entry, or NULL if no entry was changed. The name is valid until the
 * Lua state is used again. */
const char *freeze_restore(struct lua_host *host);

#endif
