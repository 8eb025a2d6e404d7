/*
 * machine_join.h -- makes one description of a machine from two: it takes the links from
 * nvidia-smi, and the numbers of processors and the memory from hwloc.
 *
 * A GPU has the same index in both descriptions, because both have the GPUs in the order of their
 * PCI addresses. Network cards are matched by their names.
 */
#ifndef LSCHED_CLI_MACHINE_JOIN_H
#define LSCHED_CLI_MACHINE_JOIN_H

#include <libsched/libsched.h>

#include "cli/machine/machine_form.h"

/* Adds the links to `sizes`. Returns 0, or LSCHED_E_RANGE if the two descriptions cannot be of the
 * same machine; fills *err after an error. */
int32_t machine_join(struct machine *sizes, const struct machine *links, lsched_error *err);

#endif
