/*
 * time_pack.h -- internals of the solver of FLEXIBLE problems: list scheduling (time_pack.c), and
 * ruin and recreate (time_ruin.c).
 */
#ifndef LIBSCHED_PACK_TIME_PACK_H
#define LIBSCHED_PACK_TIME_PACK_H

#include "pack/problem/solvers.h"
#include "pack/timed/time_insert.h"

enum { TIME_STEP_ITEMS = 48, TIME_STEP_BINS = 3, TIME_HISTORY = 64, TIME_ORDERS = 5 };

/* An item that the current step has taken out of the plan and will insert again. */
struct time_loose {
    uint32_t item;
    uint8_t was_in; /* true if the item was in the plan; its old spots are in f->kept */
    uint8_t home;   /* true if the item must go back to its old bin */
    uint64_t key;   /* items are inserted by descending key */
};

struct time_pack {
    const struct pack_problem *p;
    struct time_state st;
    uint32_t *order; /* [n_items] order of list scheduling */
    uint64_t *keys;  /* [n_items] sort keys */
    uint64_t random;
    uint64_t counted; /* steps of the profile that are already counted as work */

    /* The next members belong to ruin and recreate. */
    struct pack_spot *kept; /* [n_tasks] old spots of the items of the step */
    uint64_t *stamp;        /* [n_items] last step that took the item out */
    uint32_t *misses;       /* [n_items] how often the item was left out */
    uint64_t step;
    uint64_t last_best; /* number of the step that found the best plan */
    struct time_loose loose[TIME_STEP_ITEMS];
    uint32_t n_loose, most_loose;
    uint32_t bins[TIME_STEP_BINS];
    uint32_t n_bins;
    uint8_t dissolve; /* true if the step should leave the first of `bins` empty */
    /* for each way to order a step's items: credit for the improvements found */
    uint32_t credit[TIME_ORDERS];
    struct time_value value; /* value of the current plan */
    struct time_value past[TIME_HISTORY];
    /* moving average of the amount by which the plan of a rejected step is worse */
    wide_i128 worse;
    uint32_t stalls; /* how often the search went back to the best plan since that plan was found */
    uint8_t has_gangs;
    uint8_t may_wait;  /* true if an item can gain by starting later than it could */
    uint8_t is_loaded; /* true if the state holds a plan */
};

/* Offers the current plan. Returns 1 if it becomes the best plan. */
int time_offer(struct time_pack *f, struct pack_best *best, uint32_t method);
/* Replaces the current plan with the plan in `spots`. Items whose spots do not fit stay out of the
 * plan. */
void time_load(struct time_pack *f, const struct pack_spot *spots);
/* Adds the work since the last call to the meter. */
void time_count(struct time_pack *f, struct pack_meter *m);

#endif
