/*
 * lua_fields.h -- finds out from the policy text, before a hook first runs, which fields of jobs,
 * queues and nodes the hook can read, and refuses parameters that are in the wrong order.
 *
 * The engine fills and caches only these fields, so the list must contain every field that the hook
 * reads. An object's use can be followed if the text only has `job.field`, also under another name
 * or in a function that the object is passed to (lua_source.h). In this case the list is exact, and
 * unknown fields and assignments are errors with line and column. An object's use cannot be
 * followed if the text passes it to an unknown function or indexes it with a variable. In this case
 * every word of the text that is a field's name counts as read, and the hook gets a read-only view
 * of the object. To read a field whose name the text does not contain is then an error at run time;
 * the hook never gets an outdated value.
 */
#ifndef LSCHED_LUA_FIELDS_H
#define LSCHED_LUA_FIELDS_H

#include "lua/state/lua_host.h"

/* Finds out from the text which fields the function of this hook can read, and fills hook->objects.
 * Also finds the function's node in the tree and sets hook->node. Returns LSCHED_OK or the error
 * code of host->fault. */
int32_t fields_collect(struct lua_host *host, struct hook *hook,
                       const struct function_lines *lines);

#endif
