/*
 * free_timeline.h -- what is free on each node over time: steps of amounts, and the earliest start
 * at which so many tasks fit beside each other for so long.
 *
 * A bin is a node. Its steps say what is free from a time on, ascending, the first from now; the
 * last holds for ever. Amounts are of up to HORIZON_KINDS resources, of which one is devices and
 * one places for tasks; never below what was there, as what is taken was found free (a bin whose
 * node has less than nothing free takes nothing). Memory: one pool of steps, a block per bin that
 * doubles.
 * Cost: taking is O(steps of the bin); looking for a start O(bins x steps^2), where steps are what
 * ends or begins on that node alone; the common case, a start now, is O(bins). Why not a tree over
 * time: nodes have few steps, and a gang asks all nodes at once.
 */
#ifndef LIBSCHED_FREE_TIMELINE_H
#define LIBSCHED_FREE_TIMELINE_H

#include <libsched/algorithm.h>

#define HORIZON_KINDS   8u
#define HORIZON_FOREVER INT64_MAX

struct horizon_amount {
    int64_t of[HORIZON_KINDS];
};

struct horizon_step {
    int64_t at;
    struct horizon_amount free;
};

struct horizon_bin {
    uint32_t node;
    uint32_t first, n, cap; /* in the pool */
};

struct horizon {
    const lsched_algorithm_env *env;
    uint32_t n_kinds, n_bins, cap_bins;
    int64_t now;
    struct horizon_bin *bins;
    struct horizon_step *pool;
    uint32_t n_pool, cap_pool;
    /* scratch of horizon_find */
    struct horizon_turn *turns;
    uint32_t cap_turns;
};

/* Where so many of a job's tasks go. */
struct horizon_part {
    uint32_t bin, tasks;
};

void horizon_open(struct horizon *r, const lsched_algorithm_env *env);
void horizon_close(struct horizon *r);
/* All bins go. */
void horizon_clear(struct horizon *r, int64_t now, uint32_t n_kinds);
/* A bin with so much free from now on. LSCHED_OK or LSCHED_E_NOMEM. */
int32_t horizon_add(struct horizon *r, uint32_t node, const struct horizon_amount *free);
/* A bin anew. */
int32_t horizon_reset(struct horizon *r, uint32_t bin, const struct horizon_amount *free);
/* Is nothing taken that was not there. */
int horizon_is_sound(const struct horizon *r, uint32_t bin);
/* `times` fold the amounts are taken over [from, to); below 0: given back. LSCHED_E_NOMEM. */
int32_t horizon_take(struct horizon *r, uint32_t bin, int64_t from, int64_t to,
                     const struct horizon_amount *amount, int64_t times);
/* When it ends; HORIZON_FOREVER from the latest time on that a host may name. */
int64_t horizon_end(int64_t from, int64_t length);
/* How many tasks that need so much fit beside each other in the bin over [from, from + length), at
 * most `most`. */
uint32_t horizon_count(const struct horizon *r, uint32_t bin, int64_t from, int64_t length,
                       const struct horizon_amount *need, uint32_t most);
/* The earliest time at which `tasks` fit in the bins allowed; HORIZON_FOREVER: never. */
int32_t horizon_find(struct horizon *r, const uint8_t *allowed, int64_t length,
                     const struct horizon_amount *need, uint32_t tasks, int64_t *start);

#endif
