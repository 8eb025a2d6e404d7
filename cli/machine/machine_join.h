/*
 * machine_join.h -- one machine from two descriptions of it: the links as nvidia-smi tells them,
 * the sizes as hwloc does.
 *
 * GPUs are matched by their order, which is that of PCI addresses in both; network cards by name.
 */
#ifndef LSCHED_CLI_MACHINE_JOIN_H
#define LSCHED_CLI_MACHINE_JOIN_H

#include <libsched/libsched.h>

#include "cli/machine/machine_form.h"

/* Into sizes. Returns 0, or LSCHED_E_RANGE with err filled where they cannot be one machine. */
int32_t machine_join(struct machine *sizes, const struct machine *links, lsched_error *err);

#endif
