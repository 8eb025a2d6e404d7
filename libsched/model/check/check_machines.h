/* check_machines.h -- checks the machines of nodes: links, NUMA nodes and network cards. */
#ifndef LIBSCHED_CHECK_MACHINES_H
#define LIBSCHED_CHECK_MACHINES_H

#include "model/check/check_finding.h"

int32_t check_machine(struct check *c, uint32_t row); /* a row of MACHINE */
/* Checks that a node agrees with its machine. */
int32_t check_node_machine(struct check *c, uint32_t node);

#endif
