/*
 * hwloc_form.h -- reads the output of `lstopo --of xml` through libhwloc, in the file versions 1
 * and 2.
 *
 * The file gives the NUMA nodes with their memory and processors, and the PCIe tree, from which
 * the links between devices follow in the words of nvidia-smi. If hwloc was built with NVML or
 * CUDA, it also gives the models and the memory of the GPUs. GPUs are PCI devices of the classes
 * 0300, 0302, 0380 and 1200, except the graphics of management controllers. Network cards are
 * those of the classes 0200 and 0207.
 */
#ifndef LSCHED_CLI_HWLOC_FORM_H
#define LSCHED_CLI_HWLOC_FORM_H

#include <libsched/libsched.h>

#include "cli/machine/machine_form.h"

/* Reads the text into `out`; a NUL must follow the text. Returns 0, or LSCHED_E_SYNTAX,
 * LSCHED_E_LIMIT or LSCHED_E_NOMEM with err filled. */
int32_t hwloc_form_read(const char *text, size_t len, struct machine *out, lsched_error *err);

#endif
