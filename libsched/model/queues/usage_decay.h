/*
 * usage_decay.h -- decayed use: what queues used over time, where older use counts less.
 *
 * Each queue and kind has a 128-bit sum of amount x microseconds. Time is divided into steps of
 * half_life / 64, at multiples of the step. Inside a step the sum is exact; at each border it is
 * multiplied by 2^(-1/64) in fixed point, rounded down. The sum at a time therefore depends only
 * on the use over time, and never on how often it was computed. With a window the sum begins at 0
 * again at each multiple of the window. The capacity of all nodes is summed in the same way, and
 * a queue's decayed use is measured as a portion of that sum.
 *
 * Sums are updated only when USED (or the capacity) changes, to the cluster's time: SPENT is as
 * of SPENT_AT. Invariant: while neither half-life nor window is set, all sums are zero. While the
 * sums are zero, the cost is one load. Otherwise each change costs queue depth x kinds x steps
 * gone by; the loop over steps ends early where the sum no longer changes, after some thousands.
 *
 * Why not exp() of the time gone by: two updates would differ from one by their rounding, so a
 * plan would depend on how often the sum was updated.
 */
#ifndef LIBSCHED_USAGE_DECAY_H
#define LIBSCHED_USAGE_DECAY_H

#include "base/wide.h"
#include "model/store/columns.h"

#define USAGE_DECAY_STEPS  64                 /* steps per half-life */
#define USAGE_DECAY_US_MAX ((int64_t)1 << 58) /* largest half-life and window, in microseconds */

static inline int usage_decay_is_on(const struct columns *k) {
    return meta(k, M_HALF_LIFE) != 0 || meta(k, M_WINDOW) != 0;
}

/* Sets half-life and window from the cluster's time on; 0: none. Earlier sums stay; with neither
 * half-life nor window they are dropped. LSCHED_E_RANGE for a value that is negative or above
 * USAGE_DECAY_US_MAX, LSCHED_E_NOMEM. */
int32_t usage_decay_configure(struct columns *k, int64_t half_life_us, int64_t window_us);
/* Update the sums before USED of the queue and its ancestors changes, and before the capacity of
 * the nodes changes. */
void usage_decay_settle(struct columns *k, uint32_t queue);
void usage_decay_settle_capacity(struct columns *k);

/* Return the sums as of a time not before the cluster's latest change. The functions write
 * nothing. */
wide_u128 usage_decay_spent(const struct columns *k, uint32_t queue, uint32_t kind, int64_t at);
wide_u128 usage_decay_capacity(const struct columns *k, uint32_t kind, int64_t at);
/* Returns spent / capacity in millionths; 0 if the capacity is 0. */
int64_t usage_decay_ppm(wide_u128 spent, wide_u128 capacity);
/* 1 if less than a millionth of the capacity is left of the queue's decayed use */
int usage_decay_queue_is_idle(const struct columns *k, uint32_t queue);

#endif
