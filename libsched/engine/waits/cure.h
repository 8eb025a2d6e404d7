/*
 * cure.h -- chooses the list in which a job is parked, by the events that can end its wait.
 *
 * An event that wakes the list of the job in vain costs one needless try of the job. An event that
 * could help, but does not wake the list, delays the start of the job. Therefore, if several kinds
 * of events could help, the job is parked in a list that more events wake.
 */
#ifndef LIBSCHED_CURE_H
#define LIBSCHED_CURE_H

#include "engine/state/cycle_state.h"

/* Returns the list (PARKED_*) in which the job is to be parked because of the wait reason w. Sets
 * *of to the row of the task shape (PARKED_SHAPE) or of the queue (PARKED_QUEUE) that owns the
 * list, and to 0 for every other list. saw_room: 1 if some node can have had room for a task of the
 * job, which affinity rules about other jobs possibly excluded; a search for victims looks at few
 * nodes with room, so after one it is 1. */
uint32_t cure_list(const struct columns *k, uint32_t job, const struct diagnosis *w, int saw_room,
                   uint32_t *of);

/* Notes the time from which the allowance suffices for the parked bundle, if it waits for one, and
 * allowed_at: the first such time of any part of the job, also of one that the reason does not name
 * (cycle_turn). */
void cure_note(struct columns *k, uint32_t bundle, const struct diagnosis *w, int64_t allowed_at);

#endif
