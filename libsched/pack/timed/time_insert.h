/*
 * time_insert.h -- chooses the best place and time for an item that is not in the plan.
 *
 * The search tries every class and config that the item can use, every bin (but only one of several
 * equal empty bins), and every first memory slice of a MIG instance. In each case it tries the
 * earliest time at which the item fits, which can be in a gap between other tasks. If a bin's price
 * depends on when the bin is used, it also tries the times at which other tasks of the bin begin or
 * end. It chooses the place that adds least to the cost that the search compares (time_state.h);
 * among equal places, the best one by the rule's second key; among these, the bin with the lowest
 * index.
 *
 * A gang starts at the earliest time at which enough bins have free capacity for its tasks at once.
 * The search tries the times at which capacity becomes free. Cost: a walk over the breakpoints of
 * the bins that are tried; for a gang, one walk for each time that is tried.
 */
#ifndef LIBSCHED_PACK_TIME_INSERT_H
#define LIBSCHED_PACK_TIME_INSERT_H

#include "pack/timed/time_state.h"

enum {
    TIME_BY_END = 0, /* the earliest end is best */
    /* the latest end that is not after the target is best; if all ends are after the target, the
     * earliest end */
    TIME_BY_ROOM = 1,
    TIME_BY_START = 2, /* the earliest start is best */
    TIME_BY_LATEST = 3 /* the latest start is best */
};

struct time_rule {
    const uint32_t *bins; /* only these bins are tried; NULL: all bins */
    uint32_t n_bins;
    uint32_t second;  /* TIME_BY_*: decides between places that add equal cost */
    uint32_t blink;   /* number of bins, out of 1024, that are skipped at random */
    uint64_t *random; /* state of the random generator for `blink` */
    /* earliest start that is allowed, in microseconds; INT64_MIN: any start */
    int64_t not_before;
};

/* Chooses spots for the item's tasks and writes them to st->spots. The item is not inserted.
 * Returns 0 if the item fits nowhere. */
int time_choose(struct time_state *st, uint32_t item, const struct time_rule *rule);
/* Calls time_choose and, if that finds spots, time_put. Returns 1 if the item was inserted. */
int time_insert(struct time_state *st, uint32_t item, const struct time_rule *rule);

#endif
