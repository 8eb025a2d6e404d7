/*
 * evict_wake.h -- chooses the bundles for which an action seeks victims: parked bundles that wait
 * for room that other jobs hold, and that were tried in this pass. If anything changed since the
 * last search for victims, all such bundles are chosen. Cost: O(bundles).
 */
#ifndef LIBSCHED_EVICT_WAKE_H
#define LIBSCHED_EVICT_WAKE_H

#include "engine/victims/victim_search.h"

/* True if evictions for this reason (LSCHED_FOR_*) can give the parked bundle what it waits for. */
int evict_wake_cures(const struct columns *k, uint32_t bundle, uint32_t reason);
/* True if at least one bundle would wake for an action with this reason. If not, the action
 * allocates no memory. */
int evict_wake_any(lsched_cycle *y, uint32_t reason);
/* Wakes these bundles; the action keeps the wait reason of each. Returns how many there are, or
 * LSCHED_E_NOMEM. */
int32_t evict_wake_all(lsched_cycle *y);

#endif
