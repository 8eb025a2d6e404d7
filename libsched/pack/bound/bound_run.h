/*
 * bound_run.h -- computes the lower bounds of a packing problem, those that cost least first. Each
 * step uses a limited number of work units, and a run can stop between any two steps.
 *
 * For FIXED problems, the steps compute loads, dual feasible functions in each cell, conflicts of
 * pairs, and the linear programme. For FLEXIBLE problems, bound_time.c computes the bounds. This
 * module combines the results to a lower bound of the number of bins, a lower bound of the price,
 * and a lower bound of the weight that must be left out. The bound of the price consists of the
 * price of these bins and the prices that every plan pays. It holds for plans that leave nothing
 * out. If weight must be left out, the bound of the price is 0.
 */
#ifndef LIBSCHED_PACK_BOUND_RUN_H
#define LIBSCHED_PACK_BOUND_RUN_H

#include "pack/cost/best_plan.h"

/* Lower bounds. They are valid after each step, and no step lowers them. */
struct pack_bound {
    /* No plan has a lower value. value.left_out is 0 unless it is proved that weight must be left
     * out. */
    struct pack_value value;
    uint32_t bins; /* every plan that leaves nothing out uses at least this many bins */
    uint32_t by;   /* kind of the greatest bound: LSCHED_PACK_BY_* */
    int64_t end;   /* no plan ends earlier, in microseconds */
};
struct bounds;
struct bounds *bounds_new(const struct pack_problem *p, const lsched_pack_opts *opts,
                          struct pack_arena *arena);
/* True if the problem is FIXED and the bounds before the linear programme are not complete: loads,
 * dual feasible functions, conflicts and matchings. */
int bounds_count(const struct bounds *b);
/* Continues to compute the bounds until the meter is spent. Returns PACK_DONE if no better bound
 * can be found, or if the bound has reached the value of the best plan. */
int bounds_run(struct bounds *b, struct pack_bound *out, struct pack_meter *m,
               const struct pack_best *best);

#endif
