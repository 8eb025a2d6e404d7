/*
 * solvers.h -- the interface of the solvers of a packing problem to the packer.
 *
 * Each solver can stop and continue. `_new` takes the solver's memory from the arena. The packer
 * calls `_new` twice, first with an arena that only counts (`_new` then returns NULL); the problem
 * is complete both times. `_run` works until the meter is spent (it returns PACK_MORE) or until the
 * solver has done all that it can (PACK_DONE), and offers each better plan to `best`. A solver can
 * begin from the plan in `best` that another solver has found.
 *
 * The solvers fit_* are for FIXED problems, and time_* are for FLEXIBLE ones. The wave solver (the
 * dynamic programme) and the bounds work on both kinds.
 */
#ifndef LIBSCHED_PACK_SOLVERS_H
#define LIBSCHED_PACK_SOLVERS_H

#include "pack/problem/problem.h"

struct fit; /* FIXED: first plans (least increase of the peak), and ruin and recreate */
struct fit *fit_new(const struct pack_problem *p, const lsched_pack_opts *opts,
                    struct pack_arena *arena);
/* Offers the first plans. If items have present bins (struct pack_item, `now`), also offers the
 * plan that leaves each item in its bin and adds the items without a place. The call always
 * completes; it does not stop when the meter is spent. */
void fit_seed(struct fit *f, struct pack_best *best, struct pack_meter *m);
/* Offers a plan in which tasks take their spots of `wish` where those are possible; the other tasks
 * get new places as in fit_seed. */
void fit_start(struct fit *f, const struct pack_spot *wish, struct pack_best *best,
               struct pack_meter *m);
int fit_ruin(struct fit *f, struct pack_best *best, struct pack_meter *m,
             const struct pack_value *bound);

/* FLEXIBLE: serial schedule generation, and ruin and recreate over the order of items */
struct time_pack;
struct time_pack *time_new(const struct pack_problem *p, const lsched_pack_opts *opts,
                           struct pack_arena *arena);
void time_seed(struct time_pack *f, struct pack_best *best, struct pack_meter *m);
void time_start(struct time_pack *f, const struct pack_spot *wish, struct pack_best *best,
                struct pack_meter *m);
int time_ruin(struct time_pack *f, struct pack_best *best, struct pack_meter *m,
              const struct pack_value *bound);

/* Both kinds: prefix-wavefront dynamic programme. With exact = 1 it has no beam and can prove a
 * plan best. */
struct wave;
struct wave *wave_new(const struct pack_problem *p, const lsched_pack_opts *opts, int exact,
                      struct pack_arena *arena);
/* Sets *proved to 1 if the solver has tried every plan that could be better. */
int wave_run(struct wave *w, struct pack_best *best, struct pack_meter *m,
             const struct pack_value *bound, int *proved);

/* Lower bounds. The bounds are valid after each step and only grow. */
struct pack_bound {
    /* no plan has a smaller value; left_out is 0 unless a greater weight is proved */
    struct pack_value value;
    uint32_t bins; /* bins that each plan needs which leaves nothing out */
    uint32_t by;   /* kind of the greatest bound: LSCHED_PACK_BY_* */
    int64_t end;   /* microseconds; no plan ends earlier */
};
struct bounds;
struct bounds *bounds_new(const struct pack_problem *p, const lsched_pack_opts *opts,
                          struct pack_arena *arena);
/* True if the next step computes a bound by counting (loads, dual feasible functions, conflicts,
 * matchings), not by the linear programme. False for FLEXIBLE problems. */
int bounds_count(const struct bounds *b);
/* Computes the cheap bounds in the first call and the linear programme in later calls. Stops when
 * the bound reaches the value of the best plan. */
int bounds_run(struct bounds *b, struct pack_bound *out, struct pack_meter *m,
               const struct pack_best *best);

/* cost.c: computes the value of a whole plan from its spots alone. Solvers keep their own values by
 * difference, and must agree with pack_value_of (pack_best_offer asserts that in debug builds).
 * Returns 0, or -1 if the spots are not a valid plan; *bad_task is then the first task that does
 * not fit. `parts` receives the components of the price; it can be NULL. */
struct pack_cost;
struct pack_cost *pack_cost_new(const struct pack_problem *p, struct pack_arena *arena);
int pack_value_of(struct pack_cost *cost, const struct pack_spot *spots, struct pack_value *out,
                  uint32_t *bad_task, lsched_pack_info *parts);

#endif
