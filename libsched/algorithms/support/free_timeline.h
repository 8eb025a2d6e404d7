/*
 * free_timeline.h -- the free amounts of each node over time, as steps, and a search for the
 * earliest start at which a number of tasks fit side by side for a given duration.
 *
 * A bin is a node. Each step of a bin holds the amounts that are free from a time on. The steps of
 * a bin are in ascending order of time; the first begins now, and the last holds for ever. Amounts
 * cover up to FREE_TIMELINE_KINDS resource kinds. One of the kinds is devices, and one is the
 * number of further tasks that the node can hold. Amounts stay at zero or above, because only
 * amounts that were found free are taken. (A bin of a node that is over-committed accepts no
 * tasks.) Memory: one pool of steps for all bins; each bin has a block in the pool, which doubles
 * when it is full.
 *
 * Cost: to take an amount is O(steps of the bin). To look for a start is O(bins x steps^2), where
 * the steps are the starts and ends on that node alone. The common case, a start now, is O(bins).
 * Why not a tree over time: nodes have few steps, and a gang asks all nodes at once.
 */
#ifndef LIBSCHED_FREE_TIMELINE_H
#define LIBSCHED_FREE_TIMELINE_H

#include <libsched/algorithm.h>

#define FREE_TIMELINE_KINDS   8u
#define FREE_TIMELINE_FOREVER INT64_MAX

struct free_timeline_amount {
    int64_t of[FREE_TIMELINE_KINDS];
};

struct free_timeline_step {
    int64_t at;
    struct free_timeline_amount free;
};

struct free_timeline_bin {
    uint32_t node;
    uint32_t first, n, cap; /* block in the pool: first step, steps in use, capacity */
};

struct free_timeline {
    const lsched_algorithm_env *env;
    uint32_t n_kinds, n_bins, cap_bins;
    int64_t now;
    struct free_timeline_bin *bins;
    struct free_timeline_step *pool;
    uint32_t n_pool, cap_pool;
    /* scratch memory of free_timeline_find */
    struct free_timeline_turn *turns;
    uint32_t cap_turns;
};

/* How many tasks of a job run on one bin. */
struct free_timeline_part {
    uint32_t bin, tasks;
};

void free_timeline_open(struct free_timeline *r, const lsched_algorithm_env *env);
void free_timeline_close(struct free_timeline *r);
/* Removes all bins, and sets the current time and the number of resource kinds. */
void free_timeline_clear(struct free_timeline *r, int64_t now, uint32_t n_kinds);
/* Adds a bin for `node`, with the amounts `free` from now on. Returns LSCHED_OK or LSCHED_E_NOMEM.
 */
int32_t free_timeline_add(struct free_timeline *r, uint32_t node,
                          const struct free_timeline_amount *free);
/* Resets a bin: the amounts `free` hold from now on, and all other steps are dropped. */
int32_t free_timeline_reset(struct free_timeline *r, uint32_t bin,
                            const struct free_timeline_amount *free);
/* True if no amount of the bin is below zero at any time. */
int free_timeline_is_sound(const struct free_timeline *r, uint32_t bin);
/* Takes `times` times the amounts over [from, to); a negative `times` gives amounts back. Returns
 * LSCHED_OK or LSCHED_E_NOMEM. */
int32_t free_timeline_take(struct free_timeline *r, uint32_t bin, int64_t from, int64_t to,
                           const struct free_timeline_amount *amount, int64_t times);
/* Returns the time from + length, or FREE_TIMELINE_FOREVER if the sum is later than the latest time
 * that an orchestrator can name. */
int64_t free_timeline_end(int64_t from, int64_t length);
/* Returns how many tasks with the amounts `need` fit side by side in the bin over [from, from +
 * length), at most `most`. */
uint32_t free_timeline_count(const struct free_timeline *r, uint32_t bin, int64_t from,
                             int64_t length, const struct free_timeline_amount *need,
                             uint32_t most);
/* Sets *start to the earliest time at which `tasks` tasks fit side by side in the allowed bins
 * (`allowed`: one byte per bin) for `length` microseconds; FREE_TIMELINE_FOREVER: never. Returns
 * LSCHED_OK or LSCHED_E_NOMEM. */
int32_t free_timeline_find(struct free_timeline *r, const uint8_t *allowed, int64_t length,
                           const struct free_timeline_amount *need, uint32_t tasks, int64_t *start);

#endif
