/*
 * host_end.h -- the columns of a host hold (model/life/host_hold.h): its end and its reason.
 *
 * Holds that end at a time are in one heap, ordered by the time and then by the name of the job, so
 * that a cycle finds the first hold to end in O(1). Setting the end costs O(log n). The columns are
 * in WATCH, so that a job without a hold costs nothing.
 */
#ifndef LIBSCHED_HOST_END_H
#define LIBSCHED_HOST_END_H

#include "model/store/intern.h"

/* Sets the end of the hold: a time, LSCHED_NEVER_US for none, 0 for no hold. watch: the job's WATCH
 * row. */
void host_end_set(struct columns *k, uint32_t watch, int64_t until);
/* Sets the reason, a row of STRING of which the hold becomes a holder; NO_ROW for none. */
void host_end_reason(struct columns *k, uint32_t watch, uint32_t reason);
/* Removes the end and the reason of the job's hold, if the job has one. */
void host_end_drop(struct columns *k, uint32_t job);
/* Returns the time at which the first hold ends, LSCHED_NEVER_US if none does. */
static inline int64_t host_end_first(const struct columns *k) {
    uint32_t w = (uint32_t)meta(k, M_HOST_HEAD);
    return w == NO_ROW ? LSCHED_NEVER_US : k->c[C_WATCH_HOST_UNTIL].i64[w];
}

#endif
