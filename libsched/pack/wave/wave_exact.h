/*
 * wave_exact.h -- the dynamic programme without a beam: it tries every plan, depth first, and
 * therefore needs memory for one path only. The search cuts off plans that cannot be better than
 * the best plan. When the search ends, the best plan is proved best.
 *
 * FIXED problems: items are taken by start. Each item is tried in every bin that takes it, and at
 * last left out; equal bins are tried once. FLEXIBLE problems: see wave_exact_time.c. Only for up
 * to LSCHED_PACK_EXACT_MAX items; a larger problem is not started.
 */
#ifndef LIBSCHED_WAVE_EXACT_H
#define LIBSCHED_WAVE_EXACT_H

#include "pack/problem/solvers.h"

struct exact_fixed;
struct exact_fixed *exact_fixed_new(const struct pack_problem *p, struct pack_cost *cost,
                                    struct pack_arena *arena);
int exact_fixed_run(struct exact_fixed *x, struct pack_best *best, struct pack_meter *m,
                    const struct pack_value *bound, int *proved);

struct exact_time;
struct exact_time *exact_time_new(const struct pack_problem *p, struct pack_cost *cost,
                                  struct pack_arena *arena);
int exact_time_run(struct exact_time *x, struct pack_best *best, struct pack_meter *m,
                   const struct pack_value *bound, int *proved);

#endif
