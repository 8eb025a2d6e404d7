/*
 * growth_gain.h -- which of the running jobs of a queue grows next, if the policy says how fast
 * jobs of a kind of work are on a number of devices (the rows of points of base/speed_table.h).
 *
 * The gain of a job is what its next step of growth adds to its speed, for each device of the step,
 * as a part of what one device alone does. So the gains of kinds with different units can be
 * compared: 1.0 is as much as the first device brought. Gains are rounded to thousandths, but what
 * gains something is never rounded to nothing. Between the points of a row the speed is on
 * a straight line; before the first one the line begins at 0, and after the last one it goes on. A
 * job of which nothing is said gains 1.0.
 *
 * What always holds: a choice changes the order among the jobs of one queue that grow and have
 * equal order keys, and no other. It depends on the columns and the policy alone, and not on the
 * shape of a heap. Of equal gains, the first job in the order of the queue is chosen.
 *
 * Cost: each choice looks at all such jobs, pays a work unit for each of them, and finds the kind
 * of each by name. A policy without points pays one comparison. Why not a key of the heaps: gains
 * change with each task that ends and with each policy, so that all heaps would be built again.
 */
#ifndef LIBSCHED_GROWTH_GAIN_H
#define LIBSCHED_GROWTH_GAIN_H

#include "engine/state/cycle_state.h"

struct growth_gain {
    uint32_t kind;    /* 1 + the kind of work in the table; 0: the table says nothing of the job */
    uint32_t devices; /* devices that the job has */
    uint32_t more;    /* devices of its next step; 0 if it cannot grow or asks for no devices */
    int64_t milli;    /* gain for each device, in thousandths; 0 or less: it gains nothing */
};

/* True if the policy has a row of points. */
int growth_gain_counts(const struct policy *p);
/* Returns the gain of a job that has its minimum. O(groups + groups with tasks). */
struct growth_gain growth_gain_of(const struct policy *p, const struct columns *k, uint32_t job);
/* Returns the speed of the kind on a number of devices, in thousandths, rounded down. The kind has
 * points. */
int64_t growth_gain_speed(const struct speed_table *t, uint32_t kind, uint32_t devices);
/* Replaces *job, the first active job of its queue, by the one that is to grow now. If this one
 * gains nothing, parks it with LSCHED_WAIT_GAIN until one of its tasks ends, and returns 1. Returns
 * 0 if the job is to be tried, or LSCHED_E_NOMEM. */
int32_t growth_gain_choose(lsched_cycle *cy, uint32_t *job);
/* Wakes the jobs that gain nothing by the policy that was in force. O(bundles). */
int32_t growth_gain_wake(struct columns *k);

#endif
