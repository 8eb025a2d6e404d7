/*
 * wave_exact_fixed.h -- the dynamic programme for FIXED problems without a beam: a search of all
 * plans, depth first, which needs memory for a single path only. The search skips plans that cannot
 * be better than the best plan. When the search has ended, the best plan is proved best. It takes
 * at most LSCHED_PACK_EXACT_MAX items; for more items, the search does not begin.
 *
 * Items are taken in the order of their starts. Each item is tried in every bin in which it fits,
 * and in the end it is left out. Of several equal bins, only one is tried. The hours, switches and
 * overload of a bin never fall when an item is added, because an item that starts later cannot join
 * two earlier intervals. Therefore the price so far is a lower bound. The price of overload is not
 * counted in this bound, because its table is rounded, and a bound must not be even one micro-unit
 * too high.
 */
#ifndef LIBSCHED_PACK_WAVE_EXACT_FIXED_H
#define LIBSCHED_PACK_WAVE_EXACT_FIXED_H

#include "pack/cost/best_plan.h"

struct exact_fixed;
struct exact_fixed *exact_fixed_new(const struct pack_problem *p, struct pack_cost *cost,
                                    struct pack_arena *arena);
int exact_fixed_run(struct exact_fixed *x, struct pack_best *best, struct pack_meter *m,
                    const struct pack_value *bound, int *proved);

#endif
