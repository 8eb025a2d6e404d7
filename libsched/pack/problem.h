/*
 * problem.h -- a packing problem in the form that the solvers work on: checked, copied, in 32-bit
 * units, and with time cut at events. Made by problem.c from what the host gave; immutable then.
 *
 * Amounts: each resource is scaled so that the greatest capacity is at most 2^30; demands round up
 * and capacities down, so what fits in units fits in truth; where capacities are below 2^30 already
 * (TBPP, per cent, milli) nothing is rounded. A sum of any items of one bin therefore fits int64,
 * and a sum that is within a capacity fits int32.
 *
 * Kinds. FIXED: every item is fixed, has one config and one task, no bin has a MIG table: time is
 * the sequence of `n_cells` elementary intervals [cell[c], cell[c+1]) between events (slot bounds,
 * starts, ends, reservations), and an item is a range of cells with a value per resource (constant)
 * or per resource and cell (profile). Cells in which exactly the same items are active are merged,
 * and a cell whose active items are a subset of a neighbour's (constant items) is dominated:
 * `check_cell` lists the cells that must be looked at, the maximal cliques. FLEXIBLE: all else; time
 * is in ticks of a microsecond and solvers keep their own profiles by breakpoints.
 *
 * Everything lies in one block (pack_arena.h): no pointer into the host's memory is kept.
 */
#ifndef LIBSCHED_PACK_PROBLEM_H
#define LIBSCHED_PACK_PROBLEM_H

#include <libsched/pack.h>

#include "pack/pack_arena.h"

struct mig_table;
struct pack_cost;

enum { PACK_FIXED = 0, PACK_FLEXIBLE = 1 };
#define PACK_UNIT_MAX ((int32_t)1 << 30)
#define PACK_NO_BIN   UINT32_MAX
#define PACK_NO_SLICE 0xFFu

struct pack_resource {
    uint8_t soft;
    uint32_t z_milli;
    int64_t overload_price; /* micro per unit and hour, by capacity: see cost.h */
    int64_t unit;           /* host's amount of one unit; 1: exact */
};

struct pack_class {
    int32_t capacity[LSCHED_PACK_RESOURCES_MAX]; /* units */
    const struct mig_table *mig;                 /* NULL: none */
    uint32_t first_bin, n_bins; /* unlimited classes: as many as all tasks could need */
    uint32_t on_now;
    uint8_t is_unlimited;
    int64_t open_price, on_price, switch_price, recut_price; /* micro; on: per hour */
};

struct pack_config {
    /* Where its amounts begin in p->amounts: [n_resources] for constant items, else [n_resources][n_span] over cells from
     * the item's first. Sigmas likewise in p->sigmas, PACK_NO_SIGMA: certain. */
    uint64_t amounts, sigmas;
    int64_t duration;     /* us */
    int64_t resize_price; /* micro, patience applied */
    uint8_t
        profile; /* of the MIG table of the bin: index into p->profiles_named; PACK_NO_SLICE: none */
    uint8_t is_profile;
};
#define PACK_NO_SIGMA UINT64_MAX

struct pack_item {
    uint32_t first_config;
    uint16_t n_configs;
    uint8_t is_pinned; /* by flag or by dwell */
    uint8_t apart;
    uint32_t tasks;
    uint32_t first_task;           /* of its tasks in arrays by task */
    uint32_t first_cell, end_cell; /* FIXED: [first, end) */
    uint32_t n_allowed;
    const uint32_t *allowed; /* classes, ascending; n_allowed 0: any */
    const uint32_t *now;     /* [tasks] bins; NULL: nowhere */
    uint32_t config_now;
    uint8_t slice_now;
    int64_t ready, latest, deadline; /* INT64_MAX: none */
    int64_t late_price, flow_price;  /* micro per hour */
    int64_t weight;
    int64_t move_price; /* micro, patience applied */
};

struct pack_block { /* a reservation */
    uint32_t bin;
    uint32_t first_cell, end_cell; /* FIXED */
    int64_t from, to;
    uint64_t amounts; /* in p->amounts, [n_resources] */
    uint32_t mig_slices;
};

struct pack_problem {
    uint32_t kind; /* PACK_FIXED, PACK_FLEXIBLE */
    uint32_t n_resources, n_classes, n_items, n_tasks, n_configs, n_blocks, n_bins, n_slots;
    uint8_t has_soft, has_profiles, has_prices_of_time,
        has_now; /* on/switch/late/flow/makespan prices; items that are somewhere */
    uint32_t n_cells, n_check;
    uint32_t patience_milli;
    int64_t now, makespan_price;
    const struct pack_resource *resources;
    const struct pack_class *classes;
    const struct pack_item *items;
    const struct pack_config *configs;
    const struct pack_block *blocks; /* by bin, then from */
    const int32_t *amounts;
    const int32_t *sigmas;
    const int64_t *slot;       /* [n_slots + 1] */
    const int64_t *cell;       /* [n_cells + 1], FIXED */
    const uint32_t *check;     /* [n_check] cells, ascending, FIXED */
    const uint16_t *bin_class; /* [n_bins] */
    const char *const *names;  /* of items, NUL-terminated, for messages */
};

/* Two passes over one code: with an arena that only counts, then with one that has the block. In the first pass out is filled as far as sizes
 * need. 0 or an error that names the element. */
int32_t pack_problem_check(const lsched_pack_problem *in, const lsched_pack_opts *opts,
                           lsched_error *err);
int32_t pack_problem_make(const lsched_pack_problem *in, const lsched_pack_opts *opts,
                          struct pack_arena *arena, struct pack_problem *out, lsched_error *err);

static inline const int32_t *pack_amounts(const struct pack_problem *p, uint32_t config) {
    return p->amounts + p->configs[config].amounts;
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

/* The best plan of all solvers. pack_best_offer copies a plan (spots by task) if its value is less; the value must be what pack_value_of says: asserted
 * where NDEBUG is not set. */
struct pack_best {
    struct pack_spot *spots; /* [n_tasks] */
    struct pack_value value;
    struct pack_cost *cost; /* to check offers with */
    uint32_t method;
    uint8_t has_plan;
};
int pack_best_offer(struct pack_best *best, const struct pack_problem *p,
                    const struct pack_spot *spots, struct pack_value value, uint32_t method);

/* ---- work ---- */

/* Units done and allowed; 1 unit is about a check of one item against one bin (30 ns). Solvers add what they do and return PACK_MORE at the next step once
 * pack_meter_spent. A step is bounded: a few thousand units. */
struct pack_meter {
    uint64_t done, until;
    uint64_t states, pruned;
    const volatile int *stop; /* set by another thread; read with pack_meter_spent */
};
static inline int pack_meter_spent(const struct pack_meter *m) {
    return m->done >= m->until || __atomic_load_n(m->stop, __ATOMIC_RELAXED);
}
enum { PACK_DONE = 0, PACK_MORE = 1 };

#endif
