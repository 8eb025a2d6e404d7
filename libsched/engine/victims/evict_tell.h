/*
 * evict_tell.h -- records in a bundle why no victims were found for its job.
 *
 * Several actions of a pass seek victims for one job, and the record has room for one reason. The
 * most informative reason is kept. A reason that names a rule which keeps work running is not
 * replaced by a later action that found no candidate at all. For work that is still too young, the
 * record has the time at which it is old enough. The bundle is parked before these functions are
 * called; parking it again drops the record. Cost: O(1), and O(queues) if the policy's saturation
 * can be the reason.
 */
#ifndef LIBSCHED_EVICT_TELL_H
#define LIBSCHED_EVICT_TELL_H

#include "engine/state/cycle_state.h"

/* Writes the reason of the current action, unless `before` says more. before: the reason of an
 * earlier action of this pass, LSCHED_EVICT_NOT_TRIED if no action sought victims. The caller has
 * called undo_room(). */
void evict_tell(struct lsched_cycle *y, uint32_t bundle, uint8_t before);

#endif
