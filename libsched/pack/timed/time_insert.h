/*
 * time_insert.h -- where and when an item that is not in goes best, beside what is in.
 *
 * Tried: every class and config that it may have, every bin that differs from those tried (of empty
 * bins alike one), every start of a MIG instance, at the earliest time that it fits there: left-
 * justified, gaps included. Where a bin's price depends on when it is used, also the times at which
 * other tasks of the bin begin or end. Taken: what adds the least to what search compares
 * (time_state.h), then by the rule's second key, then the lowest bin.
 *
 * Gangs: the earliest time at which enough bins have room at once; candidates are the times at
 * which room appears. Cost: breakpoints of the bins tried; of a gang, times the instants tried. /
 */
#ifndef LIBSCHED_PACK_TIME_INSERT_H
#define LIBSCHED_PACK_TIME_INSERT_H

#include "pack/timed/time_state.h"

enum {
    TIME_BY_END = 0,   /* earliest end */
    TIME_BY_ROOM = 1,  /* latest end that is not past the target; past it the earliest */
    TIME_BY_START = 2, /* earliest start */
    TIME_BY_LATEST = 3 /* latest start */
};

struct time_rule {
    const uint32_t *bins; /* these alone; NULL: any */
    uint32_t n_bins;
    uint32_t second;    /* TIME_BY_*: what decides between equal prices */
    uint32_t blink;     /* of 1024 bins so many are passed over */
    uint64_t *random;   /* of blinks */
    int64_t not_before; /* starts at the earliest; INT64_MIN: no such rule */
};

/* Writes the spots of its tasks; 0: it fits nowhere. It is not put. */
int time_choose(struct time_state *st, uint32_t item, const struct time_rule *rule);
/* time_choose and time_put. */
int time_insert(struct time_state *st, uint32_t item, const struct time_rule *rule);

/* xorshift64*: the state must not be 0. */
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
