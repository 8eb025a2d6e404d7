/*
 * amounts.h -- arithmetic of amounts, which are never negative: the sum of two amounts, which is
 * limited to LSCHED_AMOUNT_MAX (2^62), and their greatest common divisor.
 */
#ifndef LIBSCHED_AMOUNTS_H
#define LIBSCHED_AMOUNTS_H

#include <libsched/types.h>

static inline int64_t amount_sum(int64_t a, int64_t b) {
    return a > LSCHED_AMOUNT_MAX - b ? LSCHED_AMOUNT_MAX : a + b;
}

/* Returns the greatest common divisor of a and b. If b is 0, the result is a; if a is 0, it is
 * b. */
static inline int64_t amount_common_divisor(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
