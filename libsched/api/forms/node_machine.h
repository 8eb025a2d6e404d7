/*
 * node_machine.h -- what a host says of the inside of a node, checked: matrices have the size of
 * the node, links of devices are symmetric, indexes of NUMA nodes exist, and the NUMA nodes have no
 * more cpu and memory than the node. Messages name the devices and both values. Cost: O(devices
 * (devices + cards)).
 */
#ifndef LIBSCHED_NODE_MACHINE_H
#define LIBSCHED_NODE_MACHINE_H

#include "model/machine/machine_shape.h"

/* From the struct at `from` of the node `name` with so many devices and such capacity. */
int32_t machine_read(const lsched_machine_desc *from, uint32_t n_devices, const int64_t *capacity,
                     lsched_text name, struct machine_shape *out, lsched_error *err);

/* Have the NUMA nodes no more cpu and memory than a node `name` of this capacity. */
int32_t machine_check_capacity(struct machine_shape *m, const int64_t *capacity, lsched_text name,
                               lsched_error *err);

#endif
