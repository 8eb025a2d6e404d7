/*
 * wave_beam.h -- the prefix-wavefront dynamic programme for FIXED problems. F[k][signature] is the
 * least price after the first k items of an order are in bins. A layer is the set of states with
 * equal k. The starts are given, so the programme needs no clock, unlike wave_front.h.
 *
 * From each state, the programme puts the next item into each of the `branch` bins of least price
 * (among equal prices: least rise of the peak, highest peak, lowest index, which is the rule of the
 * greedy first plan; with width 1 the programme is that greedy rule). If no bin takes the item, the
 * item is left out. Equal bins are tried once. States with equal signatures are merged, and the
 * cheaper one stays. A state is dropped if its price plus the price that must still be paid is not
 * less than that of the best plan. The price that must still be paid: for each bin that is not used
 * yet and in which undecided items are now (their present bin), the lesser of the bin's own price
 * and the move prices of all of these items.
 *
 * The `width` best states of a layer are kept, with one back-pointer each. Cost of a layer: width x
 * (bins + branch), and one check per version of a bin. Further passes use other orders
 * (wave_order.h), until the plan is as good as the bound.
 */
#ifndef LIBSCHED_WAVE_BEAM_H
#define LIBSCHED_WAVE_BEAM_H

#include "pack/problem/solvers.h"

struct wave_beam;
/* Returns NULL while the arena only counts. The programme becomes narrower than `width` if it would
 * otherwise exceed its memory limit (BEAM_MEMORY_MAX). */
struct wave_beam *wave_beam_new(const struct pack_problem *p, uint32_t width, uint32_t branch,
                                uint64_t seed, struct pack_cost *cost, struct pack_arena *arena);
int wave_beam_run(struct wave_beam *b, struct pack_best *best, struct pack_meter *m,
                  const struct pack_value *bound);

#endif
