/*
 * node_count.h -- counts how many tasks of one shape a node can hold at the same time.
 *
 * For amounts, whole devices, and shares of one device, the number follows from the ratios of
 * free and requested amounts. In all other cases, node_count() places tasks on trial one after
 * the other, as the engine would place them, and then rolls back; the number is exact, and each
 * task costs one choice of devices. These cases are: devices chosen as a set (links, NUMA nodes,
 * network cards, attributes), MIG instances, and shares with SMs, limits or isolation.
 * node_count_above() never places tasks and writes nothing; in these cases it returns an upper
 * bound.
 */
#ifndef LIBSCHED_NODE_COUNT_H
#define LIBSCHED_NODE_COUNT_H

#include "model/devices/device.h"

/* Returns the number of tasks of the shape, or an upper bound of it (see above), at most
 * LSCHED_TASKS_PER_JOB_MAX. when: DEVICE_NOW, DEVICE_LATER or DEVICE_EMPTY. The function does not
 * check whether the node is ready and whether node_able() returns 1. */
uint32_t node_count_above(const struct columns *k, uint32_t node, uint32_t shape,
                          enum device_when when);
/* Sets *tasks to the exact number; for DEVICE_EMPTY, to the result of node_count_above(). Can
 * return LSCHED_E_NOMEM. */
int32_t node_count(struct columns *k, uint32_t node, uint32_t shape, enum device_when when,
                   uint32_t *tasks);

#endif
