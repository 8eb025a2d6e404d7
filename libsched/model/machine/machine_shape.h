/*
 * machine_shape.h -- the machine (see machine.h) of equal nodes, as plain values and as canonical
 * bytes.
 *
 * A machine shape has the links between devices, the NUMA nodes with their cpu and memory, the
 * NUMA node of each device and network card, and the link between each card and each device. The
 * nearness of two devices is a sum: 1 if they have the same NUMA node, plus 2 if they are behind
 * the same PCIe switch or have a network card behind the same switch. If no bandwidth is given,
 * the default of the kind of link is used; the bandwidth of an unknown link is 0.
 *
 * Invariant: links are symmetric; each index of a NUMA node is below n_numa, or is
 * LSCHED_NO_NUMA. The canonical bytes are little-endian words, so that they mean the same on
 * every computer.
 */
#ifndef LIBSCHED_MACHINE_SHAPE_H
#define LIBSCHED_MACHINE_SHAPE_H

#include "model/store/intern.h"
#include "model/machine/link_table.h"

#define MACHINE_NUMA LSCHED_NUMA_PER_NODE_MAX
#define MACHINE_NICS LSCHED_NICS_PER_NODE_MAX

struct machine_shape {
    struct link_matrix links; /* links.n is the number of devices */
    uint32_t n_numa, n_nics;
    uint8_t device_numa[LINK_DEVICES], nic_numa[MACHINE_NICS];
    int64_t cpu_milli[MACHINE_NUMA], memory_bytes[MACHINE_NUMA];
    uint8_t nic_kind[MACHINE_NICS][LINK_DEVICES];
    uint32_t nic_mbps[MACHINE_NICS][LINK_DEVICES];
    /* points into the bytes from which the machine was decoded */
    lsched_text nic_name[MACHINE_NICS];
};

/* Returns the default bandwidth of `count` links of the kind, in megabytes per second in one
 * direction. */
uint32_t machine_default_mbps(uint32_t kind, uint32_t count);
/* Returns the word for a kind of link in the output of `nvidia-smi topo -m`, such as "NVLINK",
 * without the number of links. */
const char *machine_link_word(uint32_t kind);

/* Computes links.near from all other fields. */
void machine_set_near(struct machine_shape *m);
void machine_encode(struct bytes *b, const struct machine_shape *m);
/* Decodes canonical bytes and computes links.near. Returns LSCHED_OK, or LSCHED_E_CORRUPT if the
 * bytes break the invariant. */
int32_t machine_decode(struct reader *r, struct machine_shape *m);

#endif
