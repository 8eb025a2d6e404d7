/*
 * machine_join.c -- see machine_join.h.
 */
#include "cli/machine/machine_join.h"

#include <string.h>

#include "cli/support/cli_errors.h"

/* Returns an error if two GPUs are on the same NUMA node in one description and on different NUMA
 * nodes in the other. In this case the descriptions are not of the same machine. The ids of NUMA
 * nodes are not compared, because topo_text.c invents ids if the text has no column for them. */
static int32_t check_numa(const struct machine *sizes, const struct machine *links,
                          lsched_error *err) {
    for (uint32_t a = 0; a < sizes->n_gpus; a++) {
        for (uint32_t b = 0; b < a; b++) {
            const struct machine_device *x = sizes->device, *y = links->device;
            if (x[a].numa < 0 || x[b].numa < 0 || y[a].numa < 0 || y[b].numa < 0) continue;
            bool same = x[a].numa == x[b].numa;
            if (same == (y[a].numa == y[b].numa)) continue;
            return error_at(
                err, LSCHED_E_RANGE, 0, 0,
                "expected two descriptions of one machine: GPU%u and GPU%u are on %s in "
                "the XML, but on %s in the text of nvidia-smi",
                b, a, same ? "one NUMA node" : "two NUMA nodes", same ? "two" : "one");
        }
    }
    return LSCHED_OK;
}

static uint32_t find_nic(const struct machine *m, const char *name) {
    uint32_t i = m->n_gpus;
    while (i < machine_devices(m) && strcmp(m->device[i].name, name) != 0) i++;
    return i;
}

/* Replaces the network cards of `sizes`, which is from the XML file, by those of `links`, which is
 * from nvidia-smi. A card that is in both keeps the data from the XML file. */
static void join_nics(struct machine *sizes, const struct machine *links) {
    struct machine_device nics[MACHINE_NICS_MAX];
    uint32_t first = links->n_gpus;
    memset(nics, 0, sizeof nics);
    for (uint32_t i = 0; i < links->n_nics; i++) {
        uint32_t known = find_nic(sizes, links->device[first + i].name);
        nics[i] = known < machine_devices(sizes) ? sizes->device[known] : links->device[first + i];
        /* the index of the NUMA node in `links` has no meaning in `sizes` */
        if (known == machine_devices(sizes)) nics[i].numa = -1;
    }
    sizes->n_nics = links->n_nics;
    memcpy(&sizes->device[first], nics, links->n_nics * sizeof nics[0]);
}

int32_t machine_join(struct machine *sizes, const struct machine *links, lsched_error *err) {
    if (sizes->n_gpus != links->n_gpus)
        return error_at(
            err, LSCHED_E_RANGE, 0, 0,
            "expected two descriptions of one machine: the XML has %u GPUs, the text of "
            "nvidia-smi has %u",
            sizes->n_gpus, links->n_gpus);
    int32_t rc = check_numa(sizes, links, err);
    if (rc != LSCHED_OK) return rc;
    if (links->n_nics > 0) join_nics(sizes, links);
    uint32_t n = machine_devices(links);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < a; b++) machine_set_link(sizes, a, b, links->link[a][b]);
    sizes->has_links = sizes->knows_nvlink = true;
    machine_guess_nic_numa(sizes);
    return LSCHED_OK;
}
