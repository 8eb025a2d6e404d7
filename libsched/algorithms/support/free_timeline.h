/*
 * free_timeline.h -- the free amounts of each node over time, as steps, and a search for the
 * earliest start at which a number of tasks fit side by side for a given duration.
 *
 * A bin stands for a node. Each step of a bin holds the amounts that are free from the step's time
 * until the next step. The steps of a bin are in ascending order of time. The first step begins
 * now, and the last step never ends. Amounts have up to FREE_TIMELINE_KINDS columns, such as
 * resource kinds, devices, and the number of further tasks that the node can hold. Amounts do not
 * become negative, because callers only take amounts that they have found free. Callers give an
 * over-committed node a bin without free amounts. The steps of all bins are in one memory pool.
 * Each bin has a block in the pool, which doubles when it is full.
 *
 * Cost: taking an amount is O(steps of the bin). Searching a start is O(bins x steps) for one
 * task, with the number of steps of one node, and O(bins x steps^2) for several tasks. The common
 * case, a start now, is O(bins x steps). A tree over time
 * would not be faster, because nodes have few steps, and the search for a gang reads all nodes.
 */
#ifndef LIBSCHED_FREE_TIMELINE_H
#define LIBSCHED_FREE_TIMELINE_H

#include "algorithms/support/algorithm_env.h"

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
    /* The bin's block in the pool:
     *   first   index of the first step
     *   n       number of steps
     *   cap     number of steps for which there is room */
    uint32_t first, n, cap;
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

/* A number of tasks of a job that run on one bin. */
struct free_timeline_part {
    uint32_t bin, tasks;
};

void free_timeline_open(struct free_timeline *r, const lsched_algorithm_env *env);
void free_timeline_close(struct free_timeline *r);
/* Removes all bins, and sets the current time and the number of columns of amounts. */
void free_timeline_clear(struct free_timeline *r, int64_t now, uint32_t n_kinds);
/* Adds a bin for `node`. The amounts `free` are free from now on, without end. Returns LSCHED_OK or
 * LSCHED_E_NOMEM. */
int32_t free_timeline_add(struct free_timeline *r, uint32_t node,
                          const struct free_timeline_amount *free);
/* Drops all steps of a bin. The amounts `free` are then free from now on, without end. Returns
 * LSCHED_OK. */
int32_t free_timeline_reset(struct free_timeline *r, uint32_t bin,
                            const struct free_timeline_amount *free);
/* True if no free amount of the bin is negative at any time. */
int free_timeline_is_sound(const struct free_timeline *r, uint32_t bin);
/* Makes `times` times the amounts unavailable in the time [from, to). A negative `times` makes
 * amounts available. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t free_timeline_take(struct free_timeline *r, uint32_t bin, int64_t from, int64_t to,
                           const struct free_timeline_amount *amount, int64_t times);
/* Returns from + length. Returns FREE_TIMELINE_FOREVER if this time is later than
 * LSCHED_AMOUNT_MAX, the latest time that an orchestrator can name. */
int64_t free_timeline_end(int64_t from, int64_t length);
/* Returns the number of tasks that fit side by side in the bin for the time [from, from + length),
 * but never more than `most`. `need` holds the amounts of one task. */
uint32_t free_timeline_count(const struct free_timeline *r, uint32_t bin, int64_t from,
                             int64_t length, const struct free_timeline_amount *need,
                             uint32_t most);
/* Sets *start to the earliest time at which `tasks` tasks fit side by side in the allowed bins for
 * `length` microseconds. Sets *start to FREE_TIMELINE_FOREVER if there is no such time. `allowed`
 * has one byte per bin: 1 if the bin can be used. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t free_timeline_find(struct free_timeline *r, const uint8_t *allowed, int64_t length,
                           const struct free_timeline_amount *need, uint32_t tasks, int64_t *start);

#endif
