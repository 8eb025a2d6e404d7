/*
 * firm_sure.h -- asks whether starts keep their room also if work stays whose end nothing assures
 * (parameter backfill_firm of the action backfill).
 *
 * Work on a node is loose if less than ts.sure ends it: work that can outlast its estimate, that
 * has its place but has not started, or that is nominated. If estimates are not trusted, planned
 * items without a time limit are loose as well. A start is sure if its item, which is taken, has
 * its room also beside all loose work that the plan ends before the start.
 *
 * Cost of a question about one start: O(items + tasks of the node + its steps). Of a question about
 * all firm starts of a node: O(n log n) for n items, tasks and steps of the node, and not n for
 * each firm start: loose work is summed up in the order of its ends, and one walk through the steps
 * compares each step with the firm start that needs most there. What always holds: a later firm
 * start has at least as much loose work before it as an earlier one, so of those that run in a
 * step, the one that starts last needs most. So n firm starts of one node cost O(n^2 log n) in a
 * cycle. What a question looks at is charged to the budget of the cycle, FIRM_SURE_LOOKS for one
 * work unit; if the budget ends, the cycle stops after this question.
 *
 * Why not keep the sums from one question to the next: each start in between changes them, and they
 * are seldom asked for twice without one.
 */
#ifndef LIBSCHED_FIRM_SURE_H
#define LIBSCHED_FIRM_SURE_H

#include "algorithms/planning/tsdpbp.h"

/* Number of items, tasks and steps that one work unit pays for. */
#define FIRM_SURE_LOOKS 256u

/* Returns 1 if the start of the item is sure; 0 if not, or if the item has several nodes or is a
 * MIG instance; or a negative error code. Work that has its place but has not started is loose. */
int32_t firm_sure_is(struct ts *t, const struct ts_item *item);
/* Returns 1 if all firm starts on the node are sure; 0 if not; or a negative error code. Work that
 * has its place counts as if it had started. Always 1 if estimates are trusted: work without an
 * estimate has no end in the plan. */
int32_t firm_sure_stays(struct ts *t, uint32_t node);

#endif
