/*
 * wave_beam.h -- the prefix-wavefront dynamic programme for FIXED problems. F[k][signature] is the
 * least price after the first k items of an order are decided. A layer is the set of states with
 * equal k. All starts are fixed; therefore the programme needs no clock, unlike wave_front.h.
 *
 * From each state, the programme makes up to `branch` new states: it puts the next item into each
 * of the `branch` best bins. The bin with the least price is the best; among equal prices, the bin
 * with the least rise of the peak, then the highest peak, then the lowest index. With width 1 this
 * is the rule of the greedy first plan. If the item fits in no bin, it is left out. Of several
 * equal bins, only one is tried. States with equal signatures are merged, and the cheaper one
 * stays. A state is dropped if its price plus `rest` is not less than the price of the best plan.
 * `rest` is a lower bound of the price that the undecided items will add. It is a sum over the bins
 * that are not used yet and are the present bin of undecided items: the price of the bin or the
 * move prices of all these items, whichever is less.
 *
 * The `width` best states of a layer are kept, with one back-pointer each. Cost of a layer: width x
 * (bins + branch), and one check for each version of a bin. Further passes use other orders
 * (wave_order.h), until the best plan is as good as the lower bound.
 */
#ifndef LIBSCHED_WAVE_BEAM_H
#define LIBSCHED_WAVE_BEAM_H

#include "pack/cost/best_plan.h"

struct wave_beam;
/* Returns NULL while the arena only counts bytes. The programme uses a smaller width than `width`
 * if it would otherwise exceed its memory limit (BEAM_MEMORY_MAX). */
struct wave_beam *wave_beam_new(const struct pack_problem *p, uint32_t width, uint32_t branch,
                                uint64_t seed, struct pack_cost *cost, struct pack_arena *arena);
int wave_beam_run(struct wave_beam *b, struct pack_best *best, struct pack_meter *m,
                  const struct pack_value *bound);

#endif
