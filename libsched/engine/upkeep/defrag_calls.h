/*
 * defrag_calls.h -- consolidation without a waiting job: if the orchestrator allows moves
 * (moves_max), the cycle empties whole nodes for future jobs.
 *
 * The gain is a node without work, with all its devices free. The cost of emptying a node is the
 * sum of the costs of stopping its tasks (victim_verdict.c); each decision reports the cost of its
 * task. The node with the lowest cost is emptied first. A node is emptied only if all its tasks
 * are allowed to move, if all of them fit on nodes that already have work, and if enough moves are
 * left. Therefore no move starts work on an idle node. It costs O(nodes + tasks) to find one node.
 * For moves that an action plans together (moves_calls.c), the same rule holds with one
 * difference: a task can also move to a node that loses a task by one of these moves, if at least
 * one node becomes free.
 */
#ifndef LIBSCHED_DEFRAG_CALLS_H
#define LIBSCHED_DEFRAG_CALLS_H

#include "engine/state/cycle_state.h"

int32_t call_defrag_begin(lsched_cycle *cy);
int32_t call_defrag_end(lsched_cycle *cy);
int32_t call_next_sparse(lsched_cycle *cy, uint32_t *node);
int32_t call_empty_node(lsched_cycle *cy, uint32_t node);
int32_t call_keep_moves(lsched_cycle *cy);
/* Begins a transaction of moves. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t defrag_open(lsched_cycle *cy);
/* True if it is of use to empty the node: the node is ready, and it either has no devices or has a
 * device that is not free. */
int defrag_gains(const lsched_cycle *cy, uint32_t node);

#endif
