/*
 * evict_tell.h -- records in a bundle why no victims were found for its job.
 *
 * Several actions of a pass can seek victims for the same job, but the bundle records only one
 * reason. It keeps the most informative one: if a rule protected the candidates of one action, a
 * later action that found no candidate does not replace that reason. If work is protected only
 * because it has not run for the minimum run time yet, the bundle also records when that time is
 * over. Before the call, the caller has parked the bundle. If the bundle is parked again, the
 * record is lost. Cost: O(1), or O(queues) if the policy's `saturation` can be the reason.
 */
#ifndef LIBSCHED_EVICT_TELL_H
#define LIBSCHED_EVICT_TELL_H

#include "engine/state/cycle_state.h"

/* Records why the current action found no victims, unless the reason `before` is more informative.
 * before: the reason that an earlier action of this pass recorded, LSCHED_NO_VICTIM_NOT_TRIED if no
 * earlier action sought victims. Before the call, the caller has reserved space in the undo log
 * with undo_room(). */
void evict_tell(struct lsched_cycle *cy, uint32_t bundle, uint8_t before);

#endif
