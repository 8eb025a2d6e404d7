/*
 * time_pack.h -- internals of the solver of FLEXIBLE problems: list scheduling (time_pack.c), and
 * ruin and recreate (time_ruin.c).
 */
#ifndef LIBSCHED_PACK_TIME_PACK_H
#define LIBSCHED_PACK_TIME_PACK_H

#include "pack/cost/best_plan.h"
#include "pack/timed/time_insert.h"

enum { TIME_STEP_ITEMS = 48, TIME_STEP_BINS = 3, TIME_HISTORY = 64, TIME_ORDERS = 5 };

/* An item that the current step has removed from the plan, or found outside it, and will try to
 * insert. */
struct time_loose {
    uint32_t item;
    /* true if the item was in the plan before the step; its old spots are then in f->kept */
    uint8_t was_in;
    uint8_t home; /* true if the item must go back to its old bin */
    uint64_t key; /* the item with the greatest key is inserted first */
};

struct time_pack {
    const struct pack_problem *p;
    struct time_state st;
    uint32_t *order; /* [n_items] order of list scheduling */
    uint64_t *keys;  /* [n_items] sort keys */
    uint64_t random;
    uint64_t counted; /* number of the profile's steps that are already in the meter */

    /* The members from here on are used only by ruin and recreate (time_ruin.c). */
    /* [n_tasks] spots that the items of the current step had before the step */
    struct pack_spot *kept;
    uint64_t *stamp;  /* [n_items] number of the last step that removed the item */
    uint32_t *misses; /* [n_items] number of times that the item could not be inserted */
    uint64_t step;
    uint64_t last_best; /* number of the step that found the best plan */
    struct time_loose loose[TIME_STEP_ITEMS];
    uint32_t n_loose, most_loose;
    uint32_t bins[TIME_STEP_BINS];
    uint32_t n_bins;
    uint8_t dissolve; /* true if the step tries to leave bins[0] empty */
    /* [TIME_ORDERS] one weight for each order of a step's items; an order that led to improvements
     * has a greater weight and is chosen more often */
    uint32_t order_weight[TIME_ORDERS];
    struct time_value value; /* value of the current plan */
    struct time_value past[TIME_HISTORY];
    /* moving average of the cost that the plan of a rejected step has in addition */
    wide_i128 worse;
    /* number of times that the search returned to the best plan since it found that plan */
    uint32_t stalls;
    uint8_t has_gangs;
    /* true if a later start than the earliest one can be better: a class has prices that depend on
     * time, or there are gangs */
    uint8_t may_wait;
    uint8_t is_loaded; /* true if the state holds a plan */
};

struct time_pack *time_new(const struct pack_problem *p, const lsched_pack_opts *opts,
                           struct pack_arena *arena);
void time_seed(struct time_pack *f, struct pack_best *best, struct pack_meter *m);
void time_start(struct time_pack *f, const struct pack_spot *wish, struct pack_best *best,
                struct pack_meter *m);
/* Offers the current plan to *best. Returns 1 if it becomes the best plan. */
int time_offer(struct time_pack *f, struct pack_best *best, uint32_t method);
/* Replaces the current plan with the plan in `spots`. Items that do not fit at their spots are left
 * out. */
void time_load(struct time_pack *f, const struct pack_spot *spots);
/* Adds the work units that were used since the last call to the meter. */
void time_count(struct time_pack *f, struct pack_meter *m);

#endif
