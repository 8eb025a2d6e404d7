/*
 * wave_order.h -- the order in which the dynamic programme decides items. Each pass of the
 * programme uses one order. The first passes use orders that are sorted by one key. Later passes
 * change at random the keys of the order that led to the best plan. An order depends on the
 * problem, the seed, the number of the pass and, in later passes, the key that led to the best
 * plan.
 *
 * Pinned items come first in all orders, because the only place of a pinned item must be free. If
 * items have present bins, in which they are before the plan, two orders group the items by present
 * bin. The bin that is most expensive to empty comes first. Therefore all items of one bin are
 * decided in few successive layers. Within these layers, the programme compares the moves that
 * empty the bin with the price of the bin that this saves.
 */
#ifndef LIBSCHED_WAVE_ORDER_H
#define LIBSCHED_WAVE_ORDER_H

#include "pack/problem/problem.h"

enum wave_key {
    WAVE_BY_SIZE = 0, /* the item with the largest demand first */
    WAVE_BY_START,    /* the item with the earliest start first */
    WAVE_BY_AREA,     /* the item with the greatest size x duration first */
    WAVE_BY_LENGTH,   /* the item with the longest duration first */
    WAVE_BY_HOME,     /* items grouped by present bin; items without a present bin last */
    WAVE_BY_HOME_NEW, /* items grouped by present bin; items without a present bin first */
    WAVE_KEYS
};

struct wave_order {
    const struct pack_problem *p;
    /* [n_items] sum over the resources of (demand / largest capacity of a class), in units of
     * 2^-20 */
    int64_t *size;
    int64_t *length;    /* [n_items] duration in microseconds */
    int64_t *home_load; /* [n_bins] sum of the sizes of the items that have this present bin */
    /* [n_bins] sum of the move prices of the items that have this present bin */
    int64_t *home_moves;
    /* [n_items] sort keys: items are sorted by `group`, and within a group by `key` */
    int64_t *group;
    int64_t *key;
    uint32_t *order; /* [n_items] items in the resulting order */
    uint64_t seed, random;
    uint32_t keys[WAVE_KEYS], n_keys;
    uint32_t best_key;
};

void wave_order_new(struct wave_order *o, const struct pack_problem *p, uint64_t seed,
                    struct pack_arena *arena);
/* Fills o->order for the pass. Returns the WAVE_BY_* key by which the order is sorted. */
uint32_t wave_order_make(struct wave_order *o, uint32_t pass);

#endif
