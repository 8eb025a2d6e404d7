/*
 * usage_decay.h -- decayed use: the past use of queues, where older use counts less.
 *
 * Each queue and kind has a 128-bit sum of amount x microseconds. Time is divided into steps of
 * half_life / 64, at multiples of the step. Inside a step the sum is exact; at each border it is
 * multiplied by 2^(-1/64) in fixed point, rounded down. Therefore the sum at a time depends only
 * on the past use, and never on how often the sum was computed. If a window is configured, the
 * sum is set to 0 at each multiple of the window. The capacity of all nodes is summed by the same
 * rules, and a queue's decayed use is a portion of that sum of capacity.
 *
 * The sums are updated to the cluster's time only when USED (or the capacity) changes: SPENT is
 * the sum at the time SPENT_AT. Invariant: while neither half-life nor window is set, all sums
 * are zero. In this case a change costs one memory read. Otherwise each change costs O(queue
 * depth x kinds x steps since SPENT_AT). The loop over steps ends early when the sum no longer
 * changes, which is after a few thousand steps.
 *
 * Why not exp() of the time since SPENT_AT: two updates in sequence would round in another way
 * than one update, and a plan would depend on how often the sum was updated.
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

/* Sets half-life and window, in force from the cluster's time on; 0: none. The sums up to this
 * time are kept, but they are dropped if neither half-life nor window is set. Returns
 * LSCHED_E_RANGE for a value that is negative or above USAGE_DECAY_US_MAX. Can return
 * LSCHED_E_NOMEM. */
int32_t usage_decay_configure(struct columns *k, int64_t half_life_us, int64_t window_us);
/* usage_decay_settle() updates the sums of the queue and of all queues above it; it must be
 * called before their USED changes. usage_decay_settle_capacity() updates the sum of capacity; it
 * must be called before the capacity of the nodes changes. */
void usage_decay_settle(struct columns *k, uint32_t queue);
void usage_decay_settle_capacity(struct columns *k);

/* Both functions return a sum at the time `at`, and write nothing. `at` must not be earlier than
 * the cluster's latest change. */
wide_u128 usage_decay_spent(const struct columns *k, uint32_t queue, uint32_t kind, int64_t at);
wide_u128 usage_decay_capacity(const struct columns *k, uint32_t kind, int64_t at);
/* Returns spent / capacity in millionths; 0 if the capacity is 0. */
int64_t usage_decay_ppm(wide_u128 spent, wide_u128 capacity);
/* Returns 1 if the queue's decayed use is less than a millionth of the sum of capacity. */
int usage_decay_queue_is_idle(const struct columns *k, uint32_t queue);

#endif
