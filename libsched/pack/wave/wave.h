/*
 * wave.h -- the interface of the dynamic programme to the packer. The dynamic programme has four
 * forms: for FIXED or FLEXIBLE problems, with a beam or without one (exact). wave.c chooses the
 * form. Each form adds up the prices of its states itself; pack_value_of computes the price of each
 * whole plan that is offered.
 */
#ifndef LIBSCHED_PACK_WAVE_H
#define LIBSCHED_PACK_WAVE_H

#include "pack/cost/best_plan.h"

struct wave;
struct wave *wave_new(const struct pack_problem *p, const lsched_pack_opts *opts, int exact,
                      struct pack_arena *arena);
/* Sets *proved to 1 if the programme has tried every plan that could be better than the best
 * plan. */
int wave_run(struct wave *w, struct pack_best *best, struct pack_meter *m,
             const struct pack_value *bound, int *proved);

#endif
