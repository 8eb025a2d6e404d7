/*
 * cure.h -- in which list a job is parked: that of what could cure what it waits for. A list that
 * wakes too often costs a try, one that wakes too seldom a start; so where several things could
 * help it is a wider one.
 */
#ifndef LIBSCHED_CURE_H
#define LIBSCHED_CURE_H

#include "engine/state/cycle_state.h"

/* PARKED_*, and whose list it is; 0 for a list of all. */
uint32_t cure_list(const struct columns *k, uint32_t job, const struct diagnosis *w, uint32_t *of);

#endif
