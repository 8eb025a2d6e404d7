/*
 * wave_front.h -- the prefix-wavefront dynamic programme for FLEXIBLE problems. F[k][s][signature]
 * is the least price when k items have started and the clock is at the s-th event of the state.
 *
 * From a cell (k, s), a state has two kinds of successors. It starts an item that is ready now, in
 * one of the `branch` best ways (bin, config, slice), and is then in cell (k + 1, s). Or its clock
 * continues to its next event, and the state is then in cell (k, s + 1). An event is a time at
 * which a started item ends, another item becomes ready, a reservation ends, or (if there are
 * demand profiles) a slot begins or ends. Cells with equal k + s do not depend on each other. The
 * wavefront therefore moves from one diagonal (all cells with equal k + s) to the next, and only
 * two diagonals are in memory. The state knows which items have not started, so an item that does
 * not fit now waits while other items start. Items whose start is given are placed first.
 *
 * The `width` best states of each cell are kept, and equal states are merged. Width 1 is list
 * scheduling: at each event, all items that fit start in the order of the pass. Cost: cells x width
 * x branch checks against the items of a bin.
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
