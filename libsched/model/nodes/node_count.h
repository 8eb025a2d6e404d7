/*
 * node_count.h -- counts how many tasks of one shape a node takes at one time.
 *
 * Ratios are used where they are exact: for amounts, whole devices, and shares of one device. In
 * other cases the tasks are placed one after the other, as the engine would place them, and then
 * taken back: exact, at the cost of one pick per task. The tasks are placed like this where
 * devices are picked as a set (links, NUMA nodes, network cards, attributes), partitioned (MIG),
 * or shared by several rules. node_count_above() never places tasks: in these cases it returns an
 * upper bound, and it writes nothing.
 */
#ifndef LIBSCHED_NODE_COUNT_H
#define LIBSCHED_NODE_COUNT_H

#include "model/devices/device.h"

/* Returns the number of tasks or an upper bound, at most LSCHED_TASKS_PER_JOB_MAX. when: NOW,
 * LATER or EMPTY. Whether the node is ready and able is not checked. */
uint32_t node_count_above(const struct columns *k, uint32_t node, uint32_t shape,
                          enum device_when when);
/* Sets *tasks to the exact number; for EMPTY to that of node_count_above(). Can return
 * LSCHED_E_NOMEM. */
int32_t node_count(struct columns *k, uint32_t node, uint32_t shape, enum device_when when,
                   uint32_t *tasks);

#endif
