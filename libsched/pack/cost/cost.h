/*
 * cost.h -- defines the price of a plan to the last micro-unit. Solvers add and subtract the
 * changes of a price; their prices must agree with this definition. pack_value_of computes the
 * price of a whole plan.
 *
 * When a bin counts. A bin is used if it holds a task. A bin is on while a task runs in it; a
 * reservation does not turn it on. Two intervals in which a bin is on count as one if the second
 * begins when the first ends. The number of switches of a bin is the number of these intervals,
 * less one if the bin is among the first on_now bins of its class. Time before p->now does not
 * count. The hours of an item without an end count until p->end, or until the last event of the bin
 * if that is later. In a FIXED problem, an item runs from the beginning of its first cell to the
 * end of its last cell.
 *
 * Rounding. Each of these quantities is rounded up once: a bin's on time; an item's lateness; an
 * item's flow (end - ready); the makespan (last end - now); a bin's overload of one resource. An
 * item without an end is never late, has no flow, and does not count in the makespan. Each price is
 * rounded up because the price of a sum of hours is then a lower bound of the sum of the prices.
 *
 * Transitions. Moves: the tasks whose bin in the plan is not their present bin (bins_now), compared
 * task by task in the order of their numbers. Resizes: the items whose config in the plan is not
 * their present config (config_now). For an item without a present bin, config 0 counts as the
 * present config. The price of a resize is that of the chosen config. Changes of the MIG layout
 * (`recuts` in names): the MIG instances that a bin must create, counted in the order of their
 * starts, for each bin separately. An instance costs nothing if an instance of the same profile
 * already exists on exactly its slices. It exists if a finished task left it, or if an item
 * occupies it at present (bins_now, config_now, slice_now). Creating an instance destroys all
 * instances that it overlaps; if the new instance has the media engines, that also destroys the
 * present instance with media engines. A reservation destroys the instances that its slices
 * overlap.
 *
 * A task that is left out adds its weight to the plan's left-out weight, and no price. A pinned
 * item can be left out. A pinned item that is placed keeps its bins, config and slices, and starts
 * at its ready time.
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
#define PACK_PRICE_MAX (INT64_MAX / 4) /* greatest sum of prices; a greater sum counts as this */

/* Returns the price of `us` microseconds at `price` per hour, rounded up. `us` and `price` are >=
 * 0. */
static inline int64_t pack_hours_price(int64_t us, int64_t price) {
    if (price == 0 || us <= 0) return 0;
    wide_u128 product = wide_mul((uint64_t)us, (uint64_t)price) + (PACK_HOUR_US - 1);
    wide_u128 quotient = product / PACK_HOUR_US;
    return quotient < (wide_u128)PACK_PRICE_MAX ? (int64_t)quotient : PACK_PRICE_MAX;
}
static inline int64_t pack_price_add(int64_t a, int64_t b) {
    return a > PACK_PRICE_MAX - b ? PACK_PRICE_MAX : a + b;
}

/* Computes the value of a whole plan from its spots alone. The values that solvers keep must agree
 * with pack_value_of; pack_best_offer asserts that. Returns 0, or -1 if the spots are not a valid
 * plan; *bad_task is then the first task that does not fit. `parts` receives the components of the
 * price; it can be NULL. */
struct pack_cost;
struct pack_cost *pack_cost_new(const struct pack_problem *p, struct pack_arena *arena);
int pack_value_of(struct pack_cost *cost, const struct pack_spot *spots, struct pack_value *out,
                  uint32_t *bad_task, lsched_pack_info *parts);

#endif
