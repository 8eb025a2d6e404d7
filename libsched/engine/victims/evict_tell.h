/*
 * evict_tell.h -- why no victims were found, in the record of a bundle.
 *
 * Several actions of a pass seek victims for one job, and the record has room for one answer. The
 * one that says most stands: that a rule keeps work running is not replaced by a later action that
 * found nobody at all, and work that is too young is told with the time at which it is old enough.
 * The bundle is parked already; parking it anew drops the record.
 * Cost: O(1), and O(queues) where the policy's saturation may be what keeps the work running.
 */
#ifndef LIBSCHED_EVICT_TELL_H
#define LIBSCHED_EVICT_TELL_H

#include "engine/state/cycle_state.h"

/* before: what an earlier action of this pass found, LSCHED_EVICT_NOT_TRIED if none sought victims.
 * undo_room() was called. */
void evict_tell(struct lsched_cycle *y, uint32_t bundle, uint8_t before);

#endif
