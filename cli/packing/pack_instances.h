/*
 * pack_instances.h -- runs `lsched pack` on instances of the temporal bin packing problem.
 */
#ifndef LSCHED_CLI_PACK_INSTANCES_H
#define LSCHED_CLI_PACK_INSTANCES_H

#include "cli/packing/pack_run.h"

/* Packs each instance in the run's files and prints the results. Returns an exit code. */
int pack_instances_run(struct pack_run *run);

#endif
