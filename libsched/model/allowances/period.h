/*
 * period.h -- the sums of an allowance (allowance.h), and how one period follows another.
 *
 * All sums are micro-units x ALLOWANCE_HOUR_US, and exact. What this file has is needed both by
 * allowance.c, which sets terms and refuses tasks, and by meter.c, which counts single tasks.
 */
#ifndef LIBSCHED_PERIOD_H
#define LIBSCHED_PERIOD_H

#include "base/times.h"
#include "model/allowances/allowance.h"

/* The sum in two columns of a row of ALLOWANCE, such as BASE. */
#define PERIOD_SUM(k, name, row)                                 \
    ((wide_u128)(k)->c[C_ALLOWANCE_##name##_HI].u64[row] << 64 | \
     (k)->c[C_ALLOWANCE_##name##_LO].u64[row])

/* The period that contains the time `now`: its start, its end, what was carried into it, and BASE
 * for it. */
struct period {
    int64_t start, end;
    wide_u128 carried, base;
};

/* Costs O(1). */
struct period period_at(const struct columns *k, uint32_t allowance, int64_t now);
/* Returns the start of the period that contains `now`, by any start of a period. */
int64_t period_begin(int64_t any, int64_t period, int64_t now);
/* Returns the end of the period that begins at START, LSCHED_NEVER_US if it has none. Inline, for
 * programs without allowances. */
static inline int64_t period_end(const struct columns *k, uint32_t allowance) {
    int64_t period = k->c[C_ALLOWANCE_PERIOD].i64[allowance];
    return period ? time_after(k->c[C_ALLOWANCE_START].i64[allowance], period) : LSCHED_NEVER_US;
}
/* Begins the present period, if another one has begun since the last change. */
void period_settle(struct columns *k, uint32_t allowance);
/* Begins the period that contains the time `now`, which is not before the latest change. */
void period_settle_at(struct columns *k, uint32_t allowance, int64_t now);
/* Begins the period that contains `now`, with what was used and carried at the later time `was`,
 * in which the sums are those of `was`. Sums the rows anew. Costs O(tasks of the allowance). */
void period_back(struct columns *k, uint32_t allowance, int64_t was, int64_t now);
/* Notes that the allowance is not spent (spent.h). */
void period_unspend(struct columns *k, uint32_t allowance);
/* Returns what was used and what tasks will use, which does not change as time passes. */
wide_u128 period_committed(const struct columns *k, uint32_t allowance);
/* Sets the sum in the columns lo and hi, or adds to it (modulo 2^128). */
void period_store(struct columns *k, uint32_t lo, uint32_t hi, uint32_t allowance, wide_u128 v);
void period_add(struct columns *k, uint32_t lo, uint32_t hi, uint32_t allowance, wide_u128 v);

/* Returns what a row of METER that does not run yet counts in HELD for the period from `start` to
 * `end`. */
wide_u128 period_held(const struct columns *k, uint32_t meter, int64_t start, int64_t end);
/* Returns the end of a running row that is expected at the time `now`. */
int64_t period_task_end(const struct columns *k, uint32_t meter, int64_t now);

/* Returns rate x t, modulo 2^128: the sum of which it is a part is in range. */
static inline wide_u128 period_by_time(wide_u128 rate, int64_t t) {
    wide_u128 time = (uint64_t)t;
    if (t < 0) time -= (wide_u128)1 << 64;
    return rate * time;
}
static inline wide_u128 period_fine(int64_t micro) {
    return wide_mul((uint64_t)micro, ALLOWANCE_HOUR_US);
}
static inline wide_u128 period_less(wide_u128 a, wide_u128 b) {
    return a < b ? a : b;
}

#endif
