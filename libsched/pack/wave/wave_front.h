/*
 * wave_front.h -- the prefix-wavefront programme for FLEXIBLE problems: F[k][s][signature] = least
 * price with k items started and the clock at the s-th event of the state.
 *
 * From a cell (k, s) a state either starts an item that is ready now, in one of the `branch` best
 * ways (bin, config, slice), and is in (k + 1, s); or goes on to its next event (an end, a ready
 * time, a reservation's edge) and is in (k, s + 1). Cells with equal k + s do not depend on each
 * other: the wavefront goes from one such diagonal to the next, and keeps two. The items that have
 * not started are part of the state, so what does not fit now waits while others pass it. Items
 * without a choice of their start are placed first.
 *
 * Per cell the `width` best states live on; equal ones are one. Width 1 is the list scheduling of
 * the order: at each event start what fits, in order. Cost: cells x width x branch checks against
 * the items of a bin.
 */
#ifndef LIBSCHED_WAVE_FRONT_H
#define LIBSCHED_WAVE_FRONT_H

#include "pack/problem/solvers.h"

struct wave_front;
struct wave_front *wave_front_new(const struct pack_problem *p, uint32_t width, uint32_t branch,
                                  uint64_t seed, struct pack_cost *cost, struct pack_arena *arena);
int wave_front_run(struct wave_front *f, struct pack_best *best, struct pack_meter *m,
                   const struct pack_value *bound);

#endif
