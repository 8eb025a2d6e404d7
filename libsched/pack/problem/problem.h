/*
 * problem.h -- a packing problem in the form that the solvers work on: checked, copied, with
 * amounts as 32-bit numbers of units, and with time divided at events. problem_check.c and
 * problem.c make it from the orchestrator's problem. The problem does not change afterwards.
 *
 * Amounts: the amounts of each resource are divided by the greatest common divisor of all its
 * demands (so bytes in whole GiB become GiB), and then scaled so that the greatest capacity is at
 * most 2^29. If scaling is needed, demands are rounded up and capacities down. A plan that fits in
 * units therefore fits in the orchestrator's amounts. Lower bounds are computed on a copy that is
 * rounded the other way (pack_problem_relax). A demand beyond every capacity becomes PACK_UNIT_MAX
 * + 1. Soft resources are scaled to 2^20, and a sigma is at most 2^24; sums of squared sigmas
 * saturate at 64 bits. A load within a capacity plus one demand fits int32; a sum of any number of
 * demands fits int64.
 *
 * A problem has one of two kinds.
 *
 * FIXED: every item has a fixed start, one config and one task, and no item needs MIG. Time is a
 * row of cells. An item occupies a range of cells, with one value per resource (constant) or one
 * value per resource and cell (profile). If the problem has slots, the cells are the slots that end
 * after now, and an item that is present in a part of a slot counts in the whole slot. Otherwise
 * the cells are the intervals between starts and ends. `check` lists the cells whose set of active
 * items is not a subset of the set of a neighbour cell (with slots: all cells). Items that fit in
 * these cells fit in every cell.
 *
 * FLEXIBLE: every other problem. Time is in microseconds, and the solvers keep load profiles as
 * breakpoints. Profiles of fixed items are per slot.
 *
 * All arrays lie in one block (pack_arena.h). The problem keeps no pointer into the orchestrator's
 * memory.
 */
#ifndef LIBSCHED_PACK_PROBLEM_H
#define LIBSCHED_PACK_PROBLEM_H

#include <libsched/pack.h>

#include "pack/problem/pack_arena.h"

struct mig_table;
struct pack_cost;

enum { PACK_FIXED = 0, PACK_FLEXIBLE = 1 };
#define PACK_UNIT_MAX  ((int32_t)1 << 29)
#define PACK_SOFT_MAX  ((int32_t)1 << 20) /* greatest capacity of a soft resource, in units */
#define PACK_SIGMA_MAX ((int32_t)1 << 24)
#define PACK_NO_BIN    UINT32_MAX
#define PACK_NO_SLICE  0xFFu
#define PACK_NO_SIGMA  UINT64_MAX
#define PACK_FOREVER   INT64_MAX

struct pack_resource {
    uint8_t soft;
    uint32_t z_milli;
    /* micro-units of currency per hour in which the whole capacity of a bin is missing */
    int64_t overload_price;
    /* orchestrator's amount that one unit stands for; 1 if units are exact */
    int64_t unit;
};

struct pack_class {
    int32_t capacity[LSCHED_PACK_RESOURCES_MAX]; /* in units, see the file head */
    /* table of the bins' MIG partitions; NULL if bins are not MIG devices */
    const struct mig_table *mig;
    /* n_bins of an unlimited class: the number of all tasks */
    uint32_t first_bin, n_bins;
    uint32_t on_now;
    uint8_t is_unlimited;
    int64_t open_price, on_price, switch_price; /* micro-units of currency; on_price per hour */
    /* recut_price is already multiplied by `patience`; recut_price_plain is not. */
    int64_t recut_price, recut_price_plain;
};

struct pack_config {
    /* `amounts` is the index in p->amounts of the config's demands: [n_resources] for a constant
     * item, else [n_resources][n_span] over the cells (FLEXIBLE: slots) from first_slot on.
     * `sigmas` is the index in p->sigmas, with the same shape; PACK_NO_SIGMA if the demand has no
     * deviation. */
    uint64_t amounts, sigmas;
    /* microseconds; PACK_FOREVER if the item never ends */
    int64_t duration;
    /* micro-units of currency; resize_price is multiplied by `patience` */
    int64_t resize_price, resize_price_plain;
    uint32_t first_slot, n_span; /* slots of the profile */
    /* index of the name of its MIG profile (see pack_profile_in); PACK_NO_SLICE if it needs
     * none */
    uint8_t profile;
    uint8_t is_profile;
};

struct pack_item {
    uint32_t first_config;
    uint16_t n_configs;
    /* true if the item must stay in its present bin, config and slice: pinned by flag, or moved
     * less than dwell_us ago */
    uint8_t is_pinned;
    uint8_t apart;
    uint32_t tasks;
    uint32_t first_task;             /* index of the item's first task in arrays over all tasks */
    uint32_t first_cell, end_cell;   /* FIXED: cells [first_cell, end_cell) */
    uint32_t first_check, end_check; /* FIXED: the same range as positions in p->check */
    uint32_t n_allowed;
    /* classes that the item can use, ascending; n_allowed is 0 if it can use any */
    const uint32_t *allowed;
    /* [tasks] present bins of the tasks: the bins in which they are before the plan; NULL if the
     * item has no place yet */
    const uint32_t *now;
    uint32_t config_now;
    uint8_t slice_now;
    /* microseconds; INT64_MAX: none. latest == ready for a fixed start */
    int64_t ready, latest, deadline;
    int64_t late_price, flow_price; /* micro-units of currency per hour */
    int64_t weight;                 /* weight of each task, counted if the item is left out */
    /* micro-units of currency per task; move_price is multiplied by `patience` */
    int64_t move_price, move_price_plain;
};

struct pack_block { /* one reservation: capacity of a bin that the problem's items cannot use */
    uint32_t bin;
    /* FIXED: ranges of cells and of p->check */
    uint32_t first_cell, end_cell, first_check, end_check;
    uint32_t mig_slices;
    int64_t from, to;
    uint64_t amounts; /* index in p->amounts of [n_resources] values */
};

struct pack_problem {
    uint32_t kind; /* PACK_FIXED or PACK_FLEXIBLE */
    uint32_t n_resources, n_classes, n_items, n_tasks, n_configs, n_blocks, n_bins, n_slots;
    uint32_t n_cells, n_check;
    uint32_t n_profiles; /* number of different names of MIG profiles */
    uint32_t patience_milli;
    uint8_t has_soft, has_profiles;
    uint8_t has_time_prices; /* true if an on, switch, late, flow or makespan price is not 0 */
    uint8_t has_now;         /* true if an item has a present bin */
    /* true if a resource was scaled; bounds must then use the copy of pack_problem_relax */
    uint8_t is_rounded;
    int64_t now, makespan_price;
    /* End of the last slot, or the last known finite instant if that is later. Hours of items that
     * run for ever are counted up to `end`. */
    int64_t end;
    const struct pack_resource *resources;
    const struct pack_class *classes;
    const struct pack_item *items;
    const struct pack_config *configs;
    const struct pack_block *blocks; /* sorted by bin, then by `from` */
    const int32_t *amounts;
    const int32_t *sigmas;
    const int64_t *slot; /* [n_slots + 1] bounds of the slots, microseconds */
    /* [n_cells + 1] bounds of cells, FIXED; with slots, the last n_cells + 1 values of `slot` */
    const int64_t *cell;
    const uint32_t *check;     /* [n_check] numbers of cells, ascending, FIXED */
    const uint16_t *bin_class; /* [n_bins] class of each bin */
    /* [n_classes][n_profiles] index of each profile in the class's MIG table; PACK_NO_SLICE if bins
     * of the class cannot hold the profile, see pack_profile_in */
    const uint8_t *profile_in;
};

/* Numbers of elements of the arrays that pack_problem_make takes. */
struct pack_totals {
    uint64_t n_configs, n_tasks, n_bins, n_amounts, n_sigmas, n_allowed, n_now, n_profiles;
};

/* Checks the orchestrator's problem and options, and counts their elements in *totals. Returns 0,
 * or an error whose message names the element. */
int32_t pack_problem_check(const lsched_pack_problem *in, const lsched_pack_opts *opts,
                           struct pack_totals *totals, lsched_error *err);
/* Builds *out from a problem that pack_problem_check has accepted. The caller calls it twice: with
 * an arena that only counts (*out is then incomplete), and with an arena that has its block.
 * Returns 0, or an error if overlapping reservations together take more than their bin has. */
int32_t pack_problem_make(const lsched_pack_problem *in, const lsched_pack_opts *opts,
                          const struct pack_totals *totals, struct pack_arena *arena,
                          struct pack_problem *out, lsched_error *err);

/* Like pack_problem_make, but rounds demands down and capacities up. Each plan of the
 * orchestrator's problem is also a plan of the relaxed problem, at the same price or less. Lower
 * bounds of the relaxed problem therefore hold. */
int32_t pack_problem_relax(const lsched_pack_problem *in, const lsched_pack_opts *opts,
                           const struct pack_totals *totals, struct pack_arena *arena,
                           struct pack_problem *out, lsched_error *err);

/* Returns the index of a MIG profile in the MIG table of a class; PACK_NO_SLICE if bins of the
 * class cannot hold the profile. `profile` is the index of a profile name, as configs have it, and
 * must not be PACK_NO_SLICE. */
static inline uint32_t pack_profile_in(const struct pack_problem *p, uint32_t class_row,
                                       uint32_t profile) {
    return p->profile_in[class_row * p->n_profiles + profile];
}
static inline const int32_t *pack_amounts(const struct pack_problem *p, uint32_t config) {
    return p->amounts + p->configs[config].amounts;
}
/* True if the item's list of allowed classes permits bins of the class. */
static inline int pack_allows(const struct pack_item *item, uint32_t class_row) {
    for (uint32_t i = 0; i < item->n_allowed; i++)
        if (item->allowed[i] == class_row) return 1;
    return item->n_allowed == 0;
}

/* ---- plans ---- */

/* The place of one task. An item is left out if the bins of all its tasks are PACK_NO_BIN. */
struct pack_spot {
    uint32_t bin;
    uint16_t config; /* number among the item's configs */
    uint8_t slice;   /* first memory slice of its MIG instance */
    uint8_t unused;
    int64_t start;
};

/* The value by which plans are compared: first the weight left out, then the price. The plan with
 * the lesser value is better. */
struct pack_value {
    int64_t left_out;
    /* micro-units of currency, with the prices of transitions multiplied by `patience` */
    int64_t price;
};
static inline int pack_value_less(struct pack_value a, struct pack_value b) {
    return a.left_out != b.left_out ? a.left_out < b.left_out : a.price < b.price;
}

/* The best plan that any solver has found. pack_best_offer copies a plan (spots by task) if its
 * value is less than the best value so far, and then returns 1. `value` must equal the result of
 * pack_value_of; builds with assertions check that. */
struct pack_best {
    struct pack_spot *spots; /* [n_tasks] place of each task */
    struct pack_value value;
    struct pack_cost *cost; /* used to check offered values; can be NULL */
    uint32_t method;
    uint8_t has_plan;
};
int pack_best_offer(struct pack_best *best, const struct pack_problem *p,
                    const struct pack_spot *spots, struct pack_value value, uint32_t method);

/* ---- work ---- */

/* Work units done and allowed. One unit is about one check of an item against a bin (30 ns). A
 * solver adds the units that it uses, and returns PACK_MORE at its next step once pack_meter_spent
 * is true. A step is limited to a few thousand units. */
struct pack_meter {
    uint64_t done, until;
    uint64_t states, pruned;
    const int *stop; /* flag that another thread sets to stop the solver; NULL if there is none */
};
static inline int pack_meter_spent(const struct pack_meter *m) {
    return m->done >= m->until || (m->stop && __atomic_load_n(m->stop, __ATOMIC_RELAXED));
}
enum { PACK_DONE = 0, PACK_MORE = 1 };

#endif
