/*
 * wave_exact_time.h -- the search of wave_exact_fixed.h for FLEXIBLE problems. The search changes
 * one plan (time_state.h) and undoes the changes.
 *
 * The starts to try are chosen in one of two cases. In the first case, hours, switches and overload
 * have no price; then no price falls when a task starts later. Therefore one of the best plans is
 * left-justified: every item starts at its ready time or when a task, a reservation or a slot ends.
 * The search places items in the order of their starts, and the placed items give the possible
 * starts of the next item. In the second case, the price is a linear function of the starts for
 * each order of all starts and ends. Therefore one of the best plans is a vertex: every item begins
 * or ends at a fixed instant (ready, latest, deadline, a reservation, a slot), or at the instant at
 * which another such item begins or ends. The search places items in any order, each one relative
 * to the placed items. The search does not continue from a set of placed items again if it has met
 * the same items in the same places before. Places that differ only in the choice among equal bins
 * count as the same.
 *
 * The search skips sets that cannot lead to a better plan than the best one. It computes the lower
 * bound on a copy of the problem without the prices that can fall when an item is added. These are
 * the price of overload in both cases, and the prices of switches and of changes of the MIG layout
 * in the second case.
 */
#ifndef LIBSCHED_PACK_WAVE_EXACT_TIME_H
#define LIBSCHED_PACK_WAVE_EXACT_TIME_H

#include "pack/cost/best_plan.h"

struct exact_time;
struct exact_time *exact_time_new(const struct pack_problem *p, struct pack_cost *cost,
                                  struct pack_arena *arena);
int exact_time_run(struct exact_time *x, struct pack_best *best, struct pack_meter *m,
                   const struct pack_value *bound, int *proved);

#endif
