/*
 * evict_in_place.h -- tries the bundles of an action that evicts where they are parked, without
 * waking them.
 *
 * Most events let an action seek victims for all bundles again, and mostly the proofs of
 * call_may_evict show at once that no victims can help any of them. Then no job starts, no work is
 * stopped, and the order in which jobs are tried has no effect. Therefore the proofs are tried
 * first, in the order of rows, with the bundles parked: without heaps of queues, keys of shares,
 * and counts of waiting jobs (put_off.h). Each bundle gets the records and each cycle the work
 * units that an action would cause which wakes and tries it.
 *
 * If a proof fails for one bundle, or the bundle's job would be parked for another reason before
 * its turn, all that was recorded is undone, and the action tries all bundles as usual. A bundle
 * that cannot be helped now can be helped after a start of another job, so there is nothing between
 * all and none. Actions of the host try their jobs themselves, because they may place jobs without
 * may_evict. Cost: a proof for each bundle.
 */
#ifndef LIBSCHED_EVICT_IN_PLACE_H
#define LIBSCHED_EVICT_IN_PLACE_H

#include "engine/state/cycle_state.h"

/* True if the bundles of the current action can be tried in place: no bundle is in line, and the
 * action is one of the library. */
int evict_in_place_may(const lsched_cycle *cy);
/* Tries all bundles for which the current action seeks victims. The victim search is open, and the
 * order of shares is up to date. Returns 1 if no victims can help any bundle, and records why.
 * Returns 0 if the action must try the bundles; the state and the cycle's counts are then as before
 * the call, but the victim search must be opened again. Otherwise returns a negative error code. */
int32_t evict_in_place(lsched_cycle *cy);

#endif
