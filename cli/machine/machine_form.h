/*
 * machine_form.h -- the inside of one machine as `lsched node` reads it: GPUs, NICs, NUMA nodes,
 * and how every two devices are linked.
 *
 * Devices are numbered GPUs first, then NICs, both in the order of the source; for GPUs that is the
 * order of their PCI addresses, which is what nvidia-smi and the driver number them by. What a
 * source does not tell is -1 or an empty text.
 *
 * Invariant: links are symmetric, and LSCHED_LINK_SELF stands on the diagonal alone. The program's
 * own form, not the library's: a source may know more (names, addresses, cores beside threads) or
 * less than a node is described with.
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
    uint8_t bonded; /* LSCHED_LINK_NVLINK: how many; else 0 */
};

struct machine_device {
    char name[MACHINE_NAME_BYTES];  /* "GPU0", "mlx5_0" */
    char model[MACHINE_NAME_BYTES]; /* of GPUs */
    char address[24];               /* PCI, "0000:07:00.0" */
    int64_t memory_bytes;
    int numa; /* index into machine.numa, -1 */
};

struct machine_numa {
    unsigned id; /* as the operating system numbers it */
    int64_t memory_bytes;
    int64_t threads, cores;
};

struct machine {
    uint32_t n_gpus, n_nics, n_numa;
    struct machine_device device[MACHINE_DEVICES_MAX];
    struct machine_link link[MACHINE_DEVICES_MAX][MACHINE_DEVICES_MAX];
    struct machine_numa numa[MACHINE_NUMA_MAX];
    int64_t memory_bytes;         /* of all NUMA nodes */
    int64_t threads, cores;       /* likewise */
    bool numa_is_partial;         /* only those that hold GPUs are known */
    bool has_links, knows_nvlink; /* the source tells of links at all; of NVLink, were there any */
};

void machine_clear(struct machine *machine);
static inline uint32_t machine_devices(const struct machine *machine) {
    return machine->n_gpus + machine->n_nics;
}
void machine_set_link(struct machine *machine, uint32_t a, uint32_t b, struct machine_link link);

/* A NIC whose NUMA node is not told is where the closest GPU is, if that is on the same node. */
void machine_guess_nic_numa(struct machine *machine);

/* "NV12", "PIX"; reads also "SOC", which drivers before 2017 wrote for SYS. */
bool link_read(const char *word, size_t len, struct machine_link *out);
const char *link_word(struct machine_link link, char out[LINK_WORD_BYTES]);
/* The word that was probably meant, or NULL; into out. */
const char *link_meant(const char *word, size_t len);

#endif
