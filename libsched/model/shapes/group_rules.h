/*
 * group_rules.h -- the rules that the groups of a job have for the places of their own tasks: the
 * required topology level, the task blocks, the topology spread, and the limit for a node.
 *
 * A search for places counts no releasing task, because the task will be gone. If the eviction of
 * the task is undone, the task runs on, and nominations of its job can break a rule beside it.
 * Imported tasks do not count, because they are allowed in any place.
 *
 * Why not withdraw all nominations of the job: most of them break no rule, and evictions were made
 * for them. Cost: O(1) if nothing is nominated or the job has no such rule, else O(nominated tasks
 * of the job x tasks of the leaf).
 */
#ifndef LIBSCHED_GROUP_RULES_H
#define LIBSCHED_GROUP_RULES_H

#include "model/store/columns.h"

/* Returns the nominated task with the latest decision that breaks a rule of its group because of
 * the given running task of the same job; NO_ROW if there is none. */
uint32_t group_rules_nominated_beside(const struct columns *k, uint32_t task);

#endif
