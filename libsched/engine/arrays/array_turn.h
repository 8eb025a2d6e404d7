/*
 * array_turn.h -- an array that has its turn: its next element gets a job, which is tried.
 *
 * Always: a transaction never belongs to an array, so that an array has no tasks. What a cycle
 * keeps for each row of JOB has room for the new job. Cost: O(log n) for each element that is tried
 * for the first time; an element that does not start is tried again as any other job, and no
 * further element of the array begins before it.
 */
#ifndef LIBSCHED_ARRAY_TURN_H
#define LIBSCHED_ARRAY_TURN_H

#include "engine/state/cycle_state.h"

/* If *job, the first job of the first bundle of its queue, is an array, begins the next element and
 * sets *job to it. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t array_turn(struct lsched_cycle *cy, uint32_t *job);

#endif
