/*
 * moves_calls.h -- moves that an action plans together, so that whole nodes become free even if no
 * node can be emptied alone.
 *
 * The calls offer the action those running tasks that a consolidation is allowed to stop
 * (victim_verdict.c) and that request only amounts, whole devices and a node. All other tasks stay
 * where they are. The action decides which task moves to which node, and the engine checks each
 * step again. When a task is stopped, the engine checks that this is allowed. When a task is
 * placed, it checks that the task fits. When the moves are kept, it checks that a node becomes
 * free (defrag_calls.c). The transaction is kept as a whole or rolled back. Cost: O(tasks of the
 * node), and the quadratic cost of sorting them by insertion, therefore nodes with more than
 * TASKS_MOST tasks are not offered.
 */
#ifndef LIBSCHED_MOVES_CALLS_H
#define LIBSCHED_MOVES_CALLS_H

#include "engine/state/cycle_state.h"

int32_t call_moves_left(lsched_cycle *cy);
int32_t call_movers(lsched_cycle *cy, uint32_t node, const lsched_mover **list, uint32_t *n,
                    uint32_t *stay);
int32_t call_mover_able(lsched_cycle *cy, uint32_t task, uint32_t node);
int32_t call_moves_begin(lsched_cycle *cy, uint32_t tasks);
int32_t call_move_off(lsched_cycle *cy, uint32_t task);

#endif
