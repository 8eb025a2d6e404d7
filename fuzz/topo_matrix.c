/*
 * topo_matrix.c -- any bytes as the text of `nvidia-smi topo -m`: a machine whose links are
 * symmetric, or an error with a line and a column.
 *
 * The reader belongs to the program and not to the library, so its sources are compiled into this
 * harness.
 */
#include "cli/support/cli_errors.c"
#include "cli/support/did_you_mean.c"
#include "cli/machine/machine_form.c"
#include "cli/machine/topo_text.c"

#include <stdlib.h>

static void require(bool condition) {
    if (!condition) abort();
}

static void check_device(const struct machine *m, uint32_t i) {
    require(memchr(m->device[i].name, '\0', MACHINE_NAME_BYTES) != NULL);
    require(m->device[i].name[0] != '\0');
    require(m->device[i].numa >= -1 && m->device[i].numa < (int)m->n_numa);
    for (uint32_t j = 0; j < machine_devices(m); j++) {
        struct machine_link link = m->link[i][j], back = m->link[j][i];
        require(link.kind == back.kind && link.bonded == back.bonded);
        require((link.kind == LSCHED_LINK_SELF) == (i == j) && link.kind != LSCHED_LINK_NONE);
        require((link.kind == LSCHED_LINK_NVLINK) == (link.bonded > 0));
    }
}

static void check_machine(const struct machine *m) {
    int64_t within = 0;
    require(m->n_gpus >= 1 && m->n_gpus <= MACHINE_GPUS_MAX && m->n_nics <= MACHINE_NICS_MAX);
    require(m->n_numa <= MACHINE_NUMA_MAX && m->has_links);
    for (uint32_t i = 0; i < m->n_numa; i++) {
        require(i == 0 || m->numa[i - 1].id < m->numa[i].id);
        if (m->numa[i].threads > 0) within += m->numa[i].threads;
    }
    require(within == 0 || within <= m->threads);
    for (uint32_t i = 0; i < machine_devices(m); i++) check_device(m, i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    static struct machine m;
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = topo_text_read((const char *)data, len, &m, &err);
    if (rc == LSCHED_OK) {
        check_machine(&m);
    } else {
        require(rc == err.code && rc < 0);
        require(err.line >= 1 && err.column >= 1 && err.column <= len + 1);
        require(memchr(err.message, '\0', sizeof err.message) != NULL && err.message[0] != '\0');
    }
    return 0;
}
