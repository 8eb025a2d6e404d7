/*
 * cost.h -- defines the price of a plan to the last micro-unit. The prices that solvers keep by
 * difference must agree with this definition. pack_value_of (solvers.h) computes the price of a
 * whole plan.
 *
 * When a bin counts. A bin is used if it holds a task. A bin is on while a task runs in it;
 * reservations do not turn it on. Intervals that touch are one interval. The switches of a bin are
 * the intervals in which it is on, less one if the bin is among the first on_now bins of its class.
 * Time before p->now does not count. The hours of an item without an end count until p->end, or
 * until the last event of the bin if that is later. A FIXED item runs over its cells.
 *
 * Rounding. Each of these quantities is rounded up once: a bin's on time; an item's lateness; an
 * item's flow (end - ready); the makespan (last end - now); a bin's overload of one resource. An
 * item without an end is never late, has no flow, and does not count in the makespan. Prices are
 * rounded up because a lower bound on the sum of hours is then also a lower bound on the sum of
 * prices.
 *
 * Transitions. Moves: the tasks whose bin in the plan is not their present bin (bins_now), compared
 * task by task in numbered order. Resizes: the items whose config is not their present config
 * (config_now) or, for items without a present bin, not config 0. The price of a resize is that of
 * the chosen config. Changes of the MIG layout (`recuts` in names): the MIG instances that a bin
 * must create, counted in the order of their starts, for each bin separately. An instance is free
 * if an instance of the same profile already exists on exactly its slices: one that a finished task
 * left, or one in which an item is at present (bins_now, config_now, slice_now). Creating an
 * instance destroys all instances that it overlaps; if it has the media engines, it also destroys
 * the other instance that has them. A reservation destroys the instances that its slices overlap.
 *
 * Tasks that are left out cost only their weight. A pinned item can be left out. A pinned item that
 * is placed keeps its bins, config and slices, and starts at its ready time.
 *
 * Soft resources. The overload is E[(load - capacity)+] of a normal load whose mean and variance
 * are the sums over the items. The values come from a table of the loss function with steps of 1/64
 * sigma and linear interpolation, which gives at most 0.05 % too much. All arithmetic is in
 * integers.
 */
#ifndef LIBSCHED_PACK_COST_H
#define LIBSCHED_PACK_COST_H

#include "base/wide.h"
#include "pack/problem/problem.h"

#define PACK_HOUR_US   3600000000u
#define PACK_PRICE_MAX (INT64_MAX / 4) /* sums of prices saturate here */

/* Price of `us` microseconds at `price` per hour, rounded up. Both are >= 0. */
static inline int64_t pack_hours_price(int64_t us, int64_t price) {
    if (price == 0 || us <= 0) return 0;
    wide_u128 product = wide_mul((uint64_t)us, (uint64_t)price) + (PACK_HOUR_US - 1);
    wide_u128 quotient = product / PACK_HOUR_US;
    return quotient < (wide_u128)PACK_PRICE_MAX ? (int64_t)quotient : PACK_PRICE_MAX;
}
static inline int64_t pack_price_add(int64_t a, int64_t b) {
    return a > PACK_PRICE_MAX - b ? PACK_PRICE_MAX : a + b;
}

/* True if a load fits a soft resource: mean + z sigma <= capacity. With z 0 every load fits. A bin
 * whose capacity is 0 takes no load. `var` is the sum of squared sigmas, which the caller must
 * saturate at UINT64_MAX. */
int pack_soft_fits(int64_t mean, uint64_t var, int32_t capacity, uint32_t z_milli);

#define PACK_OVERLOAD_BITS 20
/* Expected overload E[(load - capacity)+], in units of 2^-20. */
uint64_t pack_overload(int64_t mean, uint64_t var, int32_t capacity);
/* Price of a bin's overload of one resource. `area` is the sum of pack_overload x microseconds over
 * time; `price` is per hour in which the whole capacity is missing. */
int64_t pack_overload_price(wide_u128 area, int32_t capacity, int64_t price);

#endif
