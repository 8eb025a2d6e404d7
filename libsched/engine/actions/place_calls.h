/*
 * place_calls.h -- the calls of lsched_act with which an action gets the next job, finds nodes,
 * places tasks, and keeps or undoes its transaction; every placement is checked here.
 *
 * algorithm.h documents each call: call_X is the member X of lsched_act.
 */
#ifndef LIBSCHED_PLACE_CALLS_H
#define LIBSCHED_PLACE_CALLS_H

#include "engine/state/transaction.h"

const lsched_view *call_view(lsched_cycle *cy);
int32_t call_next_job(lsched_cycle *cy, uint32_t *job);
int32_t call_groups(lsched_cycle *cy, uint32_t job, const lsched_group_view **groups, uint32_t *n);
int32_t call_checkpoint(lsched_cycle *cy, uint64_t *mark);
int32_t call_rollback(lsched_cycle *cy, uint64_t mark);
int32_t call_find_node(lsched_cycle *cy, uint32_t job, uint32_t group, uint32_t domain,
                       uint32_t *node);
int32_t call_place(lsched_cycle *cy, uint32_t job, uint32_t group, uint32_t node);
int32_t call_alternative(lsched_cycle *cy, uint32_t job, uint32_t group, uint32_t alternative);
int32_t call_within_limits(lsched_cycle *cy, uint32_t job);
int32_t call_commit(lsched_cycle *cy, uint32_t job);
int32_t call_place_on(lsched_cycle *cy, uint32_t job, uint32_t group, uint32_t node,
                      const uint64_t *device_words, uint64_t starts);
/* call_place() for a task that gets this hold. NULL: the strategy or the engine chooses one. */
int32_t call_place_as(lsched_cycle *cy, uint32_t job, uint32_t group, uint32_t node,
                      const struct hold *given);

#endif
