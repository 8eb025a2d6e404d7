/*
 * wave_front.h -- the prefix-wavefront dynamic programme for FLEXIBLE problems. F[k][s][signature]
 * is the least price when k items have started and the clock is at the s-th event of the state.
 *
 * A state in cell (k, s) has two kinds of successors. A successor in cell (k + 1, s) starts one
 * more ready item. The programme tries the `branch` best combinations of bin, config and slice for
 * this item. The successor in cell (k, s + 1) has the clock at the next event. An event is a time
 * at which a started item ends, another item becomes ready, a reservation ends, or (if there are
 * demand profiles) a slot begins or ends. Cells with equal k + s form a diagonal, and do not depend
 * on each other. Therefore the programme goes from one diagonal to the next, and only two diagonals
 * are in memory. Each state knows which items have not started; therefore an item that does not fit
 * at the clock waits while other items start. Items with a fixed start are placed first.
 *
 * The `width` best states of each cell are kept, and equal states are merged. With width 1, the
 * programme is list scheduling: at each event, all items that fit start in the order of the pass.
 * Cost: cells x width x branch checks, each of which walks over the items of a bin.
 */
#ifndef LIBSCHED_WAVE_FRONT_H
#define LIBSCHED_WAVE_FRONT_H

#include "pack/cost/best_plan.h"

struct wave_front;
struct wave_front *wave_front_new(const struct pack_problem *p, uint32_t width, uint32_t branch,
                                  uint64_t seed, struct pack_cost *cost, struct pack_arena *arena);
int wave_front_run(struct wave_front *f, struct pack_best *best, struct pack_meter *m,
                   const struct pack_value *bound);

#endif
