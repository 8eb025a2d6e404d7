/*
 * hwloc_form.h -- reads the output of `lstopo --of xml` with libhwloc. The reader accepts the
 * versions 1 and 2 of the file format.
 *
 * The file has the NUMA nodes with their memory and processors, and the PCIe tree. The reader
 * computes the links between devices from this tree and names them as nvidia-smi does. If lstopo
 * was built with NVML or CUDA, the file also has the models and the memory of the GPUs. A PCI
 * device is a GPU if its class is 0300, 0302, 0380 or 1200 and it is not the graphics chip of a
 * management controller. A PCI device is a network card if its class is 0200 or 0207.
 */
#ifndef LSCHED_CLI_HWLOC_FORM_H
#define LSCHED_CLI_HWLOC_FORM_H

#include <libsched/libsched.h>

#include "cli/machine/machine_form.h"

/* Reads the text and writes the machine to *out. The byte after the text must be NUL. Returns 0,
 * LSCHED_E_SYNTAX, LSCHED_E_LIMIT or LSCHED_E_NOMEM; fills *err after an error. */
int32_t hwloc_form_read(const char *text, size_t len, struct machine *out, lsched_error *err);

#endif
