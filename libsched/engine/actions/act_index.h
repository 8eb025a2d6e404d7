/*
 * act_index.h -- the search index that an action's calls look for nodes in, as hooks and the job in
 * hand say. The calls that place, plan and divide into domains all ask here; it calls none of them.
 */
#ifndef LIBSCHED_ACT_INDEX_H
#define LIBSCHED_ACT_INDEX_H

#include "engine/state/transaction.h"

struct search_index;
/* The index of the group's task shape, up to date. */
int32_t act_index(lsched_cycle *y, uint32_t group, struct search_index **x);

#endif
