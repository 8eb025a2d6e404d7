/*
 * evict_begin.h -- the calls of lsched_act that begin and end a search for victims.
 *
 * If no victims can help any bundle, the search ends where it begins (evict_in_place.h). Otherwise
 * the bundles for which the action seeks victims wake. Cost: O(bundles).
 */
#ifndef LIBSCHED_EVICT_BEGIN_H
#define LIBSCHED_EVICT_BEGIN_H

#include "engine/state/cycle_state.h"

int32_t call_evict_begin(lsched_cycle *cy, uint32_t reason);
int32_t call_evict_end(lsched_cycle *cy);

#endif
