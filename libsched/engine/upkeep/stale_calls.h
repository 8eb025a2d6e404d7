/*
 * stale_calls.h -- the calls that find gangs which have run below their minimum for longer than
 * allowed, and evict all tasks of these gangs (evict.h). Cost: an action reads all jobs once,
 * before the first eviction; evicting a gang costs O(tasks of the job).
 */
#ifndef LIBSCHED_STALE_CALLS_H
#define LIBSCHED_STALE_CALLS_H

#include "engine/state/cycle_state.h"

int32_t call_next_stale(lsched_cycle *cy, uint32_t *job);
int32_t call_evict_job(lsched_cycle *cy, uint32_t job);

#endif
