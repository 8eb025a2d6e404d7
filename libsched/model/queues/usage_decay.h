/*
 * usage_decay.h -- what queues used over time, older use counting less.
 *
 * Per queue and kind a 128-bit sum of amount x microseconds. Time is cut into steps of half_life /
 * 64, at multiples of the step: inside a step the sum is exact, at each border it is multiplied by
 * 2^(-1/64) in fixed point, rounded down. So the sum at a time is a function of what was used when,
 * and never of how often anybody asked. With a window it begins anew at each multiple of the
 * window. The capacity of all nodes is summed in the same way: a queue's decayed use is a part of
 * that.
 *
 * Sums are brought up to date only when USED (or the capacity) changes, by the cluster's time:
 * SPENT is as of SPENT_AT. Invariant: while neither half-life nor window is set all sums are zero.
 * Cost then: one load. Else, per change, queue depth x kinds x steps gone by, and the steps end
 * early where the sum has settled, after some thousands.
 *
 * Why not exp() of the time gone by: two settlements would differ from one by their roundings, so a
 * plan would depend on who asked.
 */
#ifndef LIBSCHED_USAGE_DECAY_H
#define LIBSCHED_USAGE_DECAY_H

#include "base/wide.h"
#include "model/store/columns.h"

#define DECAY_STEPS  64                 /* per half-life */
#define DECAY_US_MAX ((int64_t)1 << 58) /* half-life and window */

static inline int decay_is_on(const struct columns *k) {
    return meta(k, M_HALF_LIFE) != 0 || meta(k, M_WINDOW) != 0;
}

/* Half-life and window in force from the cluster's time on; 0: none. What was summed under others
 * stays; with neither, nothing does. LSCHED_E_RANGE for what is negative or above DECAY_US_MAX,
 * LSCHED_E_NOMEM. */
int32_t decay_configure(struct columns *k, int64_t half_life_us, int64_t window_us);
/* Before USED of the queue and its ancestors changes; before the capacity of the nodes changes. */
void decay_settle(struct columns *k, uint32_t queue);
void decay_settle_capacity(struct columns *k);

/* The sums as of a time not before the cluster's latest change. Nothing is written. */
wide_u128 decay_spent(const struct columns *k, uint32_t queue, uint32_t kind, int64_t at);
wide_u128 decay_capacity(const struct columns *k, uint32_t kind, int64_t at);
/* spent of capacity in millionths; 0 where there is no capacity. */
int64_t decay_ppm(wide_u128 spent, wide_u128 capacity);
int decay_queue_is_idle(const struct columns *k,
                        uint32_t queue); /* less than a millionth is remembered */

#endif
