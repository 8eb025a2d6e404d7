/*
 * free_counts.h -- how many tasks of one need fit in a bin over time. Profiles that are alike for
 * a need are a class: nodes whose tasks end at eight different times differ, but for a task that
 * needs a whole node only the last end counts.
 *
 * A class is a list of steps, as a profile (free_timeline.h), with the number of tasks that fit
 * from the step's time until the next step. Neighbours differ. The classes of the last needs are
 * kept; a profile whose steps have not changed is not read again.
 *
 * What always holds after free_counts_collect: `active` lists the classes of all profiles that the
 * map has, each once, and `n_bins` of each is the number of their bins. The order of the list
 * depends on the history and must decide nothing.
 *
 * Cost: O(profiles) for each collection after a change, and O(steps) for each profile that is new
 * to the need. More than FREE_COUNTS_NEEDS needs in turn are read anew each time.
 */
#ifndef LIBSCHED_FREE_COUNTS_H
#define LIBSCHED_FREE_COUNTS_H

#include "algorithms/support/free_timeline.h"

#define FREE_COUNTS_NEEDS 16u

struct free_counts_step {
    int64_t at;
    uint32_t fits;
};

struct free_counts_class {
    uint32_t first, n; /* the class's steps in the pool */
    uint32_t chain;    /* next class with the same place in the hash table */
    uint32_t room;     /* scratch memory of the caller */
    uint64_t hash, n_bins, stamp;
};

/* The class of a profile while the profile has steps with this serial number. */
struct free_counts_known {
    uint64_t serial;
    uint32_t class;
};

struct free_counts {
    struct free_timeline_amount need;
    struct free_counts_class *classes;
    uint32_t n_classes, cap_classes;
    struct free_counts_step *pool;
    uint32_t n_pool, cap_pool;
    uint32_t *table; /* hash table: first class of each chain */
    uint32_t cap_table;
    struct free_counts_known *known; /* indexed by profile */
    uint32_t cap_known;
    uint32_t *active;
    uint32_t n_active, cap_active;
    uint64_t stamp, changes; /* of the last collection */
    uint32_t map, is_used;
};

struct free_counts_all {
    struct free_counts of[FREE_COUNTS_NEEDS];
    uint32_t next; /* the need that is forgotten next */
};

void free_counts_close(struct free_counts_all *all, const lsched_algorithm_env *env);
/* Returns the classes of this need for the bins of the map, or NULL if there is no memory. They are
 * valid until the next change of the timeline and the next call. */
struct free_counts *free_counts_collect(struct free_counts_all *all, const struct free_timeline *r,
                                        uint32_t map, const struct free_timeline_amount *need);
/* Returns the number of tasks that fit side by side in a bin of the class for the time
 * [from, from + length), but never more than `most`. */
uint32_t free_counts_least(const struct free_counts *c, uint32_t class, int64_t from,
                           int64_t length, uint32_t most);

#endif
