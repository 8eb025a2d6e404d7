/*
 * cure.h -- chooses the list in which a job is parked, by the events that can end its wait.
 *
 * If a list wakes too often, the cost is a try; if it wakes too seldom, the cost is a missed start.
 * If several kinds of events could help, the job therefore goes to a wider list.
 */
#ifndef LIBSCHED_CURE_H
#define LIBSCHED_CURE_H

#include "engine/state/cycle_state.h"

/* Returns PARKED_*; *of: the shape or queue that owns the list, 0 for a list of all jobs. */
uint32_t cure_list(const struct columns *k, uint32_t job, const struct diagnosis *w, uint32_t *of);

#endif
