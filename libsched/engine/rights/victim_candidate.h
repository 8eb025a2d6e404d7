/*
 * victim_candidate.h -- finds the eviction unit of a task. Protection is not tested here.
 *
 * If the leaf group of a running task runs more tasks than its minimum, the task is a unit of its
 * own. Otherwise, its unit is the smallest group around the task that the parent group can spare,
 * or the whole gang if there is no such group. A caller that must evict all tasks of a job takes
 * them as one unit. A confirmed nomination is a unit, too; taking it away stops no work. Cost:
 * O(groups) for a task, and O(tasks of the group) for a unit that is a group.
 */
#ifndef LIBSCHED_VICTIM_CANDIDATE_H
#define LIBSCHED_VICTIM_CANDIDATE_H

#include "engine/rights/victim_state.h"

/* Returns 1 and stores the task's eviction unit in *u if all rules other than protection allow its
 * eviction; otherwise returns 0. */
int victim_candidate_of(struct lsched_cycle *cy, uint32_t task, struct victim_unit *u);
/* Replaces *u, a task or group that a gang can spare, by the next larger eviction unit around it.
 * Returns 0 if there is no such unit. */
int victim_candidate_larger(struct lsched_cycle *cy, struct victim_unit *u);
/* Replaces *u by all running tasks of its job as one unit. A nomination stays as it is. Returns 0
 * if not all of them can be evicted, and in a consolidation, which moves tasks one by one. */
int victim_candidate_whole(struct lsched_cycle *cy, struct victim_unit *u);

#endif
