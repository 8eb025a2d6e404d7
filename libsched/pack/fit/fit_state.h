/*
 * fit_state.h -- the state of the solvers of FIXED problems: which item is in which bin, and the
 * loads of the bins, which are exact at any time.
 *
 * Layout: a bin has a dense row of 32-bit loads over columns for each hard resource. The columns
 * are the cells that must be checked (p->check), or all cells if prices of time or soft resources
 * need them. The rows of a bin lie together and are padded to whole groups of FIT_GROUP columns. A
 * check takes a few vector instructions per group, reads only the range of the item, and stops in
 * the first group in which the item does not fit. Rows are dense and not segment trees, because the
 * ranges are short (about ten columns) or items have a value per column anyway, and because ruin
 * and recreate removes and inserts items ten times as often as it checks long ranges. A soft
 * resource has a mean and a variance per bin and column.
 *
 * The candidates for an item are the bins in use, the special bins (with a reservation, on at the
 * beginning, or the present bin of an item, see `now`), and the first empty bin of each class. The
 * other empty bins of a class are equal to that one.
 *
 * A price kept by difference is used to choose bins. pack_value_of prices each plan that is
 * compared with the best plan.
 */
#ifndef LIBSCHED_FIT_STATE_H
#define LIBSCHED_FIT_STATE_H

#include "base/wide.h"
#include "pack/problem/solvers.h"

enum {
    FIT_LANES = 4,    /* columns in one vector */
    FIT_GROUP = 16,   /* columns that are checked together */
    FIT_BINS_MAX = 4, /* bins from which one step removes items, at most */
    FIT_HOT = 8,      /* parts of a profile whose highest columns are checked first */
    FIT_SHORT = 64,   /* longer profiles are checked at their FIT_HOT highest columns first */
    FIT_SOME = 32,    /* bins in use that a random choice tries */
    FIT_BLINK = 32    /* one bin in this number is skipped at random */
};
#define FIT_NONE   UINT32_MAX
#define FIT_NO_FIT INT64_MAX

/* The rule that chooses among bins of equal price. The bin with the least value is chosen. */
enum fit_rule {
    FIT_TIGHT, /* least free capacity over the item's range */
    FIT_PEAK,  /* least increase of the bin's peak load, then the highest peak */
    FIT_FULL   /* greatest sum of item areas in the bin */
};

struct fit_item {
    uint32_t low, high; /* columns [low, high) */
    uint32_t bin;       /* FIT_NONE: the item is in no bin */
    uint32_t next, before;
    /* index in the pool of items without a bin; FIT_NONE if the item has a bin */
    uint32_t pool_at;
    uint32_t span; /* values per resource of a profile; 0 if the demand is constant */
    /* present bin: the bin in which the item is before the plan; FIT_NONE if there is none */
    uint32_t now;
    uint8_t is_pinned, was_out; /* was_out: the item was in the pool before the current step */
    const int32_t *amounts, *sigmas;
    int64_t size;  /* sum over resources of peak demand / greatest capacity, in units of 2^-20 */
    int64_t area;  /* the same sum for the demands added up over the columns */
    int64_t price; /* lateness and flow price, paid in whatever bin the item is placed */
    /* penalty while the item is out: its weight, increased at each failure to place it */
    uint64_t grudge;
};

struct fit_bin {
    uint32_t first; /* first item of the bin; FIT_NONE if the bin is empty */
    uint32_t n_items;
    uint32_t listed_at; /* index in f->listed; FIT_NONE if the bin is not listed */
    uint32_t intervals; /* number of intervals in which the bin is on */
    uint8_t is_special, is_on_now;
    int64_t area;  /* sum of the areas of its items */
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
    struct pack_spot *spots; /* [n_items] plan to offer */
    uint32_t n_columns, stride;
    uint32_t n_hard, n_soft;
    uint8_t hard[LSCHED_PACK_RESOURCES_MAX], soft[LSCHED_PACK_RESOURCES_MAX];
    uint8_t has_rates; /* true if a class has an on or switch price */
    uint8_t all_cells; /* true if the columns are all cells, not only p->check */
    uint8_t is_plain;  /* true if the open price of bins is the only price */
    struct fit_item *items;
    struct fit_bin *bins;
    /* [n_bins] row number of a listed bin; all other bins share row 0, which stays empty */
    uint32_t *row_of;
    uint32_t *rows; /* [n_rows] stack of free row numbers, of height n_free */
    uint32_t n_rows, n_free, at_once, most_special;
    uint32_t *class_rows; /* [n_classes] bins of the class that can still be listed */
    int32_t *loads;       /* [n_rows][n_hard][stride] loads of hard resources by column */
    /* [n_items][n_hard][FIT_HOT] columns, counted from the item's low, where its profile is
     * highest */
    uint32_t *hot;
    int32_t *peaks;          /* [n_rows][n_hard] greatest load; -1: not known */
    struct fit_soft *planes; /* [n_rows][n_soft][n_columns] loads of soft resources by column */
    wide_u128 *overloads;    /* [n_rows][n_soft] sum of overload x microseconds, see cost.h */
    uint32_t *counts;        /* [n_rows][n_columns] items that run; only with has_rates */
    uint32_t *factor;        /* [n_classes][n_hard] 2^30 / capacity */
    /* [n_classes] each unlisted bin of the class has at least this number */
    uint32_t *empty;
    uint32_t *listed; /* bins in use, and special bins */
    uint32_t n_listed;
    uint32_t *pool; /* items without a bin */
    uint32_t n_pool;
    int64_t price; /* price of the items that are in bins, kept by difference */
    uint64_t work, random;
    enum fit_rule rule;

    uint64_t grudges; /* sum of the penalties of the items in the pool */
    int64_t left_out; /* weight of the items in the pool */
    uint8_t may_open; /* true if empty bins are candidates */

    /* The next members belong to ruin and recreate, see fit_ruin.c. */
    /* [n_items] each; spare: work space of a sort */
    uint32_t *order, *spare, *undo_items, *undo_bins;
    int64_t *keys; /* [n_items] sort keys */
    uint32_t n_order, n_undo;
    uint32_t ruined[FIT_BINS_MAX], n_ruined;
    uint8_t phase, is_over; /* phase: enum fit_phase; is_over: no step can find a better plan */
    /* target: new plans must cost less; best_price: price of the best plan, kept by difference */
    int64_t target, best_price;
    /* cycle: selects the kind of the next round; steps: steps that remain in the round, of
     * all_steps */
    uint64_t cycle, steps, all_steps;
};

/* ---- fit_state.c ---- */

void fit_clear(struct fit *f); /* Moves all items to the pool. */
/* Returns how well item i fits bin b by f->rule (less is better); FIT_NO_FIT if item i does not
 * fit. */
int64_t fit_check(struct fit *f, uint32_t i, uint32_t b);
/* Returns the price that putting item i into bin b adds. */
int64_t fit_price(struct fit *f, uint32_t i, uint32_t b);
/* Moves item i from the pool to bin b; the item must fit. */
void fit_put(struct fit *f, uint32_t i, uint32_t b);
void fit_take(struct fit *f, uint32_t i); /* Moves item i from its bin to the pool. */
/* Returns an empty bin of the class that is not special, or FIT_NONE. */
uint32_t fit_fresh(struct fit *f, uint32_t class_row);

/* ---- fit_place.c ---- */

struct fit_pick {
    uint32_t bin; /* FIT_NONE: no bin found yet */
    int64_t price, score;
};
/* A bin is accepted if its price is less than `limit`. */
void fit_pick_begin(struct fit_pick *pick, int64_t limit);
void fit_pick_try(struct fit *f, struct fit_pick *pick, uint32_t i, uint32_t b);
/* Tries the first empty bin of each class. */
void fit_pick_fresh(struct fit *f, struct fit_pick *pick, uint32_t i);
/* Returns the best of all candidate bins whose price is less than `limit`; FIT_NONE if there is
 * none. */
uint32_t fit_choose(struct fit *f, uint32_t i, int64_t limit);
/* Chooses among the given bins and FIT_SOME bins in use, beginning with a random one. One bin in
 * FIT_BLINK is skipped, so that bins that the rules never choose are tried too. */
uint32_t fit_choose_some(struct fit *f, uint32_t i, int64_t limit, const uint32_t *bins,
                         uint32_t n);
/* Offers the current plan. Returns 1 if it becomes the best plan. */
int fit_offer(struct fit *f, struct pack_best *best, uint32_t method);
/* Puts each item into the bin that `spots` names, if it fits there; the other items go to the pool.
 * If `spots` is NULL, only pinned items are placed. */
void fit_load(struct fit *f, const struct pack_spot *spots);

/* ---- fit_eject.c ---- */

/* True if item i fits bin b in all hard resources once item j leaves the bin. Item j overlaps item
 * i in time. */
int fit_without(struct fit *f, uint32_t i, uint32_t b, uint32_t j);
/* Searches FIT_SOME bins for an item that can be exchanged for item i. Returns the item with the
 * least penalty (grudge), which is at most that of item i; FIT_NONE if there is none. */
uint32_t fit_find_exchange(struct fit *f, uint32_t i);

static inline uint32_t fit_random(struct fit *f) { /* Random number by xorshift64*. */
    f->random ^= f->random >> 12;
    f->random ^= f->random << 25;
    f->random ^= f->random >> 27;
    return (uint32_t)((f->random * 0x2545F4914F6CDD1Du) >> 32);
}
static inline uint32_t fit_below(struct fit *f, uint32_t n) {
    return (uint32_t)(((uint64_t)fit_random(f) * n) >> 32);
}
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
