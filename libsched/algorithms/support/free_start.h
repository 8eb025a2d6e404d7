/*
 * free_start.h -- the earliest start at which a number of tasks fit side by side for a given
 * duration.
 *
 * Profiles that are alike for the job are counted once, and equal spans of time of all of them are
 * one span (free_counts.h, free_spans.h). Cost, beside theirs: O(spans that begin or end before the
 * answer), but blocks in which all spans are shorter than the job are skipped.
 *
 * While all bins share one profile, as those of a pool that is one node, its steps answer:
 * O(steps before the end of the answer). Why not always by spans: each reservation changes that
 * profile, and to make its spans anew reads all its steps.
 */
#ifndef LIBSCHED_FREE_START_H
#define LIBSCHED_FREE_START_H

#include "algorithms/support/free_counts.h"

/* The end of a span that is open now, and the number of tasks that fit until then. */
struct free_start_turn {
    int64_t at;
    int64_t tasks;
};

/* Memory of the search; zeroed at the beginning. Only `counts` keeps something between calls. */
struct free_start {
    struct free_counts_all counts;
    struct free_start_turn *turns;
    uint32_t cap_turns;
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
/* Lists the profiles that have bins in their sets and room for tasks for [start, start + length),
 * in any order, each with its room, at most `most`. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t free_start_choices(struct free_start *f, const struct free_timeline *r, uint32_t map,
                           int64_t start, int64_t length, const struct free_timeline_amount *need,
                           uint32_t most, struct free_counts_choice **list, uint32_t *cap,
                           uint32_t *n);
/* Sets *longest to the longest duration, in microseconds, for which `tasks` tasks fit side by side
 * in the bins of the map from now on: 0 if they do not fit now, FREE_TIMELINE_FOREVER if no planned
 * work ends the time. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t free_start_longest(struct free_start *f, const struct free_timeline *r, uint32_t map,
                           const struct free_timeline_amount *need, uint32_t tasks,
                           int64_t *longest);

#endif
