/*
 * machine.h -- what is inside a node: links between devices, NUMA nodes, network cards. Interned in MACHINE, held by the node's
 * class; what is free of it stands in a block of NUMA rows of the node.
 */
#ifndef LIBSCHED_MACHINE_H
#define LIBSCHED_MACHINE_H

#include "model/intern.h"

/* Row of MACHINE, NO_ROW if nothing is known of the node's inside. */
static inline uint32_t node_machine(const struct columns *k, uint32_t node) {
    return k->c[C_CLASS_MACHINE].u32[k->c[C_NODE_CLASS].u32[node]];
}
/* Rows of its block in NUMA: its NUMA nodes, or one that holds the network cards alone; 0 without a machine. */
static inline uint32_t machine_numa_rows(const struct columns *k, uint32_t node) {
    uint32_t m = node_machine(k, node);
    if (m == NO_ROW) return 0;
    uint32_t n = k->c[C_MACHINE_N_NUMA].u8[m];
    return n ? n : k->c[C_MACHINE_N_NICS].u8[m] != 0;
}

#endif
