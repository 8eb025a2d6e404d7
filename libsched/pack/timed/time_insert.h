/*
 * time_insert.h -- chooses the best place and time for an item that is not in the plan.
 *
 * Tried: every class and config that the item can use; every bin that differs from the bins already
 * tried (of equal empty bins only one); and every first slice of a MIG instance, at the earliest
 * time at which the item fits there, including gaps. If a bin's price depends on when the bin is
 * used, the times at which other tasks of the bin begin or end are tried too. The choice is the
 * place that adds least to the cost that the search compares (time_state.h), then the place that is
 * best by the rule's second key, then the lowest bin.
 *
 * A gang starts at the earliest time at which enough bins have free capacity at once. The times
 * tried are those at which capacity becomes free. Cost: the breakpoints of the bins tried; for a
 * gang, multiplied by the number of times tried.
 */
#ifndef LIBSCHED_PACK_TIME_INSERT_H
#define LIBSCHED_PACK_TIME_INSERT_H

#include "pack/timed/time_state.h"

enum {
    TIME_BY_END = 0, /* the earliest end is best */
    /* the latest end not past the target is best; if all ends are past it, the earliest end */
    TIME_BY_ROOM = 1,
    TIME_BY_START = 2, /* the earliest start is best */
    TIME_BY_LATEST = 3 /* the latest start is best */
};

struct time_rule {
    const uint32_t *bins; /* only these bins are tried; NULL: all bins */
    uint32_t n_bins;
    uint32_t second;  /* TIME_BY_*: decides between places of equal cost */
    uint32_t blink;   /* number of bins, of 1024, that are skipped at random */
    uint64_t *random; /* state of the random generator for `blink` */
    /* earliest start allowed, microseconds; INT64_MIN if any start is allowed */
    int64_t not_before;
};

/* Chooses the spots of the item's tasks and writes them, without inserting the item. Returns 0 if
 * the item fits nowhere. */
int time_choose(struct time_state *st, uint32_t item, const struct time_rule *rule);
/* Calls time_choose and, if it finds spots, time_put. */
int time_insert(struct time_state *st, uint32_t item, const struct time_rule *rule);

/* Random number by xorshift64*. The state must not be 0. */
static inline uint64_t time_random(uint64_t *state) {
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545F4914F6CDD1DULL;
}
static inline uint32_t time_random_below(uint64_t *state, uint32_t n) {
    return (uint32_t)((time_random(state) >> 32) * n >> 32);
}

#endif
