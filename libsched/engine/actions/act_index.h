/*
 * act_index.h -- the search index in which an action's calls look for nodes, chosen by the hooks
 * and the current job. The calls that place, plan and divide into domains all use act_index; it
 * calls none of them.
 */
#ifndef LIBSCHED_ACT_INDEX_H
#define LIBSCHED_ACT_INDEX_H

#include "engine/state/transaction.h"

struct search_index;
/* Brings the index of the group's task shape up to date and returns it in *x. */
int32_t act_index(lsched_cycle *y, uint32_t group, struct search_index **x);

#endif
