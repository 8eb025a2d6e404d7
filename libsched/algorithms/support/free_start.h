/*
 * free_start.h -- the earliest start at which a number of tasks fit side by side for a given
 * duration.
 *
 * Profiles that are alike for the job are looked at once (free_counts.h). Cost, beside theirs:
 * O(steps of all classes) for one task, or if all tasks can start now. For several tasks that start
 * later, the times at which the number of tasks that fit in a bin changes are sorted: O(T log T)
 * for T such times of all classes, of which a class has at most twice its steps.
 */
#ifndef LIBSCHED_FREE_START_H
#define LIBSCHED_FREE_START_H

#include "algorithms/support/free_counts.h"

/* A change, at the time `at`, of the number of tasks that fit in all bins together. */
struct free_start_turn {
    int64_t at;
    int64_t change;
};

/* Memory of the search; zeroed at the beginning. Only `counts` keeps something between calls. */
struct free_start {
    struct free_counts_all counts;
    struct free_start_turn *turns;
    int64_t *times;  /* of one class: times at which its number of tasks can change */
    uint32_t *least; /* of one class: steps of a window in which the least number can be next */
    uint32_t cap_turns, cap_times, cap_least;
};

void free_start_close(struct free_start *f, const lsched_algorithm_env *env);
/* Returns 1 if all tasks fit side by side from now on for `length`, else 0, or LSCHED_E_NOMEM. */
int32_t free_start_is_now(struct free_start *f, const struct free_timeline *r, uint32_t map,
                          int64_t length, const struct free_timeline_amount *need, uint32_t tasks);
/* Sets *start to the earliest time at which `tasks` tasks fit side by side in the bins of the map
 * for `length` microseconds. Sets *start to FREE_TIMELINE_FOREVER if there is no such time. `need`
 * holds the amounts of one task. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t free_start_find(struct free_start *f, const struct free_timeline *r, uint32_t map,
                        int64_t length, const struct free_timeline_amount *need, uint32_t tasks,
                        int64_t *start);
/* Sets *longest to the longest duration, in microseconds, for which `tasks` tasks fit side by side
 * in the bins of the map from now on: 0 if they do not fit now, FREE_TIMELINE_FOREVER if no planned
 * work ends the time. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t free_start_longest(struct free_start *f, const struct free_timeline *r, uint32_t map,
                           const struct free_timeline_amount *need, uint32_t tasks,
                           int64_t *longest);

#endif
