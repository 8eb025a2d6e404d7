/*
 * hwloc_form.h -- reads what `lstopo --of xml` writes, through libhwloc, files of versions 1 and 2.
 *
 * From it come the sizes: NUMA nodes with their memory and processors, models and memory of GPUs
 * where hwloc was built with NVML or CUDA, and the PCIe tree, from which the links between devices
 * follow as nvidia-smi words them. GPUs are PCI devices of the classes 0300, 0302, 0380 and 1200,
 * without the graphics of management controllers; network cards those of 0200 and 0207.
 */
#ifndef LSCHED_CLI_HWLOC_FORM_H
#define LSCHED_CLI_HWLOC_FORM_H

#include <libsched/libsched.h>

#include "cli/machine/machine_form.h"

/* A NUL must follow the text. Returns 0, or LSCHED_E_SYNTAX, LSCHED_E_LIMIT or LSCHED_E_NOMEM with
 * err filled. */
int32_t hwloc_form_read(const char *text, size_t len, struct machine *out, lsched_error *err);

#endif
