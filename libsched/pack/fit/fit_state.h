/*
 * fit_state.h -- the state of the solvers of FIXED problems: the bin of each item, and the loads of
 * the bins, which are exact at any time.
 *
 * Layout: a bin has a dense row of 32-bit loads over columns for each hard resource. The columns
 * are the cells that must be checked (p->check), or all cells if prices of time or soft resources
 * need them. The rows of a bin lie together and are padded to whole groups of FIT_GROUP columns. A
 * check of an item takes a few vector instructions per group. It reads only the item's range of
 * columns, and stops after the first group in which the item does not fit. Segment trees are not
 * used instead of rows: most ranges are short (about ten columns), and a profile has a value for
 * each column anyway. Also, ruin and recreate removes and inserts items ten times as often as it
 * checks long ranges. A soft resource has a mean and a variance per bin and column.
 *
 * The candidates for an item are the bins in use, the special bins, and the first empty bin of each
 * class. Special bins are bins with a reservation, bins that are on at the beginning, and the
 * present bins of items (see `now`). The other empty bins of a class are equal to the first one.
 *
 * The state keeps a price of the plan by adding and subtracting changes; the solvers choose bins by
 * it. For each plan that is compared with the best plan, pack_value_of computes the price from the
 * spots.
 */
#ifndef LIBSCHED_FIT_STATE_H
#define LIBSCHED_FIT_STATE_H

#include "base/wide.h"
#include "pack/cost/best_plan.h"

enum {
    FIT_LANES = 4,  /* columns in one vector */
    FIT_GROUP = 16, /* columns that are checked together */
    /* greatest number of bins from which one step removes the items that overlap an item */
    FIT_BINS_MAX = 4,
    /* a long profile has this many stretches, whose highest columns are checked first */
    FIT_HOT = 8,
    /* a profile of more columns than this is checked at its FIT_HOT highest columns first */
    FIT_SHORT = 64,
    FIT_SOME = 32, /* number of bins in use that fit_choose_some and fit_find_exchange try */
    FIT_BLINK = 32 /* fit_choose_some skips one bin in this number at random */
};
#define FIT_NONE   UINT32_MAX
#define FIT_NO_FIT INT64_MAX

/* The rule that chooses among bins of equal price. The bin with the least value is chosen. */
enum fit_rule {
    FIT_TIGHT, /* least free capacity in the item's columns */
    FIT_PEAK,  /* least increase of the bin's peak load, then the highest peak */
    FIT_FULL   /* greatest sum of item areas in the bin */
};

struct fit_item {
    uint32_t low, high; /* the item runs in columns [low, high) */
    uint32_t bin;       /* FIT_NONE: the item is in no bin */
    uint32_t next, before;
    /* index in the pool of items without a bin; FIT_NONE if the item has a bin */
    uint32_t pool_at;
    uint32_t span; /* number of columns of a profile; 0 if the demand is constant */
    /* present bin, in which the item is before the plan; FIT_NONE if the item has none */
    uint32_t now;
    uint8_t is_pinned, was_out; /* was_out: the item was in the pool before the current step */
    const int32_t *amounts, *sigmas;
    /* sum over the resources of (peak demand / greatest capacity of a class), in units of 2^-20 */
    int64_t size;
    /* sum of the same quotients for the demand added up over all columns, in units of 2^-20 */
    int64_t area;
    int64_t price; /* price of the item's lateness and flow, which is the same in every bin */
    /* penalty for leaving the item in the pool: its weight at first, increased after each step that
     * fails to place it */
    uint64_t grudge;
};

struct fit_bin {
    uint32_t first; /* first item of the bin; FIT_NONE if the bin is empty */
    uint32_t n_items;
    uint32_t listed_at; /* index in f->listed; FIT_NONE if the bin is not listed */
    uint32_t intervals; /* number of intervals in which the bin is on */
    uint8_t is_special, is_on_now;
    int64_t area;  /* sum of the areas of the bin's items */
    int64_t on_us; /* microseconds for which the bin is on; only with f->has_rates */
};

/* The load of a soft resource in one bin and column. */
struct fit_soft {
    wide_u128 var;
    int64_t mean;
};

struct fit {
    const struct pack_problem *p;
    struct pack_cost *cost;
    struct pack_spot *spots; /* [n_items] plan that fit_offer writes and offers */
    uint32_t n_columns, stride;
    uint32_t n_hard, n_soft;
    uint8_t hard[LSCHED_PACK_RESOURCES_MAX], soft[LSCHED_PACK_RESOURCES_MAX];
    uint8_t has_rates; /* true if a class has an on or switch price */
    uint8_t all_cells; /* true if the columns are all cells, not only p->check */
    uint8_t is_plain;  /* true if the open price of bins is the only price */
    struct fit_item *items;
    struct fit_bin *bins;
    /* [n_bins] row of each listed bin in `loads` and the other arrays by row; all bins that are not
     * listed share row 0, which stays empty */
    uint32_t *row_of;
    uint32_t *rows; /* [n_rows] stack of the numbers of free rows; it holds n_free numbers */
    uint32_t n_rows, n_free, at_once, most_special;
    uint32_t *class_rows; /* [n_classes] number of bins of each class that can still be listed */
    int32_t *loads;       /* [n_rows][n_hard][stride] loads of hard resources by column */
    /* [n_items][n_hard][FIT_HOT] columns in which the item's profile is highest, one for each
     * stretch, counted from the item's `low` */
    uint32_t *hot;
    int32_t *peaks;          /* [n_rows][n_hard] greatest load of a row; -1: not computed */
    struct fit_soft *planes; /* [n_rows][n_soft][n_columns] loads of soft resources by column */
    wide_u128 *overloads;    /* [n_rows][n_soft] sum of overload x microseconds, see cost.h */
    uint32_t *counts;        /* [n_rows][n_columns] number of items that run; only with has_rates */
    uint32_t *factor;        /* [n_classes][n_hard] 2^30 divided by the capacity */
    /* [n_classes] all bins of the class with a lower index than this are listed */
    uint32_t *empty;
    uint32_t *listed; /* bins in use, and special bins */
    uint32_t n_listed;
    uint32_t *pool; /* list of the items without a bin */
    uint32_t n_pool;
    int64_t price; /* price of the present state, kept by adding and subtracting changes */
    uint64_t work, random;
    enum fit_rule rule;

    uint64_t grudges; /* sum of the penalties of the items in the pool */
    int64_t left_out; /* sum of the weights of the items in the pool */
    uint8_t may_open; /* true if empty bins are candidates */

    /* The members from here on are used only by ruin and recreate (fit_ruin.c). */
    /* arrays of [n_items] each: the items that a step tries to place, work space of a sort, and the
     * items that the step removed with the bins from which it removed them */
    uint32_t *order, *spare, *undo_items, *undo_bins;
    int64_t *keys; /* [n_items] sort keys */
    uint32_t n_order, n_undo;
    uint32_t ruined[FIT_BINS_MAX], n_ruined;
    /* `phase` is an enum fit_phase, the kind of the round; `is_over` is true if no further step can
     * find a better plan */
    uint8_t phase, is_over;
    /* `target` is a price that a new plan must stay below; `best_price` is the price that the state
     * had for the best plan */
    int64_t target, best_price;
    /* `cycle` is the number of rounds, which selects the kind of the next round; `steps` is the
     * number of steps that remain in the round; `all_steps` is the number with which the round
     * began */
    uint64_t cycle, steps, all_steps;
};

struct fit *fit_new(const struct pack_problem *p, const lsched_pack_opts *opts,
                    struct pack_arena *arena);
void fit_clear(struct fit *f); /* Moves all items to the pool. */
/* Returns the value of bin b for item i by f->rule (the least value is the best); FIT_NO_FIT if
 * item i does not fit. */
int64_t fit_check(struct fit *f, uint32_t i, uint32_t b);
/* Returns the price that the plan has in addition if item i is put into bin b. */
int64_t fit_price(struct fit *f, uint32_t i, uint32_t b);
/* Moves item i from the pool to bin b; the item must fit. */
void fit_put(struct fit *f, uint32_t i, uint32_t b);
void fit_take(struct fit *f, uint32_t i); /* Moves item i from its bin to the pool. */
/* Returns an empty bin of the class that is not special, or FIT_NONE. */
uint32_t fit_fresh(struct fit *f, uint32_t class_row);

static inline const struct pack_class *fit_class(const struct fit *f, uint32_t b) {
    return &f->p->classes[f->p->bin_class[b]];
}
static inline int32_t *fit_row(const struct fit *f, uint32_t b, uint32_t h) {
    return f->loads + ((uint64_t)f->row_of[b] * f->n_hard + h) * f->stride;
}
static inline int fit_is_allowed(const struct fit *f, uint32_t i, uint32_t b) {
    return f->p->items[i].n_allowed == 0 || pack_allows(&f->p->items[i], f->p->bin_class[b]);
}

#endif
