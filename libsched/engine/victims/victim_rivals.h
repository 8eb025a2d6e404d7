/*
 * victim_rivals.h -- the tasks of other jobs that exclusive levels keep apart from a task: all
 * tasks in the domain that the task would have for itself, and the tasks that have the domain for
 * themselves. They must all leave before the task starts on a node of the domain, wherever they are
 * in it.
 *
 * Only the node that a search has found is asked for rivals: the cost of a node without regard to
 * them is a lower bound (victim_nodes.h). Cost: O(levels) for a node without rivals; otherwise the
 * nodes and tasks of the domain, each task for one work unit.
 */
#ifndef LIBSCHED_VICTIM_RIVALS_H
#define LIBSCHED_VICTIM_RIVALS_H

#include "engine/rights/victim_state.h"

/* Stores in cy->victims->rivals the rivals of the current job's task of the shape on the node.
 * Returns 1, 0 if one of them can never leave for the job or the cycle was stopped, or
 * LSCHED_E_NOMEM. */
int32_t victim_rivals_find(struct lsched_cycle *cy, uint32_t node, uint32_t shape);
void victim_rivals_close(struct lsched_cycle *cy);

#endif
