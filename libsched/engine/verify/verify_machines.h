/*
 * verify_machines.h -- computes the use of NUMA nodes and network cards again. The free amount of a
 * NUMA node must be its capacity less what the tasks pinned to it hold. No two tasks have the same
 * network card. The devices of a task must have the links and the NUMA node that the task asks for.
 */
#ifndef LIBSCHED_VERIFY_MACHINES_H
#define LIBSCHED_VERIFY_MACHINES_H

#include "model/check/check_finding.h"

/* Checks the free amounts of NUMA nodes, the owners of network cards, and the links between the
 * devices of each task. */
int32_t verify_machines(struct check *c);

#endif
