/*
 * evict_wake.h -- for whom an action that evicts looks for victims: bundles that are parked for
 * want of what others hold, and that were tried in this pass, or all of them if something changed
 * since evictions were sought for them last. O(bundles).
 */
#ifndef LIBSCHED_EVICT_WAKE_H
#define LIBSCHED_EVICT_WAKE_H

#include "engine/victims/victim_search.h"

/* True if the parked bundle waits for something that stopping work for this reason (LSCHED_FOR_*)
 * may give it. */
int evict_wake_cures(const struct columns *k, uint32_t bundle, uint32_t reason);
/* True if somebody wakes for an action with this reason, so that its memory is worth having. */
int evict_wake_any(lsched_cycle *y, uint32_t reason);
/* Wake them; the action remembers what they waited for. How many, or LSCHED_E_NOMEM. */
int32_t evict_wake_all(lsched_cycle *y);

#endif
