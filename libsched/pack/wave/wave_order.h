/*
 * wave_order.h -- the order in which the dynamic programme decides items. Each pass of the
 * programme uses one order. The first passes use the plain orders; later passes disturb the order
 * that led to the best plan. The order depends only on the problem, the seed and the number of the
 * pass.
 *
 * Pinned items come first in all orders, because their only place must be free. Items with a
 * present bin (where they are before the plan) are ordered by bin, and the bins that are most
 * expensive to empty come first. All items of one bin are thus decided together: emptying the bin
 * costs their moves at once and saves the price of the bin, and the programme compares the two
 * within few layers.
 */
#ifndef LIBSCHED_WAVE_ORDER_H
#define LIBSCHED_WAVE_ORDER_H

#include "pack/problem/problem.h"

enum wave_key {
    WAVE_BY_SIZE = 0, /* the item with the largest demand first */
    WAVE_BY_START,    /* the item with the earliest start first */
    WAVE_BY_AREA,     /* the greatest size x time first */
    WAVE_BY_LENGTH,   /* the item with the longest duration first */
    WAVE_BY_HOME,     /* items grouped by present bin; items without a present bin last */
    WAVE_BY_HOME_NEW, /* items grouped by present bin; items without a present bin first */
    WAVE_KEYS
};

struct wave_order {
    const struct pack_problem *p;
    /* [n_items] sum over resources of demand / largest capacity, in units of 2^-20 */
    int64_t *size;
    int64_t *length;     /* [n_items] microseconds */
    int64_t *home_load;  /* [n_bins] sum of the sizes of the items that have this present bin */
    int64_t *home_moves; /* [n_bins] sum of the move prices of these items */
    int64_t *group;      /* [n_items] sort keys: first `group`, then `key` */
    int64_t *key;
    uint32_t *order; /* [n_items] the resulting order */
    uint64_t seed, random;
    uint32_t keys[WAVE_KEYS], n_keys;
    uint32_t best_key;
};

void wave_order_new(struct wave_order *o, const struct pack_problem *p, uint64_t seed,
                    struct pack_arena *arena);
/* Fills o->order for the pass. Returns the wave_key on which the order is based. */
uint32_t wave_order_make(struct wave_order *o, uint32_t pass);

#endif
