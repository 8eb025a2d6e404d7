/*
 * node_count.h -- how many tasks of one shape a node takes at one time.
 *
 * By ratios where ratios are the whole truth: amounts, whole devices, parts of one device. Where
 * devices are picked as a set (links, NUMA nodes, network cards, attributes), cut (MIG), or
 * shared by several rules, the tasks are placed one after the other, as the engine would, and
 * taken back again: exact, at the price of as many picks. node_count_above() never does that: it
 * is from above then, and writes nothing.
 */
#ifndef LIBSCHED_NODE_COUNT_H
#define LIBSCHED_NODE_COUNT_H

#include "model/devices/device.h"

/* when: NOW, LATER or EMPTY. No more than LSCHED_TASKS_PER_JOB_MAX. Ready or not, able or not is
 * not asked. */
uint32_t node_count_above(const struct columns *k, uint32_t node, uint32_t shape,
                          enum device_when when);
/* The same, exact but for EMPTY. LSCHED_E_NOMEM. */
int32_t node_count(struct columns *k, uint32_t node, uint32_t shape, enum device_when when,
                   uint32_t *tasks);

#endif
