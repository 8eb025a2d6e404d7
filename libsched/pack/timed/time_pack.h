/*
 * time_pack.h -- inside of the solver of flexible problems: list scheduling (time_pack.c), ruin and
 * recreate (time_ruin.c). /
 */
#ifndef LIBSCHED_PACK_TIME_PACK_H
#define LIBSCHED_PACK_TIME_PACK_H

#include "pack/problem/solvers.h"
#include "pack/timed/time_insert.h"

enum { TIME_STEP_ITEMS = 48, TIME_STEP_BINS = 3, TIME_HISTORY = 64, TIME_ORDERS = 5 };

/* An item of a step: out of the plan, to be put in again. */
struct time_loose {
    uint32_t item;
    uint8_t was_in; /* its spots are in f->kept */
    uint8_t home;   /* goes back to the bin that it was in */
    uint64_t key;   /* greatest first */
};

struct time_pack {
    const struct pack_problem *p;
    struct time_state st;
    uint32_t *order; /* [n_items] of list scheduling */
    uint64_t *keys;  /* [n_items] */
    uint64_t random;
    uint64_t counted; /* steps of the profile that the meter has */

    /* ruin and recreate */
    struct pack_spot *kept; /* [n_tasks] where items of the step were */
    uint64_t *stamp;        /* [n_items] last step that took it out */
    uint32_t *misses;       /* [n_items] how often it was left out */
    uint64_t step;
    uint64_t last_best; /* step that found the best plan */
    struct time_loose loose[TIME_STEP_ITEMS];
    uint32_t n_loose, most_loose;
    uint32_t bins[TIME_STEP_BINS];
    uint32_t n_bins;
    uint8_t dissolve;             /* the first of these is to be emptied */
    uint32_t credit[TIME_ORDERS]; /* of ways to order a step's items: what they have found */
    struct time_value value;      /* of the state */
    struct time_value past[TIME_HISTORY];
    wide_i128 worse; /* by how much a step's plan is worse than the state, where it is: about */
    uint32_t stalls; /* times that it went back to the best plan since that was found */
    uint8_t has_gangs;
    uint8_t may_wait;  /* an item may gain by starting later than it could */
    uint8_t is_loaded; /* the state is a plan */
};

/* Offers what the state is. 1: it is better. */
int time_offer(struct time_pack *f, struct pack_best *best, uint32_t method);
/* The state becomes this plan; items whose spots do not fit stay out. */
void time_load(struct time_pack *f, const struct pack_spot *spots);
/* Adds the work since the last call. */
void time_count(struct time_pack *f, struct pack_meter *m);

#endif
