/*
 * start_blocks.h -- whether the transaction of the current job starts its leaf groups with whole
 * task blocks.
 *
 * A leaf group starts in a transaction if all of its tasks got their places there. Its minimum and
 * its steps of growth are multiples of a block, so it starts with whole blocks. This is checked
 * when a transaction is kept, because an action chooses nodes, and an adoption the indexes, too. A
 * group whose size is chosen at its start would otherwise have a size that its tasks do not reach.
 *
 * Why not for every transaction: a group that has lost tasks gets them back one by one.
 */
#ifndef LIBSCHED_START_BLOCKS_H
#define LIBSCHED_START_BLOCKS_H

#include "engine/topology/gang_domains.h"

/* Returns 1 if no leaf group of the job that starts in the transaction has a task block that lacks
 * tasks, 0 if one has, or LSCHED_E_NOMEM. decision_group: number of the transaction's decisions.
 * Cost: O(1) for a job without task blocks, else O(tasks of the job). */
int32_t start_blocks_whole(struct gang_domains *p, struct columns *k, uint32_t job,
                           uint64_t decision_group);

#endif
