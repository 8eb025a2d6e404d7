/* parse_machine.h -- reads `machine:` of a node: NUMA nodes, network cards and links between
 * devices. */
#ifndef LIBSCHED_PARSE_MACHINE_H
#define LIBSCHED_PARSE_MACHINE_H

#include "config/read/field_reader.h"

/* Reads the machine of a node with n_devices GPUs into *out. `value` and `links` are indexes in the
 * YAML tree: `value` is the value of the node's key `machine`, and `links` is the value of the key
 * `links` of the node's GPUs. One of these two indexes is 0. */
int32_t read_machine(struct field_reader *r, uint32_t value, uint32_t links, uint32_t n_devices,
                     const lsched_machine_desc **out);

#endif
