/*
 * machine_join.c -- see machine_join.h.
 */
#include "cli/machine/machine_join.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int32_t fail(lsched_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int32_t fail(lsched_error *err, const char *format, ...) {
    va_list args;
    va_start(args, format);
    lsched_error_init(err, sizeof *err);
    err->code = LSCHED_E_RANGE;
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return LSCHED_E_RANGE;
}

/* Two GPUs that share a NUMA node in one description and not in the other are not the same GPUs.
 * The numbers of NUMA nodes are not compared: if the text has no column for them, its numbers are
 * made up. */
static int32_t check_numa(const struct machine *sizes, const struct machine *links,
                          lsched_error *err) {
    for (uint32_t a = 0; a < sizes->n_gpus; a++) {
        for (uint32_t b = 0; b < a; b++) {
            const struct machine_device *x = sizes->device, *y = links->device;
            if (x[a].numa < 0 || x[b].numa < 0 || y[a].numa < 0 || y[b].numa < 0) continue;
            bool same = x[a].numa == x[b].numa;
            if (same == (y[a].numa == y[b].numa)) continue;
            return fail(err,
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

/* Takes the network cards of the text. A card that the XML has too gets the data of the XML. */
static void join_nics(struct machine *sizes, const struct machine *links) {
    struct machine_device nics[MACHINE_NICS_MAX];
    uint32_t first = links->n_gpus;
    memset(nics, 0, sizeof nics);
    for (uint32_t i = 0; i < links->n_nics; i++) {
        uint32_t known = find_nic(sizes, links->device[first + i].name);
        nics[i] = known < machine_devices(sizes) ? sizes->device[known] : links->device[first + i];
        /* its number would be that of the text */
        if (known == machine_devices(sizes)) nics[i].numa = -1;
    }
    sizes->n_nics = links->n_nics;
    memcpy(&sizes->device[first], nics, links->n_nics * sizeof nics[0]);
}

int32_t machine_join(struct machine *sizes, const struct machine *links, lsched_error *err) {
    if (sizes->n_gpus != links->n_gpus)
        return fail(err,
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
