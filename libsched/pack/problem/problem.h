/*
 * problem.h -- a packing problem in the form that the solvers work on: checked, copied, in 32-bit
 * units, and with time cut at events. Made from what the host gave (problem_check.c, problem.c);
 * immutable then.
 *
 * Amounts: each resource is divided by what divides all of its demands (so bytes in whole GiB
 * become GiB), then scaled so that the greatest capacity is at most 2^29; there demands round up
 * and capacities down, so what fits in units fits in truth, and bounds are taken from a copy
 * rounded the other way. A demand beyond every capacity is PACK_UNIT_MAX + 1. Soft resources are
 * scaled to 2^20, and a sigma is at most 2^24: sums of squares fit 64 bits. A load within a
 * capacity plus one demand fits int32, a sum of any number int64.
 *
 * Kinds. FIXED: every item is fixed, has one config and one task, and no item asks for MIG. Time is
 * a row of cells, and an item is a range of them with a value per resource (constant) or per
 * resource and cell (profile). With slots in the problem cells are the slots that end after now:
 * what is there in a part of a slot counts in all of it. Else cells are the intervals between
 * starts and ends. `check` lists the cells whose set of active items is not a subset of a
 * neighbour's (with slots: all): what fits there fits everywhere.
 * FLEXIBLE: all else; time is in microseconds and solvers keep their own profiles by breakpoints;
 * profiles of fixed items stand per slot.
 *
 * Everything lies in one block (pack_arena.h): no pointer into the host's memory is kept.
 */
#ifndef LIBSCHED_PACK_PROBLEM_H
#define LIBSCHED_PACK_PROBLEM_H

#include <libsched/pack.h>

#include "pack/problem/pack_arena.h"

struct mig_table;
struct pack_cost;

enum { PACK_FIXED = 0, PACK_FLEXIBLE = 1 };
#define PACK_UNIT_MAX  ((int32_t)1 << 29)
#define PACK_SOFT_MAX  ((int32_t)1 << 20) /* capacity of a soft resource */
#define PACK_SIGMA_MAX ((int32_t)1 << 24)
#define PACK_NO_BIN    UINT32_MAX
#define PACK_NO_SLICE  0xFFu
#define PACK_NO_SIGMA  UINT64_MAX
#define PACK_FOREVER   INT64_MAX

struct pack_resource {
    uint8_t soft;
    uint32_t z_milli;
    int64_t overload_price; /* micro, for the capacity of a bin missing for an hour */
    int64_t unit;           /* host's amount of one unit; 1: exact */
};

struct pack_class {
    int32_t capacity[LSCHED_PACK_RESOURCES_MAX]; /* units */
    const struct mig_table *mig;                 /* NULL: none */
    uint32_t first_bin, n_bins;                  /* unlimited: as many as all tasks could need */
    uint32_t on_now;
    uint8_t is_unlimited;
    int64_t open_price, on_price, switch_price; /* micro; on: per hour */
    int64_t recut_price, recut_price_plain;     /* the first: patience fold, as below */
};

struct pack_config {
    /* Where its amounts begin in p->amounts: [n_resources] for constant items, else
     * [n_resources][n_span] over the cells (FLEXIBLE: slots) from first_slot on. Sigmas likewise in
     * p->sigmas; PACK_NO_SIGMA: certain. */
    uint64_t amounts, sigmas;
    int64_t duration;                         /* PACK_FOREVER: for ever */
    int64_t resize_price, resize_price_plain; /* micro; the first: patience fold */
    uint32_t first_slot, n_span;              /* profile */
    uint8_t
        profile; /* number of its MIG profile's name, see pack_profile_in; PACK_NO_SLICE: none */
    uint8_t is_profile;
};

struct pack_item {
    uint32_t first_config;
    uint16_t n_configs;
    uint8_t is_pinned; /* by flag or by dwell */
    uint8_t apart;
    uint32_t tasks;
    uint32_t first_task;             /* of its tasks in arrays by task */
    uint32_t first_cell, end_cell;   /* FIXED: [first, end) */
    uint32_t first_check, end_check; /* FIXED: the same as a range of p->check */
    uint32_t n_allowed;
    const uint32_t *allowed; /* classes, ascending; n_allowed 0: any */
    const uint32_t *now;     /* [tasks] bins; NULL: nowhere */
    uint32_t config_now;
    uint8_t slice_now;
    int64_t ready, latest, deadline;      /* INT64_MAX: none; fixed: latest == ready */
    int64_t late_price, flow_price;       /* micro per hour */
    int64_t weight;                       /* of a task that is left out */
    int64_t move_price, move_price_plain; /* micro, each task; the first: patience fold */
};

struct pack_block { /* a reservation */
    uint32_t bin;
    uint32_t first_cell, end_cell, first_check, end_check; /* FIXED */
    uint32_t mig_slices;
    int64_t from, to;
    uint64_t amounts; /* in p->amounts, [n_resources] */
};

struct pack_problem {
    uint32_t kind; /* PACK_FIXED, PACK_FLEXIBLE */
    uint32_t n_resources, n_classes, n_items, n_tasks, n_configs, n_blocks, n_bins, n_slots;
    uint32_t n_cells, n_check;
    uint32_t n_profiles; /* names of MIG profiles */
    uint32_t patience_milli;
    uint8_t has_soft, has_profiles;
    uint8_t has_time_prices; /* on, switch, late, flow or makespan prices */
    uint8_t has_now;         /* items that are somewhere */
    uint8_t is_rounded;      /* some unit is not exact: bounds hold for pack_problem_relax alone */
    int64_t now, makespan_price;
    /* Of the last slot, or the last finite end that is known: hours of what runs for ever are
     * counted to here. */
    int64_t end;
    const struct pack_resource *resources;
    const struct pack_class *classes;
    const struct pack_item *items;
    const struct pack_config *configs;
    const struct pack_block *blocks; /* by bin, then from */
    const int32_t *amounts;
    const int32_t *sigmas;
    const int64_t *slot;       /* [n_slots + 1] */
    const int64_t *cell;       /* [n_cells + 1], FIXED; with slots a part of `slot` */
    const uint32_t *check;     /* [n_check] cells, ascending, FIXED */
    const uint16_t *bin_class; /* [n_bins] */
    const uint8_t *profile_in; /* [n_classes][n_profiles] */
};

/* What the arrays of make need. */
struct pack_totals {
    uint64_t n_configs, n_tasks, n_bins, n_amounts, n_sigmas, n_allowed, n_now, n_profiles;
};

/* Is this a problem, and are these options: 0 or an error that names the element. */
int32_t pack_problem_check(const lsched_pack_problem *in, const lsched_pack_opts *opts,
                           struct pack_totals *totals, lsched_error *err);
/* Of what has passed the check, twice: with an arena that only counts (then out is not usable), and
 * with one that has the block. 0, or an error about reservations that only together ask for too
 * much. */
int32_t pack_problem_make(const lsched_pack_problem *in, const lsched_pack_opts *opts,
                          const struct pack_totals *totals, struct pack_arena *arena,
                          struct pack_problem *out, lsched_error *err);

/* The same rounded the other way, demands down and capacities up: what any plan of the host's
 * problem needs, this one needs or less. */
int32_t pack_problem_relax(const lsched_pack_problem *in, const lsched_pack_opts *opts,
                           const struct pack_totals *totals, struct pack_arena *arena,
                           struct pack_problem *out, lsched_error *err);

/* Number of a config's MIG profile in a class's table; PACK_NO_SLICE: the class cannot hold it.
 * Only for configs that name one. */
static inline uint32_t pack_profile_in(const struct pack_problem *p, uint32_t class_row,
                                       uint32_t profile) {
    return p->profile_in[class_row * p->n_profiles + profile];
}
static inline const int32_t *pack_amounts(const struct pack_problem *p, uint32_t config) {
    return p->amounts + p->configs[config].amounts;
}
/* May the item be in bins of the class, by its list. */
static inline int pack_allows(const struct pack_item *item, uint32_t class_row) {
    for (uint32_t i = 0; i < item->n_allowed; i++)
        if (item->allowed[i] == class_row) return 1;
    return item->n_allowed == 0;
}

/* ---- plans ---- */

/* Where one task goes. An item is left out if the bins of all its tasks are PACK_NO_BIN. */
struct pack_spot {
    uint32_t bin;
    uint16_t config; /* of the item, from 0 */
    uint8_t slice;   /* MIG */
    uint8_t unused;
    int64_t start;
};

/* Least first: weight left out, then price. */
struct pack_value {
    int64_t left_out;
    int64_t price; /* as compared: transitions patience fold */
};
static inline int pack_value_less(struct pack_value a, struct pack_value b) {
    return a.left_out != b.left_out ? a.left_out < b.left_out : a.price < b.price;
}

/* The best plan of all solvers. pack_best_offer copies a plan (spots by task) if its value is less;
 * the value must be what pack_value_of says: asserted where NDEBUG is not set. */
struct pack_best {
    struct pack_spot *spots; /* [n_tasks] */
    struct pack_value value;
    struct pack_cost *cost; /* to check offers with; may be NULL */
    uint32_t method;
    uint8_t has_plan;
};
int pack_best_offer(struct pack_best *best, const struct pack_problem *p,
                    const struct pack_spot *spots, struct pack_value value, uint32_t method);

/* ---- work ---- */

/* Units done and allowed; 1 unit is about a check of one item against one bin (30 ns). Solvers add
 * what they do and return PACK_MORE at the next step once pack_meter_spent. A step is bounded: a
 * few thousand units. */
struct pack_meter {
    uint64_t done, until;
    uint64_t states, pruned;
    const int *stop; /* set by another thread; NULL: none */
};
static inline int pack_meter_spent(const struct pack_meter *m) {
    return m->done >= m->until || (m->stop && __atomic_load_n(m->stop, __ATOMIC_RELAXED));
}
enum { PACK_DONE = 0, PACK_MORE = 1 };

#endif
