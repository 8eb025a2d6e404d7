/*
 * machine_form.h -- the inside of one machine as `lsched node` reads it: GPUs, NICs, NUMA nodes,
 * and the links between devices.
 *
 * Devices are numbered with the GPUs first and then the NICs, both in the order of the source. For
 * GPUs this is the order of their PCI addresses, which nvidia-smi and the driver also use. A value
 * that the source does not give is -1 or an empty text.
 *
 * Links are always symmetric, and only the diagonal has LSCHED_LINK_SELF. The program uses this
 * form instead of the library's, because a source can give more (names, addresses, cores besides
 * threads) or less than a node needs.
 */
#ifndef LSCHED_CLI_MACHINE_FORM_H
#define LSCHED_CLI_MACHINE_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libsched/devices.h>

enum {
    MACHINE_GPUS_MAX = LSCHED_DEVICES_PER_NODE_MAX,
    MACHINE_NICS_MAX = LSCHED_NICS_PER_NODE_MAX,
    MACHINE_DEVICES_MAX = MACHINE_GPUS_MAX + MACHINE_NICS_MAX,
    MACHINE_NUMA_MAX = LSCHED_NUMA_PER_NODE_MAX,
    MACHINE_NAME_BYTES = 80,
    LINK_WORD_BYTES = 8,
    LINK_BONDED_MAX = 36
};

struct machine_link {
    uint8_t kind;   /* LSCHED_LINK_* */
    uint8_t bonded; /* LSCHED_LINK_NVLINK: number of bonded links; otherwise 0 */
};

struct machine_device {
    char name[MACHINE_NAME_BYTES];  /* such as "GPU0" or "mlx5_0" */
    char model[MACHINE_NAME_BYTES]; /* only of GPUs */
    char address[24];               /* PCI address such as "0000:07:00.0" */
    int64_t memory_bytes;
    int numa; /* index into machine.numa, or -1 */
};

struct machine_numa {
    unsigned id; /* the operating system's number */
    int64_t memory_bytes;
    int64_t threads, cores;
};

struct machine {
    uint32_t n_gpus, n_nics, n_numa;
    struct machine_device device[MACHINE_DEVICES_MAX];
    struct machine_link link[MACHINE_DEVICES_MAX][MACHINE_DEVICES_MAX];
    struct machine_numa numa[MACHINE_NUMA_MAX];
    int64_t memory_bytes;   /* sum over all NUMA nodes */
    int64_t threads, cores; /* sums over all NUMA nodes */
    bool numa_is_partial;   /* true if only NUMA nodes with GPUs are known */
    /* has_links: the source gives links; knows_nvlink: the source would show NVLinks if there were
     * any */
    bool has_links, knows_nvlink;
};

void machine_clear(struct machine *machine);
static inline uint32_t machine_devices(const struct machine *machine) {
    return machine->n_gpus + machine->n_nics;
}
void machine_set_link(struct machine *machine, uint32_t a, uint32_t b, struct machine_link link);

/* A NIC whose NUMA node is unknown gets the NUMA node of the closest GPU, if their link stays
 * within one NUMA node. */
void machine_guess_nic_numa(struct machine *machine);

/* Reads a word such as "NV12" or "PIX", and also "SOC", which drivers before 2017 wrote instead of
 * SYS. */
bool link_read(const char *word, size_t len, struct machine_link *out);
const char *link_word(struct machine_link link, char out[LINK_WORD_BYTES]);
/* Returns the link word that was probably meant, or NULL. */
const char *link_meant(const char *word, size_t len);

#endif
