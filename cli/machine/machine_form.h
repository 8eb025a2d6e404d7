/*
 * machine_form.h -- the description of one machine that `lsched node` makes from its input files:
 * GPUs, network cards (NICs), NUMA nodes, and the links between devices.
 *
 * The array of devices has the GPUs first and then the NICs, both in the order of the input file.
 * For GPUs this is the order of their PCI addresses, as in nvidia-smi and in the driver. A value
 * that the input file does not have is -1 or an empty text.
 *
 * The matrix of links is always symmetric, and only its diagonal has LSCHED_LINK_SELF. The program
 * does not use the library's description of a node here, for two reasons: an input file can have
 * data that the library's description has not, such as names, addresses and cores, and an input
 * file can lack data that a node needs.
 */
#ifndef LSCHED_CLI_MACHINE_FORM_H
#define LSCHED_CLI_MACHINE_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libsched/devices.h>

enum {
    MACHINE_GPUS_MAX = LSCHED_MACHINE_DEVICES_MAX,
    MACHINE_NICS_MAX = LSCHED_NICS_PER_NODE_MAX,
    MACHINE_DEVICES_MAX = MACHINE_GPUS_MAX + MACHINE_NICS_MAX,
    MACHINE_NUMA_MAX = LSCHED_NUMA_PER_NODE_MAX,
    MACHINE_NAME_BYTES = 80,
    LINK_WORD_BYTES = 8,
    LINK_BONDED_MAX = 36
};

struct machine_link {
    uint8_t kind;   /* LSCHED_LINK_* */
    uint8_t bonded; /* number of parallel NVLinks if kind is LSCHED_LINK_NVLINK; otherwise 0 */
};

struct machine_device {
    char name[MACHINE_NAME_BYTES];  /* name such as "GPU0" or "mlx5_0" */
    char model[MACHINE_NAME_BYTES]; /* model of a GPU; empty for a NIC */
    char address[24];               /* PCI address such as "0000:07:00.0" */
    int64_t memory_bytes;
    int numa; /* index in machine.numa, or -1 */
};

struct machine_numa {
    unsigned id; /* number that the operating system gives the NUMA node */
    int64_t memory_bytes;
    int64_t threads, cores;
};

struct machine {
    uint32_t n_gpus, n_nics, n_numa;
    struct machine_device device[MACHINE_DEVICES_MAX];
    struct machine_link link[MACHINE_DEVICES_MAX][MACHINE_DEVICES_MAX];
    struct machine_numa numa[MACHINE_NUMA_MAX];
    int64_t memory_bytes;   /* memory of the whole machine */
    int64_t threads, cores; /* hardware threads and cores of the whole machine */
    bool numa_is_partial;   /* true if the input file has only the NUMA nodes that have GPUs */
    bool has_links,         /* true if the input file has links */
        knows_nvlink;       /* true if the input file would show an NVLink if the machine had one */
};

void machine_clear(struct machine *machine);
static inline uint32_t machine_devices(const struct machine *machine) {
    return machine->n_gpus + machine->n_nics;
}
void machine_set_link(struct machine *machine, uint32_t a, uint32_t b, struct machine_link link);

/* Sets the NUMA node of each NIC whose NUMA node is not known. The NIC gets the NUMA node of the
 * GPU to which it has the closest link, if this link does not leave a NUMA node. */
void machine_guess_nic_numa(struct machine *machine);

/* Reads the word of a link, such as "NV12" or "PIX". The word "SOC" means SYS, because drivers
 * before 2017 wrote it. Returns false if the word is not a link. */
bool link_read(const char *word, size_t len, struct machine_link *out);
const char *link_word(struct machine_link link, char out[LINK_WORD_BYTES]);
/* Returns the word of a link that is most similar to a misspelled word, or NULL if none is
 * similar. */
const char *link_meant(const char *word, size_t len);

#endif
