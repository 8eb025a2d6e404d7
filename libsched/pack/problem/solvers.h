/*
 * solvers.h -- the solvers of a packing problem, as the packer sees them. Each is a machine that
 * can be stopped: `_new` takes its memory from the arena (twice: counting, then for good; NULL
 * while counting; the problem is whole both times), `_run` works until the meter is spent
 * (PACK_MORE) or it has done all it can (PACK_DONE), offering each better plan to `best`. What one
 * finds the next may begin from: best.
 *
 * Who is for what: fit_* for FIXED problems, time_* for FLEXIBLE ones, wave (the dynamic programme)
 * and bounds for both.
 */
#ifndef LIBSCHED_PACK_SOLVERS_H
#define LIBSCHED_PACK_SOLVERS_H

#include "pack/problem/problem.h"

struct fit; /* FIXED: seed (least increase of the peak), ruin and recreate */
struct fit *fit_new(const struct pack_problem *p, const lsched_pack_opts *opts,
                    struct pack_arena *arena);
/* Offers the seed, and the plan that leaves all where it is (items without a place added) if items
 * are somewhere. Complete in one call. */
void fit_seed(struct fit *f, struct pack_best *best, struct pack_meter *m);
/* Like the seed, but tasks go to their spots of `wish` where these are possible; what is not,
 * anew. */
void fit_start(struct fit *f, const struct pack_spot *wish, struct pack_best *best,
               struct pack_meter *m);
int fit_ruin(struct fit *f, struct pack_best *best, struct pack_meter *m,
             const struct pack_value *bound);

struct time_pack; /* FLEXIBLE: serial schedule generation, ruin and recreate over the order */
struct time_pack *time_new(const struct pack_problem *p, const lsched_pack_opts *opts,
                           struct pack_arena *arena);
void time_seed(struct time_pack *f, struct pack_best *best, struct pack_meter *m);
void time_start(struct time_pack *f, const struct pack_spot *wish, struct pack_best *best,
                struct pack_meter *m);
int time_ruin(struct time_pack *f, struct pack_best *best, struct pack_meter *m,
              const struct pack_value *bound);

struct wave; /* both: prefix-wavefront dynamic programme; exact = 1: no beam, proves */
struct wave *wave_new(const struct pack_problem *p, const lsched_pack_opts *opts, int exact,
                      struct pack_arena *arena);
/* *proved: 1 if it has tried everything that could be better. */
int wave_run(struct wave *w, struct pack_best *best, struct pack_meter *m,
             const struct pack_value *bound, int *proved);

/* Lower bounds, valid at any time; only grow. */
struct pack_bound {
    struct pack_value value; /* no plan is less; left_out 0 unless proved otherwise */
    uint32_t bins;           /* that a plan without anything left out needs */
    uint32_t by;             /* LSCHED_PACK_BY_* */
    int64_t end;             /* no plan ends earlier */
};
struct bounds;
struct bounds *bounds_new(const struct pack_problem *p, const lsched_pack_opts *opts,
                          struct pack_arena *arena);
/* True if what comes next is a bound of a fixed problem that counts: not the linear programme. */
int bounds_count(const struct bounds *b);
/* The cheap ones at the first call, the linear programme after. upper: the value of the best plan;
 * stops when it is met. */
int bounds_run(struct bounds *b, struct pack_bound *out, struct pack_meter *m,
               const struct pack_best *best);

/* cost.c: value of a plan from its spots alone, whole; also the only place that knows prices in
 * full. Solvers keep theirs by difference and agree with it (pack_best_offer asserts that in debug
 * builds). 0, or -1 if it is not a plan: *bad_task is the first task that does not fit. parts may
 * be NULL. */
struct pack_cost;
struct pack_cost *pack_cost_new(const struct pack_problem *p, struct pack_arena *arena);
int pack_value_of(struct pack_cost *cost, const struct pack_spot *spots, struct pack_value *out,
                  uint32_t *bad_task, lsched_pack_info *parts);

#endif
