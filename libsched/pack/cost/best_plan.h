/*
 * best_plan.h -- keeps the best plan that any solver has found.
 */
#ifndef LIBSCHED_PACK_BEST_PLAN_H
#define LIBSCHED_PACK_BEST_PLAN_H

#include "pack/cost/cost.h"

/* The best plan that any solver has found. pack_best_offer copies a plan (one spot per task) and
 * returns 1 if the plan's value is less than the best value so far; else it returns 0. Its
 * argument `value` must equal the result of pack_value_of for the plan. Builds with assertions
 * check that. */
struct pack_best {
    struct pack_spot *spots; /* [n_tasks] place of each task */
    struct pack_value value;
    struct pack_cost *cost; /* with which offered values are checked; NULL: no check */
    uint32_t method;
    uint8_t has_plan;
};
/* True if `best` holds a plan whose value is at most `value`. */
static inline int pack_best_meets(const struct pack_best *best, struct pack_value value) {
    return best->has_plan && !pack_value_less(value, best->value);
}
int pack_best_offer(struct pack_best *best, const struct pack_problem *p,
                    const struct pack_spot *spots, struct pack_value value, uint32_t method);

#endif
