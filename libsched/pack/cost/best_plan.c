/* best_plan.c -- see best_plan.h. */
#include "pack/cost/best_plan.h"

#include <assert.h>
#include <string.h>

#ifndef NDEBUG
/* True if the spots are a valid plan and pack_value_of computes `value` for them. */
static int is_valued(struct pack_best *best, const struct pack_spot *spots,
                     struct pack_value value) {
    struct pack_value found;
    uint32_t bad;
    if (!best->cost) return 1;
    return pack_value_of(best->cost, spots, &found, &bad, NULL) == 0 &&
           found.left_out == value.left_out && found.price == value.price;
}
#endif

int pack_best_offer(struct pack_best *best, const struct pack_problem *p,
                    const struct pack_spot *spots, struct pack_value value, uint32_t method) {
    if (pack_best_meets(best, value)) return 0;
    assert(is_valued(best, spots, value));
    if (p->n_tasks) memcpy(best->spots, spots, p->n_tasks * sizeof *spots);
    best->value = value;
    best->method = method;
    best->has_plan = 1;
    return 1;
}
