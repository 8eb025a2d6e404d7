/*
 * machine_shape.h -- the inside of nodes of one kind, as plain values and as canonical bytes.
 *
 * A machine shape has the links between devices, the NUMA nodes with their cpu and memory, the
 * NUMA node of each device and of each network card, and the nearness of each card to each
 * device. The nearness of two devices follows from what they share: a NUMA node counts 1; a PCIe
 * switch, or a network card behind one, counts 2. Bandwidths are given, or are the default of the
 * kind of link; an unknown link counts as 0.
 *
 * Invariant: links are symmetric; an index of a NUMA node is below n_numa or LSCHED_NUMA_NONE.
 * The bytes are little-endian words, so they mean the same in every cluster and on every
 * computer.
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
    lsched_text nic_name[MACHINE_NICS]; /* points into the bytes that were decoded */
};

/* Returns the megabytes per second in one direction that are assumed if no bandwidth is given. */
uint32_t machine_default_mbps(uint32_t kind, uint32_t count);
/* Returns the word of `nvidia-smi topo -m` for a kind of link, without the number of links:
 * "NVLINK". */
const char *machine_link_word(uint32_t kind);

/* Sets the nearness of devices from all other fields. */
void machine_set_near(struct machine_shape *m);
void machine_encode(struct bytes *b, const struct machine_shape *m);
/* Decodes canonical bytes and sets the nearness. LSCHED_OK, or LSCHED_E_CORRUPT for bytes that
 * break the invariant. */
int32_t machine_decode(struct reader *r, struct machine_shape *m);

#endif
