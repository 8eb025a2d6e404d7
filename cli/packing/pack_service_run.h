/*
 * pack_service_run.h -- runs `lsched pack` on services with measured demand.
 */
#ifndef LSCHED_CLI_PACK_SERVICE_RUN_H
#define LSCHED_CLI_PACK_SERVICE_RUN_H

#include "cli/packing/pack_run.h"

/* Packs the services in the run's files and prints the result. Returns an exit code. */
int pack_service_run(struct pack_run *run);

#endif
