/*
 * rcpsp_run.h -- runs `lsched pack` on projects (RCPSP), which are files of PSPLIB.
 */
#ifndef LSCHED_CLI_RCPSP_RUN_H
#define LSCHED_CLI_RCPSP_RUN_H

#include "cli/packing/pack_run.h"

/* True if the file is a project in a format of PSPLIB. */
bool rcpsp_is(const char *text, size_t len);
/* Schedules the project of each file of the run, checks each schedule, and prints the results.
 * Returns an exit code. */
int rcpsp_run(struct pack_run *run);

#endif
