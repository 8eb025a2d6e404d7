/*
 * exclusive_wait.h -- when the tasks of other jobs have left a place that exclusive levels keep
 * apart from a nominated task (model/shapes/node_rules.h). They can be on other nodes than the one
 * with the nomination. Cost: O(1) while nothing is releasing or no shape has an exclusive level;
 * otherwise the nodes of the domains, and the tasks of those nodes that have releasing ones.
 */
#ifndef LIBSCHED_EXCLUSIVE_WAIT_H
#define LIBSCHED_EXCLUSIVE_WAIT_H

#include "model/store/columns.h"

/* Returns the time at which the last releasing task that keeps a task of the job and the shape from
 * the node should be gone; 0: there is none. */
int64_t exclusive_wait_until(const struct columns *k, uint32_t job, uint32_t shape, uint32_t node);

#endif
