/*
 * fit_state.h -- the state that the solvers of FIXED problems work on: which item is in which bin,
 * and the loads of bins, exact at any time.
 *
 * Layout: a bin has a dense row of 32-bit loads per hard resource, over columns. Columns are the
 * cells that must be looked at (p->check); all cells where prices of time or soft resources need
 * them. Rows of a bin lie together and are padded to whole groups of FIT_GROUP columns, so that a
 * check is a few vector instructions per group, over the touched range only, and stops in the group
 * in which the item does not fit. Dense rows, not segment trees: ranges are short (some ten
 * columns) or items have a value per column anyway, and a ruin takes out and puts back ten times as
 * often as it looks far. Soft resources have a plane of means and variances per bin.
 *
 * Candidates for an item are the bins in use, the special bins (reserved, on, or the present place
 * of an item), and the first empty bin of each class: other empty bins of a class are equal.
 *
 * Prices are kept by difference for choosing bins; pack_value_of prices the plans that are compared
 * with the best plan.
 */
#ifndef LIBSCHED_FIT_STATE_H
#define LIBSCHED_FIT_STATE_H

#include "base/wide.h"
#include "pack/problem/solvers.h"

enum {
    FIT_LANES = 4,
    FIT_GROUP = 16,
    FIT_BINS_MAX = 4,
    FIT_HOT = 8,
    FIT_SHORT = 64,
    FIT_SOME = 32,
    FIT_BLINK = 32
};
#define FIT_NONE   UINT32_MAX
#define FIT_NO_FIT INT64_MAX

/* How a bin is chosen among those of equal price; less is better. */
enum fit_rule {
    FIT_TIGHT, /* least left over the item's range */
    FIT_PEAK,  /* least increase of the bin's peak, then the highest peak */
    FIT_FULL   /* the bin with the most in it */
};

struct fit_item {
    uint32_t low, high; /* columns */
    uint32_t bin;       /* FIT_NONE: in none */
    uint32_t next, before;
    uint32_t pool_at;           /* place in the pool, FIT_NONE: not there */
    uint32_t span;              /* values per resource; 0: constant */
    uint32_t now;               /* bin; FIT_NONE: nowhere */
    uint8_t is_pinned, was_out; /* was in the pool before the step */
    const int32_t *amounts, *sigmas;
    int64_t size;    /* peaks by capacity, 2^-20, over resources */
    int64_t area;    /* the same x columns */
    int64_t price;   /* if it is placed, wherever */
    uint64_t grudge; /* weight, grown by each time it was left out */
};

struct fit_bin {
    uint32_t first; /* item; FIT_NONE: empty */
    uint32_t n_items;
    uint32_t listed_at; /* in f->listed; FIT_NONE: not there */
    uint32_t intervals; /* in which it is on */
    uint8_t is_special, is_on_now;
    int64_t area;  /* of its items */
    int64_t on_us; /* on for so long; f->has_rates */
};

/* The load of a soft resource in one column. */
struct fit_soft {
    wide_u128 var;
    int64_t mean;
};

struct fit {
    const struct pack_problem *p;
    struct pack_cost *cost;
    struct pack_spot *spots; /* [n_items] to offer */
    uint32_t n_columns, stride;
    uint32_t n_hard, n_soft;
    uint8_t hard[LSCHED_PACK_RESOURCES_MAX], soft[LSCHED_PACK_RESOURCES_MAX];
    uint8_t has_rates; /* on or switch prices */
    uint8_t all_cells; /* columns are cells, not checks */
    uint8_t is_plain;  /* no price but that of opening */
    struct fit_item *items;
    struct fit_bin *bins;
    uint32_t
        *row_of; /* [n_bins] number of a listed bin's rows; 0, which stays empty: of all others */
    uint32_t *rows; /* [n_rows] that are free, the last n_free */
    uint32_t n_rows, n_free, at_once, most_special;
    uint32_t *class_rows;    /* [n_classes] bins of the class that may still be listed */
    int32_t *loads;          /* [n_rows][n_hard][stride] */
    uint32_t *hot;           /* [n_items][n_hard][FIT_HOT] where a profile is high, from its low */
    int32_t *peaks;          /* [n_rows][n_hard]; -1: not known */
    struct fit_soft *planes; /* [n_rows][n_soft][n_columns] */
    wide_u128 *overloads;    /* [n_rows][n_soft] overload x us, see cost.h */
    uint32_t *counts;        /* [n_rows][n_columns] items running, has_rates */
    uint32_t *factor;        /* [n_classes][n_hard] 2^30 / capacity */
    uint32_t *empty;         /* [n_classes] no plain empty bin of the class before this one */
    uint32_t *listed;        /* bins in use and special ones */
    uint32_t n_listed;
    uint32_t *pool; /* items in no bin */
    uint32_t n_pool;
    int64_t price; /* of items in bins, by difference */
    uint64_t work, random;
    enum fit_rule rule;

    uint64_t grudges; /* sum over the pool */
    int64_t left_out; /* weight of the pool */
    uint8_t may_open; /* empty bins are candidates */

    /* ruin and recreate, see fit_ruin.c */
    uint32_t *order, *spare, *undo_items, *undo_bins; /* [n_items] each; spare: of a sort */
    int64_t *keys;                                    /* [n_items] */
    uint32_t n_order, n_undo;
    uint32_t ruined[FIT_BINS_MAX], n_ruined;
    uint8_t phase, is_over;           /* enum fit_phase */
    int64_t target, best_price;       /* plans must cost less; of the best, by own reckoning */
    uint64_t cycle, steps, all_steps; /* of phases; steps of the round to come, and in all */
};

/* ---- fit_state.c ---- */

void fit_clear(struct fit *f); /* all items into the pool */
/* How well item i fits bin b by f->rule, less is better; FIT_NO_FIT: not at all. */
int64_t fit_check(struct fit *f, uint32_t i, uint32_t b);
int64_t fit_price(struct fit *f, uint32_t i, uint32_t b); /* what putting it there adds */
void fit_put(struct fit *f, uint32_t i, uint32_t b);      /* out of the pool; must fit */
void fit_take(struct fit *f, uint32_t i);                 /* into the pool */
/* An empty bin of the class that is not special, or FIT_NONE. */
uint32_t fit_fresh(struct fit *f, uint32_t class_row);

/* ---- fit_place.c ---- */

struct fit_pick {
    uint32_t bin; /* FIT_NONE: none yet */
    int64_t price, score;
};
void fit_pick_begin(struct fit_pick *pick, int64_t limit); /* prices must be less */
void fit_pick_try(struct fit *f, struct fit_pick *pick, uint32_t i, uint32_t b);
void fit_pick_fresh(struct fit *f, struct fit_pick *pick, uint32_t i); /* empty bins */
/* The best of all candidates; FIT_NONE: none. */
uint32_t fit_choose(struct fit *f, uint32_t i, int64_t limit);
/* Chooses among FIT_SOME bins in use, from a random one on, and the given bins; one bin in
 * FIT_BLINK is overlooked, so that bins that the rules never choose are tried as well. */
uint32_t fit_choose_some(struct fit *f, uint32_t i, int64_t limit, const uint32_t *bins,
                         uint32_t n);
/* Offers the present plan. Returns 1 if it is the best now. */
int fit_offer(struct fit *f, struct pack_best *best, uint32_t method);
/* Puts items where the spots say (NULL: only pinned items) as far as they fit; the other items go
 * to the pool. */
void fit_load(struct fit *f, const struct pack_spot *spots);

/* ---- fit_eject.c ---- */

/* True if item i would fit in bin b, in all hard resources, without item j of the bin, which
 * overlaps item i. */
int fit_without(struct fit *f, uint32_t i, uint32_t b, uint32_t j);
/* The item with the least grudge, at most that of i, for which i could be exchanged in one of
 * FIT_SOME bins. FIT_NONE: none. */
uint32_t fit_find_exchange(struct fit *f, uint32_t i);

static inline uint32_t fit_random(struct fit *f) { /* xorshift64* */
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
