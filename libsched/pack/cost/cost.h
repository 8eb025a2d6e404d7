/*
 * cost.h -- the price of a plan, defined to the last micro-unit: what solvers keep by difference
 * must agree with it. Whole plans: pack_value_of in solvers.h.
 *
 * Used: a bin with a task. On: while a task runs in it (reservations do not count); intervals that
 * touch are one. Switches: intervals in which it is on, less one if it is among its class's first
 * on_now. Nothing before p->now counts; what has no end is counted until p->end, or the bin's last
 * event if that is later. FIXED: an item runs over its cells.
 *
 * Rounded up once each: a bin's on time; an item's lateness; an item's flow (end - ready); the
 * makespan (last end - now); a bin's overload of one resource. Items without an end are never late
 * and have neither flow nor end. Up, because then a bound on the sum of hours is one on the sum of
 * prices.
 *
 * Moves: tasks whose bin is not the one they were in, task by task as numbered. Resizes: items
 * whose config is not the one they run in, or, if they are nowhere, not the first; the price is the
 * chosen config's. Recuts: instances by start, each bin for itself; one is free where an instance
 * of its profile already stands on its very slices: left by a task that ended, or there now
 * (bins_now, config_now, slice_now). Making one destroys what it overlaps, and the one instance
 * with the media engines if it has them too; a reservation destroys what its slices overlap. Tasks
 * left out cost only their weight. A pinned item may be left out; if it is placed, it keeps its
 * bins, config and slices, and starts at its ready time.
 *
 * Soft resources: E[(load - capacity)+] of a normal load with the sum of means and of variances,
 * from a table of the loss function (steps of 1/64 sigma, straight lines between: at most 0.05 %
 * too much); integers throughout.
 */
#ifndef LIBSCHED_PACK_COST_H
#define LIBSCHED_PACK_COST_H

#include "base/wide.h"
#include "pack/problem/problem.h"

#define PACK_HOUR_US   3600000000u
#define PACK_PRICE_MAX (INT64_MAX / 4) /* sums stop here */

/* us x price per hour, rounded up. Both >= 0. */
static inline int64_t pack_hours_price(int64_t us, int64_t price) {
    if (price == 0 || us <= 0) return 0;
    wide_u128 product = wide_mul((uint64_t)us, (uint64_t)price) + (PACK_HOUR_US - 1);
    wide_u128 quotient = product / PACK_HOUR_US;
    return quotient < (wide_u128)PACK_PRICE_MAX ? (int64_t)quotient : PACK_PRICE_MAX;
}
static inline int64_t pack_price_add(int64_t a, int64_t b) {
    return a > PACK_PRICE_MAX - b ? PACK_PRICE_MAX : a + b;
}

/* Does a load with these sums fit a soft resource: mean + z sigma <= capacity; z 0: any does. A bin
 * without any of it takes no load. var is the sum of squares, saturated by whoever adds. */
int pack_soft_fits(int64_t mean, uint64_t var, int32_t capacity, uint32_t z_milli);

#define PACK_OVERLOAD_BITS 20
/* E[(load - capacity)+] in units of 2^-20. */
uint64_t pack_overload(int64_t mean, uint64_t var, int32_t capacity);
/* Price of a bin's overload of one resource: area is the sum of pack_overload x microseconds over
 * the time that it is so. */
int64_t pack_overload_price(wide_u128 area, int32_t capacity, int64_t price);

#endif
