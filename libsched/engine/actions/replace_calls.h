/*
 * replace_calls.h -- the calls of lsched_act that find new places for tasks that the transaction
 * stopped.
 *
 * Each job has one turn for all tasks that it lost, on all nodes and in all leaf groups. The
 * reason is a gang that was stopped as a whole: with a turn for each leaf group, no turn could
 * bring the gang to its minimum. During its turn, a job can have at most as many tasks of each
 * leaf group as before the transaction (replace_most), and only tasks that it lost get places
 * (place_calls.c). Therefore a move never lets a job grow. The tasks that find a place during the
 * turn are moved; the tasks that find none are evicted.
 *
 * In a reclaim, the eviction of victim A can be the reason why victim B is allowed, because A's
 * eviction brings the job's side within its entitlement. If A then moves to a new place, its
 * queues are charged for it again. Therefore the entitlement of the current job's side is checked
 * again at the end of each turn. If the check fails, no task of A's job moves.
 *
 * Cost: O(victims) before the first turn, and O(tasks that the job lost) for each turn.
 */
#ifndef LIBSCHED_REPLACE_CALLS_H
#define LIBSCHED_REPLACE_CALLS_H

#include "engine/state/cycle_state.h"

int32_t call_next_victim(lsched_cycle *cy, uint32_t *job);
int32_t call_move_end(lsched_cycle *cy);
/* Returns the largest number of tasks that the job can have in the group: the tasks of the group
 * that exist, or, during the job's turn to find new places, the number of tasks that it had before
 * the eviction. */
uint32_t replace_most(const lsched_cycle *cy, const struct ask *a);
/* True if the task with this index can be placed now. During a turn, this is so only if the task
 * lost its place in this transaction, because other tasks of the gang can wait for other reasons,
 * such as the backoff after a failure. Outside of a turn, the result is always true. index: NO_ROW
 * for the task that is placed next. */
int replace_allows(const lsched_cycle *cy, const struct ask *a, uint32_t index);

#endif
