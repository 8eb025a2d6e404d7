/*
 * problem.h -- a packing problem in the form that the solvers read. The problem is a checked copy,
 * in which amounts are 32-bit numbers of units and time is divided at events. problem_check.c and
 * problem.c make it from the orchestrator's problem. The problem does not change afterwards.
 *
 * Amounts: the amounts of each resource are divided by the greatest common divisor of all its
 * demands (for example, bytes become GiB if all demands are whole GiB), and then scaled so that the
 * greatest capacity is at most 2^29. If scaling is needed, demands are rounded up and capacities
 * down. A plan that fits in units therefore fits in the orchestrator's amounts. Lower bounds are
 * computed from another copy, in which demands are rounded down and capacities up
 * (pack_problem_relax). A demand that is greater than every capacity becomes PACK_UNIT_MAX + 1. The
 * greatest capacity of a soft resource is scaled to at most 2^20, and a sigma is at most 2^24. Sums
 * of squared sigmas saturate at 2^64 - 1. The sum of a capacity and one demand fits int32. The sum
 * of all demands fits int64.
 *
 * A problem is FIXED or FLEXIBLE (member `kind`).
 *
 * FIXED: every item has a fixed start, one config and one task, and no item needs MIG. Time is
 * divided into consecutive intervals, the cells. An item occupies a range of cells. It has one
 * demand per resource (constant), or one demand per resource and cell (profile). If the problem has
 * slots, the cells are the slots that end after now, and an item that runs during a part of a slot
 * counts as running during the whole slot. Otherwise the cells are the intervals between starts and
 * ends. `check` lists the cells whose set of active items is not a subset of the set of a neighbour
 * cell (with slots: all cells). If the items of a bin fit in these cells, they fit in every cell.
 *
 * FLEXIBLE: every other problem. Time is in microseconds, and the solvers keep load profiles as
 * breakpoints. An item with a fixed start can have a profile there too: one demand per slot.
 *
 * All arrays lie in one block (pack_arena.h). The problem keeps no pointer into the orchestrator's
 * memory.
 */
#ifndef LIBSCHED_PACK_PROBLEM_H
#define LIBSCHED_PACK_PROBLEM_H

#include <libsched/pack.h>

#include "pack/problem/pack_arena.h"

struct mig_table;

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
    /* price of one hour in which the load exceeds the capacity of a bin by that whole capacity, in
     * micro-units of currency */
    int64_t overload_price;
    /* amount that one unit stands for, in the orchestrator's base units */
    int64_t unit;
};

struct pack_class {
    /* capacity of each bin, in units (see the file head) */
    int32_t capacity[LSCHED_PACK_RESOURCES_MAX];
    /* MIG table of the bins; NULL if the bins are not MIG devices */
    const struct mig_table *mig;
    /* the bins of the class are first_bin to first_bin + n_bins - 1; an unlimited class has as many
     * bins as the problem has tasks */
    uint32_t first_bin, n_bins;
    uint32_t on_now;
    uint8_t is_unlimited;
    int64_t open_price, on_price, switch_price; /* micro-units of currency; on_price is per hour */
    /* price of one new MIG instance, in micro-units of currency; recut_price is already multiplied
     * by `patience`, recut_price_plain is not */
    int64_t recut_price, recut_price_plain;
};

struct pack_config {
    /* `amounts` is the index in p->amounts at which the config's demands begin. A constant item has
     * the shape [n_resources]. A profile has the shape [n_resources][n_span], one column for each
     * slot from first_slot on. `sigmas` is the index in p->sigmas at which the deviations begin,
     * with the same shape; PACK_NO_SIGMA if the demand has no deviation. */
    uint64_t amounts, sigmas;
    /* run time in microseconds; PACK_FOREVER if the item never ends */
    int64_t duration;
    /* price of a change to this config, in micro-units of currency; resize_price is already
     * multiplied by `patience`, resize_price_plain is not */
    int64_t resize_price, resize_price_plain;
    /* slots of the profile that have not ended: the first one, and their count */
    uint32_t first_slot, n_span;
    /* index of the name of the MIG profile (see pack_profile_in); PACK_NO_SLICE if the config needs
     * no MIG instance */
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
    uint32_t first_check, end_check; /* FIXED: the same range of cells, as indices in p->check */
    uint32_t n_allowed;
    /* indices of the classes that the item can use, ascending; if n_allowed is 0, the item can use
     * every class */
    const uint32_t *allowed;
    /* [tasks] present bin of each task, in which the task is before the plan; NULL if the item has
     * no place yet */
    const uint32_t *now;
    uint32_t config_now;
    uint8_t slice_now;
    /* earliest start, latest start and end after which the item is late, in microseconds; a latest
     * or deadline of INT64_MAX means none; latest == ready means a fixed start */
    int64_t ready, latest, deadline;
    int64_t late_price, flow_price; /* micro-units of currency per hour */
    int64_t weight; /* added to the plan's left-out weight for each task if the item is left out */
    /* price of moving one task, in micro-units of currency; move_price is already multiplied by
     * `patience`, move_price_plain is not */
    int64_t move_price, move_price_plain;
};

/* one reservation: an amount of a bin that the problem's items cannot use from `from` to `to` */
struct pack_block {
    uint32_t bin;
    /* FIXED: the reservation's time as a range of cells, and as a range of indices in p->check */
    uint32_t first_cell, end_cell, first_check, end_check;
    uint32_t mig_slices;
    int64_t from, to;
    uint64_t amounts; /* index in p->amounts at which its [n_resources] amounts begin */
};

struct pack_problem {
    uint32_t kind; /* PACK_FIXED or PACK_FLEXIBLE */
    uint32_t n_resources, n_classes, n_items, n_tasks, n_configs, n_blocks, n_bins, n_slots;
    uint32_t n_cells, n_check;
    uint32_t n_profiles; /* number of different MIG profile names */
    uint32_t patience_milli;
    uint8_t has_soft, has_profiles;
    uint8_t has_time_prices; /* true if an on, switch, late, flow or makespan price is not 0 */
    uint8_t has_now;         /* true if an item has a present bin */
    /* true if scaling rounded the amounts of a resource; lower bounds must then use the copy that
     * pack_problem_relax makes */
    uint8_t is_rounded;
    int64_t now, makespan_price;
    /* End of the last slot, or the last finite start or end of an item or reservation if that is
     * later. Without slots, it is one microsecond later still. The hours of an item that never ends
     * are counted up to `end`. */
    int64_t end;
    const struct pack_resource *resources;
    const struct pack_class *classes;
    const struct pack_item *items;
    const struct pack_config *configs;
    const struct pack_block *blocks; /* sorted by bin, then by `from` */
    const int32_t *amounts;
    const int32_t *sigmas;
    const int64_t *slot; /* [n_slots + 1] bounds of the slots, in microseconds */
    /* FIXED: [n_cells + 1] bounds of the cells, in microseconds; if the problem has slots, these
     * are the last n_cells + 1 values of `slot` */
    const int64_t *cell;
    const uint32_t *check;     /* FIXED: [n_check] indices of the cells to check, ascending */
    const uint16_t *bin_class; /* [n_bins] index of each bin's class */
    /* [n_classes][n_profiles] index of each profile in the class's MIG table; PACK_NO_SLICE if bins
     * of the class cannot hold the profile, see pack_profile_in */
    const uint8_t *profile_in;
};

/* Lengths of the arrays that pack_problem_make takes from the arena. */
struct pack_totals {
    uint64_t n_configs, n_tasks, n_bins, n_amounts, n_sigmas, n_allowed, n_now, n_profiles;
};

/* Builds *out from a problem that pack_problem_check has accepted. The caller calls the function
 * twice: first with an arena that only counts bytes, which leaves *out incomplete, and then with an
 * arena that has its block. Returns 0, or an error if overlapping reservations together take more
 * than their bin has. */
int32_t pack_problem_make(const lsched_pack_problem *in, const lsched_pack_opts *opts,
                          const struct pack_totals *totals, struct pack_arena *arena,
                          struct pack_problem *out, lsched_error *err);

/* Like pack_problem_make, but rounds demands down and capacities up. Each plan of the
 * orchestrator's problem is also a plan of the relaxed problem, at the same or a lower price.
 * Therefore a lower bound of the relaxed problem is also a lower bound of the orchestrator's
 * problem. */
int32_t pack_problem_relax(const lsched_pack_problem *in, const lsched_pack_opts *opts,
                           const struct pack_totals *totals, struct pack_arena *arena,
                           struct pack_problem *out, lsched_error *err);

/* Returns the index of a MIG profile in the MIG table of a class; PACK_NO_SLICE if bins of the
 * class cannot hold the profile. `profile` is the index of a profile name (pack_config.profile) and
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
    uint16_t config; /* index in the item's list of configs */
    uint8_t slice;   /* first memory slice of the task's MIG instance */
    uint8_t unused;
    int64_t start;
};

/* The value by which plans are compared: first the weight of the tasks that are left out, then the
 * price. The plan with the lower value is better. */
struct pack_value {
    int64_t left_out;
    /* micro-units of currency; the prices of moves, resizes and changes of the MIG layout are
     * multiplied by `patience` */
    int64_t price;
};
static inline int pack_value_less(struct pack_value a, struct pack_value b) {
    return a.left_out != b.left_out ? a.left_out < b.left_out : a.price < b.price;
}

/* ---- work ---- */

/* Counts the work units that a solver has done and is allowed to do. One unit is about one check of
 * an item against a bin (30 ns). A solver adds the units that it uses. After a step, it returns
 * PACK_MORE if pack_meter_spent is true. A step uses at most a few thousand units.
 *
 * A solver can stop and continue. Its function `_new` takes the solver's memory from the arena. The
 * packer calls `_new` twice. The first call has an arena that only counts bytes, and returns NULL.
 * The problem is complete in both calls. `_run` returns PACK_MORE when the meter is spent, and
 * PACK_DONE when the solver cannot find more. It offers each better plan to `best`. A solver can
 * begin from the plan in `best`, which another solver has found. */
struct pack_meter {
    uint64_t done, until;
    uint64_t states, pruned;
    /* flag that another thread sets to stop the solver; NULL if no thread can stop it */
    const int *stop;
};
static inline int pack_meter_spent(const struct pack_meter *m) {
    return m->done >= m->until || (m->stop && __atomic_load_n(m->stop, __ATOMIC_RELAXED));
}
enum { PACK_DONE = 0, PACK_MORE = 1 };

/* Returns a random number by xorshift64*, and changes *state, which must not be 0. */
static inline uint64_t pack_random(uint64_t *state) {
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545F4914F6CDD1DULL;
}
static inline uint32_t pack_random_below(uint64_t *state, uint32_t n) {
    return (uint32_t)((pack_random(state) >> 32) * n >> 32);
}

#endif
