/*
 * times.h -- sums of times. Times are microseconds; a time past LSCHED_AMOUNT_MAX (2^62) never
 * comes and becomes LSCHED_NEVER_US.
 *
 * Every place that adds a duration to a time calls time_after, so that no sum overflows and no
 * state holds a time that the verifier refuses. Public calls accept times and durations up to
 * LIMIT_TIME_US (2^61): the sum of one time and one duration is then exact, and only sums of sums
 * saturate. Why not a check at each place: one of forty places would be forgotten.
 */
#ifndef LIBSCHED_TIMES_H
#define LIBSCHED_TIMES_H

#include "base/limits.h"

/* Returns at + span (span is not negative), LSCHED_NEVER_US if that time is too late to exist. */
static inline int64_t time_after(int64_t at, int64_t span) {
    int64_t sum;
    if (__builtin_add_overflow(at, span, &sum) || sum > LSCHED_AMOUNT_MAX) return LSCHED_NEVER_US;
    return sum;
}
/* Returns at + span, but at most LSCHED_AMOUNT_MAX, the latest time, for callers that need a real
 * time. */
static inline int64_t time_after_at_most(int64_t at, int64_t span) {
    int64_t sum = time_after(at, span);
    return sum == LSCHED_NEVER_US ? LSCHED_AMOUNT_MAX : sum;
}

#endif
