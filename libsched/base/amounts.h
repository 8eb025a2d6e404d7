/*
 * amounts.h -- arithmetic of amounts, which are never negative: sums that stop at LSCHED_AMOUNT_MAX
 * (2^62), and the common divisor of two amounts.
 */
#ifndef LIBSCHED_AMOUNTS_H
#define LIBSCHED_AMOUNTS_H

#include <libsched/types.h>

static inline int64_t amount_sum(int64_t a, int64_t b) {
    return a > LSCHED_AMOUNT_MAX - b ? LSCHED_AMOUNT_MAX : a + b;
}

/* Returns the largest amount that divides both; if one is 0, the other. */
static inline int64_t amount_common_divisor(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
