/*
 * act_index.h -- the search index of one task shape, in which the calls of an action look for
 * nodes. The policy's hooks and the current job decide its sort order and its scores. The calls
 * that place tasks, plan over time and divide tasks over topology domains all use act_index;
 * act_index calls none of them.
 */
#ifndef LIBSCHED_ACT_INDEX_H
#define LIBSCHED_ACT_INDEX_H

#include "engine/state/transaction.h"

struct search_index;
/* Brings the index of the leaf group's task shape up to date and stores it in *x. Returns
 * LSCHED_OK, or the error of a hook or of an allocation. */
int32_t act_index(lsched_cycle *y, uint32_t group, struct search_index **x);

#endif
