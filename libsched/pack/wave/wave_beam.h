/*
 * wave_beam.h -- the prefix-wavefront programme for FIXED problems: F[k][signature] = least price
 * after the first k items of an order are in bins. Starts are given, so the epochs of the wavefront
 * fall away and a cell is a prefix.
 *
 * From each state the item goes to the `branch` bins of least price (ties: least rise of the peak,
 * highest peak, lowest index: the rule of the greedy seed, so width 1 is that greedy), or is left
 * out if none takes it. Bins that are alike are tried once; states with equal signatures are one,
 * the cheaper. A state is dropped if its price and what must still be paid are no less than the
 * best plan. What must be paid: of each bin that is not used yet and has items of the rest in it,
 * the lesser of its own price and the moves of all of these.
 *
 * The `width` best states of a cell live on, with a back-pointer each. Cost of a cell: width x
 * (bins + branch), and one check per version of a bin. Passes repeat it with other orders
 * (wave_order.h) until the plan is as good as the bound.
 */
#ifndef LIBSCHED_WAVE_BEAM_H
#define LIBSCHED_WAVE_BEAM_H

#include "pack/problem/solvers.h"

struct wave_beam;
/* NULL when counting. May be narrower than asked where memory would pass what the programme may
 * hold. */
struct wave_beam *wave_beam_new(const struct pack_problem *p, uint32_t width, uint32_t branch,
                                uint64_t seed, struct pack_cost *cost, struct pack_arena *arena);
int wave_beam_run(struct wave_beam *b, struct pack_best *best, struct pack_meter *m,
                  const struct pack_value *bound);

#endif
