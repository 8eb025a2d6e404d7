/*
 * evict_park.h -- parks the bundles again for which an action that evicts found no victims.
 *
 * A bundle that the action woke is parked with the same list and the same wait reason as before.
 * The reason why no victims were found is recorded in addition (evict_tell.h). A job that no
 * earlier action of the pass tried gets the wait reason for which it found no free room before
 * victims were sought. Cost: O(1) for a bundle.
 */
#ifndef LIBSCHED_EVICT_PARK_H
#define LIBSCHED_EVICT_PARK_H

#include "engine/state/cycle_state.h"

/* Parks the bundle of the current job with the same list and wait reason as before, and records
 * why no victims were found. Returns 1, or 0 if this action did not wake the bundle. */
int32_t evict_park(lsched_cycle *cy, uint32_t bundle);
/* Sets *differs to 1 if another job of the job's bundle can have another answer, because nodes are
 * to leave and that job can run for less time. A job of the bundle runs for no less time than the
 * shortest length says, so that jobs of one length, or of none, stay together. Returns LSCHED_OK or
 * LSCHED_E_NOMEM. */
int32_t evict_park_differs(lsched_cycle *cy, uint32_t job, uint32_t bundle, int *differs);
/* As evict_park, for the first job of a bundle whose jobs can have different answers: the job gets
 * a bundle for itself, and the other jobs keep their turn. Returns 1, 0 if nothing was done, or
 * LSCHED_E_NOMEM. */
int32_t evict_park_alone(lsched_cycle *cy, uint32_t job);
/* Records the same as evict_park for a bundle that this action has not woken, because the bundle is
 * tried where it is parked (evict_in_place.h). */
void evict_park_in_place(lsched_cycle *cy, uint32_t bundle);
/* Parks all bundles that this action woke and that are still in line. Returns LSCHED_OK or
 * LSCHED_E_NOMEM. */
int32_t evict_park_all(lsched_cycle *cy);
/* True if an action that evicts tries the bundle although no earlier action of this pass has
 * searched for room for it. */
int evict_is_untried(const lsched_cycle *cy, uint32_t bundle);
/* Called before the victim search for the job begins. If no earlier action of the pass tried the
 * job, keeps the reason why no free room was found for it. If the search finds no victims either,
 * this is the job's wait reason. */
void evict_note_found(lsched_cycle *cy, uint32_t job);
/* Called before the current job is parked. If evict_note_found kept a reason for the job, restores
 * this reason in cy->turn.why and returns 1. Otherwise returns 0. */
int evict_found(lsched_cycle *cy, uint32_t job);
/* Called after the bundle of a job is parked that no earlier action of the pass tried. Records why
 * no work could be evicted for the job. */
void evict_tell_untried(lsched_cycle *cy, uint32_t bundle);

#endif
