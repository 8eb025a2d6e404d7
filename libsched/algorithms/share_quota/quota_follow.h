/*
 * quota_follow.h -- brings the fair shares of a quota tree up to date after the demand of a few
 * queues has changed. The result is the same as that of quota_tree_begin().
 *
 * Only demand has changed: quotas, limits, weights, priorities and capacities are those of the
 * latest quota_tree_begin(). So the guarantees stay as they are. The new need of a leaf queue goes
 * up its path, as long as it changes the need of the queue above. Then the groups of siblings with
 * a changed member are looked at, from the roots down. What a group was divided into (fill_state,
 * water_fill.h) says whether the claims of unchanged siblings can change:
 *
 *   FILL_NONE, and nothing is left for step 3 now   the claim of a sibling follows from itself
 *   FILL_AMPLE, and everything wanted is there now  the claim of a sibling follows from itself
 *   FILL_DEALT, and steps 1 and 2 leave the same    no claim changes, if the changed sibling gets
 *   for the same                                    the same portion of the last division as before
 *
 * In all other cases, and if the total of the group has changed and not only its own amounts, the
 * group is divided again. A queue whose claim has changed makes the group of its children one to
 * look at.
 *
 * Cost: O(kinds * depth) for a changed queue if no group is divided again, otherwise the sort of
 * each such group. Why not a tree over want per weight, which would find the end of a division in
 * O(log n): when the amount of a division changes, the portions of all its siblings change.
 */
#ifndef LIBSCHED_QUOTA_FOLLOW_H
#define LIBSCHED_QUOTA_FOLLOW_H

#include "algorithms/share_quota/quota_tree.h"

/* queues: rows of the queues that changed since the amounts were last computed; rows that occur
 * several times, and inner queues, do no harm. Calls moved(to, row) for each queue whose fair share
 * is not what it was, once for each kind. Returns 1 if the amounts are up to date, and 0 if the
 * caller must call quota_tree_begin(), because the sums have left the range of exact arithmetic or
 * there was no such call. */
int32_t quota_follow(struct quota_tree *t, const lsched_view *view, const uint32_t *queues,
                     size_t n, void (*moved)(void *to, uint32_t queue), void *to);

#endif
