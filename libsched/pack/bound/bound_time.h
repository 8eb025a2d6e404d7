/*
 * bound_time.h -- lower bounds of FLEXIBLE problems: the earliest time at which all items can have
 * ended, and the number of bins that are needed.
 *
 * A measure gives each item a width and each bin a capacity. In every plan, the sum of the widths
 * of the items that run in a bin at one time is at most the bin's capacity. Each limited resource
 * is a measure. A MIG table has several measures: its memory slices, its compute slices, and for
 * each size the number of instances of at least this size. In each MIG measure, the weight of each
 * profile is raised as far as the heaviest layout of the device does not become heavier. The
 * capacity of a bin is the weight of its heaviest layout, which is found by a pass over the slices.
 * If an item could run in a bin to which a measure does not apply, its width in this measure is 0.
 *
 * Each measure gives three bounds over all bins together:
 *
 *   area    the work that every plan does after an instant, plus the reservations, divided by the
 *           capacity. The work is that of items that become ready later, and the remaining work of
 *           items with a fixed start before the instant.
 *   lanes   a lane is one unit of capacity, and an item of width w consists of w pieces on
 *           different lanes. Of the k x lanes + 1 longest pieces, some lane has at least k + 1.
 *   energy  if all items have ended by T, each item must run in [a, b) for at least some time. T is
 *           impossible if the sum of width x this time is more than the capacity of [a, b).
 *
 * The longest item gives a fourth bound, without a measure. All arithmetic is in integers. If an
 * item has several configs, each bound uses the least duration, the least width and the least area
 * of them.
 *
 * Cost of a measure: items x instants, where the instants are at most TIMES_MOST ready times. The
 * energy bound costs instants squared x items for each T.
 */
#ifndef LIBSCHED_PACK_BOUND_TIME_H
#define LIBSCHED_PACK_BOUND_TIME_H

#include "pack/problem/problem.h"

struct time_bound {
    int64_t end;
    uint32_t end_by;
    uint32_t bins;
    int64_t price;
};
struct time_bounds;
struct time_bounds *time_bounds_new(const struct pack_problem *p, struct pack_arena *arena);
/* Continues to compute the bounds of a FLEXIBLE problem. The first call completes the bound by the
 * longest item. */
int time_bounds_run(struct time_bounds *t, struct time_bound *out, struct pack_meter *m);

#endif
