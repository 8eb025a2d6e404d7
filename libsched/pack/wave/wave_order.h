/*
 * wave_order.h -- in which order the programme decides items. One pass of the programme is one
 * order; passes begin with the plain orders, then disturb the one whose plan was the best. A
 * function of the problem, the seed and the number of the pass.
 *
 * Pinned items come first in all: what cannot move must find its place free. Items that are
 * somewhere are taken bin by bin, the dearest to empty first, so that the items of one bin are
 * decided together: emptying it then costs their moves at once against the price of the bin, and
 * the programme compares these two within few layers.
 */
#ifndef LIBSCHED_WAVE_ORDER_H
#define LIBSCHED_WAVE_ORDER_H

#include "pack/problem/problem.h"

enum wave_key {
    WAVE_BY_SIZE = 0, /* the largest first */
    WAVE_BY_START,    /* the earliest */
    WAVE_BY_AREA,     /* size x time */
    WAVE_BY_LENGTH,   /* the longest */
    WAVE_BY_HOME,     /* by bins where they are, new ones last */
    WAVE_BY_HOME_NEW, /* new ones first */
    WAVE_KEYS
};

struct wave_order {
    const struct pack_problem *p;
    int64_t *size;       /* [n_items] 2^-20 of the largest capacity, over resources */
    int64_t *length;     /* [n_items] us */
    int64_t *home_load;  /* [n_bins] sum of the sizes that are there */
    int64_t *home_moves; /* [n_bins] of their prices to move */
    int64_t *group;      /* keys of the sort, [n_items] */
    int64_t *key;
    uint32_t *order; /* [n_items] the result */
    uint64_t seed, random;
    uint32_t keys[WAVE_KEYS], n_keys;
    uint32_t best_key;
};

void wave_order_new(struct wave_order *o, const struct pack_problem *p, uint64_t seed,
                    struct pack_arena *arena);
/* Fills o->order for the pass; returns the key that it went by. */
uint32_t wave_order_make(struct wave_order *o, uint32_t pass);

#endif
