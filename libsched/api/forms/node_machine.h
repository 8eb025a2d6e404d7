/*
 * node_machine.h -- checks the description of a node's inner shape.
 *
 * Matrices must have the size of the node, links of devices must be symmetric, indexes of NUMA
 * nodes must exist, and the NUMA nodes must not have more cpu or memory than the node. Messages
 * name the devices and both values. Cost: O(devices (devices + cards)).
 */
#ifndef LIBSCHED_NODE_MACHINE_H
#define LIBSCHED_NODE_MACHINE_H

#include "model/machine/machine_shape.h"

/* Reads the struct at `from`, for the node `name` with n_devices devices and this capacity. */
int32_t machine_read(const lsched_machine_desc *from, uint32_t n_devices, const int64_t *capacity,
                     lsched_text name, struct machine_shape *out, lsched_error *err);

/* Checks that the NUMA nodes have no more cpu and memory than the capacity of the node `name`. */
int32_t machine_check_capacity(struct machine_shape *m, const int64_t *capacity, lsched_text name,
                               lsched_error *err);

#endif
