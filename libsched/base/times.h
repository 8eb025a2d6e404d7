/*
 * times.h -- sums of times in microseconds. A sum above LSCHED_AMOUNT_MAX (2^62) becomes
 * LSCHED_NEVER_US.
 *
 * All code that adds a duration to a time calls time_after. Therefore no sum overflows, and no
 * state contains a time that the verifier refuses. Public calls accept times and durations up to
 * LIMIT_TIME_US (2^61). Therefore the sum of one time and one duration is exact, and only a sum of
 * three or more values can become LSCHED_NEVER_US. Why not a check in each function that adds
 * times: there are about forty such functions, and one of them would be forgotten.
 */
#ifndef LIBSCHED_TIMES_H
#define LIBSCHED_TIMES_H

#include "base/limits.h"

/* Returns at + span, or LSCHED_NEVER_US if the sum is above LSCHED_AMOUNT_MAX. span must not be
 * negative. */
static inline int64_t time_after(int64_t at, int64_t span) {
    int64_t sum;
    if (__builtin_add_overflow(at, span, &sum) || sum > LSCHED_AMOUNT_MAX) return LSCHED_NEVER_US;
    return sum;
}
/* Returns at + span, or LSCHED_AMOUNT_MAX if the sum is larger. The function is for callers that
 * need a point of time and cannot use LSCHED_NEVER_US. */
static inline int64_t time_after_at_most(int64_t at, int64_t span) {
    int64_t sum = time_after(at, span);
    return sum == LSCHED_NEVER_US ? LSCHED_AMOUNT_MAX : sum;
}

#endif
