/*
 * time_set.h -- sets the latest time of the cluster when an operator asks for it: forwards after
 * the orchestrator's machine slept, backwards after the orchestrator used a wrong clock. Without
 * such a request, time advances only with cycles and reports, and never goes backwards.
 *
 * Afterwards M_NOW and M_SCHEDULED are the new time, and M_CYCLED is no later time. If a past
 * event (a start, failure, eviction, proposal or sample) has a time later than the new time, its
 * time becomes the new time. If an expected event has a time later than the new time, its distance
 * to the current time is kept: an event that was due 10 s after the old M_NOW is due 10 s after the
 * new one. An expected event that was due already stays due. The next cycle tries all jobs again
 * that wait for a time, and makes all timers again. Therefore no past event has a time after M_NOW.
 * The verifier requires this of proposals and of decayed use. Times that are not later than the new
 * time stay. Therefore setting the clock forwards changes only M_NOW and M_SCHEDULED, unless work
 * was imported with a start in the future.
 *
 * Cost: one pass over jobs, tasks, decisions and queues. Why not shift all times by one
 * difference: a single wrong report moves only M_NOW, and all other times are correct.
 */
#ifndef LIBSCHED_TIME_SET_H
#define LIBSCHED_TIME_SET_H

#include "model/store/columns.h"

/* Sets the clock. If it returns LSCHED_E_NOMEM, the caller must roll back. It does not change the
 * times of taints; node_taints.h has the function for these. */
int32_t time_set(struct columns *k, int64_t now);

#endif
