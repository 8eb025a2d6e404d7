/*
 * free_counts.h -- how many tasks of one need fit in a bin over time. Profiles that are alike for
 * a need are a class: nodes whose tasks end at eight different times differ, but for a task that
 * needs a whole node only the last end counts.
 *
 * A class is a list of spans of time in which a number of tasks fit (free_spans.h). The spans of
 * all classes are one set, in which each class counts once for each of its bins. The classes and
 * spans of the last questions are kept; a question is a need and a map.
 *
 * What always holds after free_counts_collect: `known` has the class and the number of bins of each
 * profile that the map has; the weight of a span is the sum, over the classes that have it, of the
 * tasks times the bins. Both are changed by difference: the timeline logs which profiles changed,
 * and a profile whose steps have not changed is not read again.
 *
 * Cost of a collection: O(1) for each change of a profile since the last one, and O(steps) for each
 * profile that is new to the question. Classes without bins are kept until they are more than those
 * of all profiles; then all is read anew, as for a question that is not among the last
 * FREE_COUNTS_KEPT.
 */
#ifndef LIBSCHED_FREE_COUNTS_H
#define LIBSCHED_FREE_COUNTS_H

#include "algorithms/support/free_spans.h"

#define FREE_COUNTS_KEPT 16u

/* A span of a class, in which `tasks` tasks fit. next: the next use of the same span. */
struct free_counts_use {
    uint32_t span, tasks, class, next;
};

struct free_counts_class {
    uint32_t first, n; /* the class's uses in the pool */
    uint32_t chain;    /* next class with the same place in the hash table */
    uint32_t profile;  /* first of the profiles with this class, see free_counts_known */
    uint64_t hash;
    /* n_bins: bins that the weights of the spans count; change: bins that they do not count yet */
    int64_t n_bins, change;
    uint64_t room, stamp; /* room: for free_counts_choices */
    uint32_t is_changed;  /* 1: the class is in the list of changed classes */
};

/* What is known of a profile while its steps have this serial number. class: number of the class,
 * plus 1; 0: the profile is not counted. Profiles of one class are a list. */
struct free_counts_known {
    uint64_t serial;
    uint32_t class, n_bins, next, before;
};

/* A maximal time in which at least `tasks` tasks fit, while a class is made. */
struct free_counts_open {
    int64_t from, to;
    uint32_t tasks;
};

struct free_counts {
    struct free_timeline_amount need;
    uint32_t map, is_used;
    struct free_spans spans;
    struct free_counts_class *classes;
    uint32_t n_classes, cap_classes;
    struct free_counts_use *pool;
    uint32_t n_pool, cap_pool;
    uint32_t *table; /* hash table: first class of each chain */
    uint32_t cap_table;
    struct free_counts_known *known; /* indexed by profile */
    uint32_t cap_known;
    uint32_t *changed; /* classes whose number of bins has changed */
    uint32_t n_changed, cap_changed;
    struct free_counts_open *open; /* scratch memory: open spans, then closed ones */
    uint32_t cap_open;
    uint64_t stamp, seen, maps; /* seen, maps: `changes` and `maps_serial` of the timeline */
};

struct free_counts_all {
    struct free_counts of[FREE_COUNTS_KEPT];
    uint32_t next; /* the question that is forgotten next */
};

/* A profile with room for `room` tasks. */
struct free_counts_choice {
    uint32_t room, profile;
};

void free_counts_close(struct free_counts_all *all, const lsched_algorithm_env *env);
/* Returns the classes of this need for the bins of the map, or NULL if there is no memory. They are
 * valid until the next change of the timeline and the next call. */
struct free_counts *free_counts_collect(struct free_counts_all *all, const struct free_timeline *r,
                                        uint32_t map, const struct free_timeline_amount *need);
/* Lists the profiles that have bins in their sets and room for tasks for [start, start + length),
 * in any order, each with its room, at most `most`. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t free_counts_choices(struct free_counts *c, const struct free_timeline *r, int64_t start,
                            int64_t length, uint32_t most, struct free_counts_choice **list,
                            uint32_t *cap, uint32_t *n);

#endif
