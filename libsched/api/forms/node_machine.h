/*
 * node_machine.h -- checks the description of a node's machine (links, NUMA nodes, network
 * cards).
 *
 * Matrices must have the number of the node's devices and cards as their sizes. Links between
 * devices must be symmetric. Indexes of NUMA nodes must exist. The NUMA nodes together must not
 * have more cpu or memory than the node. A message about a link names both devices and both
 * values. Cost: O(devices x (devices + cards)).
 */
#ifndef LIBSCHED_NODE_MACHINE_H
#define LIBSCHED_NODE_MACHINE_H

#include "model/machine/machine_shape.h"

/* Reads the description `from` into *out, for the node `name` with n_devices devices and this
 * capacity. */
int32_t machine_read(const lsched_machine_desc *from, uint32_t n_devices, const int64_t *capacity,
                     lsched_text name, struct machine_shape *out, lsched_error *err);

/* Checks that the NUMA nodes together have no more cpu and memory than the capacity of the node
 * `name`. */
int32_t machine_check_capacity(struct machine_shape *m, const int64_t *capacity, lsched_text name,
                               lsched_error *err);

#endif
