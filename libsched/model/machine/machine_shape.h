/*
 * machine_shape.h -- what is inside nodes of one kind, as plain values, and as canonical bytes.
 *
 * Links between devices, the NUMA nodes with their cpu and memory, which device and which network
 * card is on which of them, and how near each card is to each device. Two devices are near each
 * other by what they share: a NUMA node counts 1, a PCIe switch or a network card behind one counts
 * 2. Bandwidths are given or the default of the kind; an unknown link counts nothing.
 *
 * Invariant: links are symmetric; an index of a NUMA node is below n_numa or LSCHED_NUMA_NONE.
 * Bytes are little-endian words, so they mean the same in every cluster and on every machine.
 */
#ifndef LIBSCHED_MACHINE_SHAPE_H
#define LIBSCHED_MACHINE_SHAPE_H

#include "model/store/intern.h"
#include "model/machine/link_table.h"

#define MACHINE_NUMA LSCHED_NUMA_PER_NODE_MAX
#define MACHINE_NICS LSCHED_NICS_PER_NODE_MAX

struct machine_shape {
    struct link_matrix links; /* n: devices */
    uint32_t n_numa, n_nics;
    uint8_t device_numa[LINK_DEVICES], nic_numa[MACHINE_NICS];
    int64_t cpu_milli[MACHINE_NUMA], memory_bytes[MACHINE_NUMA];
    uint8_t nic_kind[MACHINE_NICS][LINK_DEVICES];
    uint32_t nic_mbps[MACHINE_NICS][LINK_DEVICES];
    lsched_text nic_name[MACHINE_NICS]; /* of the bytes that were decoded */
};

/* Megabytes per second in one direction, where nobody says. */
uint32_t machine_default_mbps(uint32_t kind, uint32_t count);
/* "NVLINK", as `nvidia-smi topo -m` says it but for the number of links. */
const char *machine_link_word(uint32_t kind);

/* Sets how near devices are to each other, from all other fields. */
void machine_set_near(struct machine_shape *m);
void machine_encode(struct bytes *b, const struct machine_shape *m);
/* LSCHED_OK, or LSCHED_E_CORRUPT for bytes that break the invariant. Nearness is set. */
int32_t machine_decode(struct reader *r, struct machine_shape *m);

#endif
