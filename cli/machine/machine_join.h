/*
 * machine_join.h -- makes one machine from two descriptions of it: the links from nvidia-smi, the
 * sizes from hwloc.
 *
 * GPUs are matched by their order, which is that of the PCI addresses in both descriptions.
 * Network cards are matched by name.
 */
#ifndef LSCHED_CLI_MACHINE_JOIN_H
#define LSCHED_CLI_MACHINE_JOIN_H

#include <libsched/libsched.h>

#include "cli/machine/machine_form.h"

/* Writes the result into `sizes`. Returns 0, or LSCHED_E_RANGE with err filled if the two cannot
 * describe one machine. */
int32_t machine_join(struct machine *sizes, const struct machine *links, lsched_error *err);

#endif
