/*
 * victim_unit.h -- functions on an eviction unit: its tasks, the amounts that it holds, and
 * whether its job keeps its minimum without it.
 *
 * The functions depend only on the columns, not on the current job. Cost: O(leaf groups x depth of
 * the groups) for a unit that is a group, O(1) for a unit that is one task.
 */
#ifndef LIBSCHED_VICTIM_UNIT_H
#define LIBSCHED_VICTIM_UNIT_H

#include "engine/rights/victim_state.h"

/* True if the leaf group is the group `group` of its job, or is below that group. */
static inline int victim_unit_has_leaf(const struct columns *k, uint32_t group, uint32_t leaf) {
    uint32_t g = k->c[C_LEAF_GROUP].u32[leaf],
             shape = k->c[C_JOB_SHAPE].u32[k->c[C_LEAF_JOB].u32[leaf]];
    while (g > group) g = k->c[C_GROUP_PARENT].u32[group_row(k, shape, g)];
    return g == group;
}
/* True if the task belongs to the eviction unit, which is a group or a single task. */
int victim_unit_has(const struct columns *k, const struct victim_unit *u, uint32_t task);
/* True if the job keeps its minimum without the tasks below the group and without the chosen
 * eviction units of the set. The set matters because some jobs can spare each of two groups alone,
 * but not both together. set: NULL for none. */
int victim_unit_spared(const struct columns *k, const struct victim_set *set, uint32_t job,
                       uint32_t group);
/* Returns the amount of a resource kind that the eviction unit holds. */
int64_t victim_unit_amount(const struct columns *k, const struct victim_unit *u, uint32_t r);
/* Stores the amounts that the eviction unit holds, by resource kind. */
void victim_unit_amounts(const struct columns *k, const struct victim_unit *u, int64_t *amount);
/* Stores the amounts that the leaf groups of the unit, a group, hold above their minimums, by
 * resource kind. Each task of this surplus is an eviction unit of its own, which is evicted before
 * the group. If the job can spare all its tasks, only one task is no surplus, or the minimum of one
 * leaf group. */
void victim_unit_surplus(const struct columns *k, const struct victim_unit *u, int64_t *amount);

#endif
