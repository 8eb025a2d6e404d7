/*
 * cycle_counts.h -- counts what a cycle does, for the counters of tally.h.
 *
 * The counts of an action are the differences of the cycle's counts before and after the action.
 * They are kept in the scratch of the cycle, and added to the counters when the cycle is kept.
 * Therefore a cycle that fails, and the attempt of a cycle that begins again without a hook, count
 * nothing. No count influences a decision. Cost: O(1) for each action and each decision.
 */
#ifndef LIBSCHED_CYCLE_COUNTS_H
#define LIBSCHED_CYCLE_COUNTS_H

#include "engine/state/cycle_state.h"

/* The counts of a cycle at one moment. */
struct cycle_moment {
    uint64_t jobs_tried, decisions, evictions, work_units, steps;
};
struct cycle_moment cycle_counts_now(const struct lsched_cycle *cy);
/* Returns what the cycle did since `before`. */
struct cycle_moment cycle_counts_since(const struct lsched_cycle *cy,
                                       const struct cycle_moment *before);
/* Adds what the cycle did in a run of action number i of the pipeline. */
void cycle_counts_action(struct lsched_cycle *cy, uint32_t i, const struct cycle_moment *in);
/* Adds the counts of the cycle to the counters. The cycle is kept; it is after undo_end(). */
void cycle_counts_keep(const struct lsched_cycle *cy);

#endif
