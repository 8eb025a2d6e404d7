/*
 * wave_exact.h -- the programme without a beam: everything is tried, depth first, so that it needs
 * memory for one path only, and what cannot be better than the best plan is cut off. When it ends,
 * the best plan is proved.
 *
 * FIXED: items by start, each in every bin that takes it, and last left out; bins that are alike
 * are tried once. FLEXIBLE: wave_exact_time.c. For up to LSCHED_PACK_EXACT_MAX items; more are not
 * begun.
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
