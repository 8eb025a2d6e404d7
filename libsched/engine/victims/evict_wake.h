/*
 * evict_wake.h -- chooses the bundles for which an action seeks victims: parked bundles that wait
 * for room which other jobs hold. Normally, only bundles that were tried in this pass are chosen.
 * If the state has changed since the last search for victims, bundles that this pass has not tried
 * are chosen, too. Cost: O(bundles).
 */
#ifndef LIBSCHED_EVICT_WAKE_H
#define LIBSCHED_EVICT_WAKE_H

#include "engine/rights/victim_state.h"

/* Allocates the list of the bundles that the action wakes. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t evict_wake_open(lsched_cycle *cy);
void evict_wake_close(lsched_cycle *cy);
/* True if evictions for this reason (LSCHED_FOR_*) could end the wait reason of the parked
 * bundle. */
int evict_wake_cures(const struct columns *k, uint32_t bundle, uint32_t reason);
/* True if the bundle is parked for a wait reason that evictions could end, and the current stage of
 * the action has not tried the bundle yet. all: 0 if the bundle must also have been tried in this
 * pass, by any action. */
int evict_wakes(const lsched_cycle *cy, uint32_t reason, uint32_t bundle, int all);
/* True if an action that evicts for this reason (LSCHED_FOR_*) would wake at least one bundle. The
 * caller tests this first, because without a bundle to try it need not allocate the search. */
int evict_wake_any(lsched_cycle *cy, uint32_t reason);
/* Wakes all bundles for which the current action seeks victims. The wait code and the list of each
 * bundle are kept in struct victim_woken. Returns the number of bundles, or LSCHED_E_NOMEM. */
int32_t evict_wake_all(lsched_cycle *cy);
/* True if the action woke the bundle from its wait for a planned start. */
int evict_wake_was_planned(const lsched_cycle *cy, uint32_t bundle);

#endif
