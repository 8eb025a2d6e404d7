/*
 * lua_entries.h -- checks the entries of tables of tables of numbers in a policy, whose rows are
 * kinds of work, such as contention.slowdown.train.serve.
 *
 * Each refusal ends host_run() with a message that has the position of the entry in the text. Of
 * several mistakes, the message names the first in the order of names, because Lua tables have no
 * order. All functions are called in host_run() only, and can leave values on the stack.
 *
 * Cost: O(entries x known names) for a table. Messages show at most 40 bytes of a name.
 */
#ifndef LSCHED_LUA_ENTRIES_H
#define LSCHED_LUA_ENTRIES_H

#include "base/padded_names.h"
#include "lua/state/lua_host.h"

/* The entry top.rows.row.key; without a row, top.key. A key that is NULL: not so deep. */
struct entry_at {
    const char *top, *rows, *row, *key;
};

/* Throws the fault of the host with the position of the entry. */
_Noreturn void entry_throw(struct lua_host *host, struct entry_at where);
/* Returns the node of the entry in the tree of the text, NULL if there is none. */
const struct parse_node *entry_node(struct lua_host *host, struct entry_at where);
/* Refuses the value on top of the stack, unless it is a table in which all entries have names.
 * `what` names it, and `example` is one. */
void entry_need_table(struct lua_host *host, const char *what, struct entry_at where,
                      const char *example);
/* Refuses the first key, in byte order, of the table on top of the stack that is none of the known
 * ones. `where` without its key is the table; with `rows` and without a row, it is the table of the
 * rows. */
void entry_need_known(struct lua_host *host, const char *what, struct entry_at where,
                      const struct padded_names *known);
/* Pushes table[key] of the table at this stack index, and returns its type. */
int entry_push(struct lua_host *host, int table, const char *key);
/* A sorted list of different names that grows: it has room for `most` names of `bytes` bytes, and
 * what no name uses is 0. `thing` is what the names are of. */
struct entry_list {
    char *first;
    uint32_t bytes, most;
    const char *thing;
};
/* Adds the keys of the table on top of the stack to a list of n names, and returns how many there
 * are then; `most` + 1 if they are too many for it, which the caller must refuse. */
uint32_t entry_names(struct lua_host *host, const char *what, struct entry_at where,
                     const struct entry_list *list, uint32_t n);
/* Returns which of the known names, from 1 on, the value on top of the stack is. Refuses another
 * value: `what` is what it is said to be. */
uint32_t entry_choice(struct lua_host *host, const char *what, struct entry_at where,
                      const struct padded_names *known);

#endif
