/*
 * money.h -- amounts of money in millionths, computed from a price per hour and a span, with sums
 * that stay at a bound and never wrap.
 */
#ifndef LSCHED_CLI_MONEY_H
#define LSCHED_CLI_MONEY_H

#include <stdint.h>

#define MONEY_MAX           ((int64_t)1 << 60)
#define MONEY_PER_HOUR_MAX  ((int64_t)1000000000000) /* a million per hour */
#define MONEY_SPAN_MAX_US   ((int64_t)3650 * 86400 * 1000000)
#define MONEY_HOUR_US       ((int64_t)3600 * 1000000)
#define MONEY_MILLIWATT_MAX ((int64_t)1000000000) /* a megawatt */
#define MONEY_ENERGY_MAX    ((int64_t)1000000000) /* a thousand per kWh */

static inline int64_t money_add(int64_t a, int64_t b) {
    int64_t sum = a + b; /* both are within the bound, so this does not wrap */
    return sum > MONEY_MAX ? MONEY_MAX : sum < -MONEY_MAX ? -MONEY_MAX : sum;
}

/* What `per_hour` costs in a span; both within their bounds. */
static inline int64_t money_over(int64_t per_hour, int64_t span_us) {
    int64_t ms = (span_us < MONEY_SPAN_MAX_US ? span_us : MONEY_SPAN_MAX_US) / 1000;
    int64_t hours = ms / 3600000, rest = ms % 3600000;
    return money_add(per_hour * hours,
                     per_hour / 1000 * rest / 3600 + per_hour % 1000 * rest / 3600000);
}

/* The price per hour of a power at a price per kWh. */
static inline int64_t money_of_power(int64_t milliwatt, int64_t per_kwh) {
    return milliwatt * (per_kwh / 1000) / 1000 + milliwatt * (per_kwh % 1000) / 1000000;
}

#endif
