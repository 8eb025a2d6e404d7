/*
 * mig80_run.h -- runs `lsched pack` on lists of MIG jobs.
 */
#ifndef LSCHED_CLI_MIG80_RUN_H
#define LSCHED_CLI_MIG80_RUN_H

#include "cli/packing/pack_run.h"

/* Runs the three simple arms (mig80_arms.h) and the planner on each job list in the run's file, and
 * prints the results. Returns an exit code. */
int mig80_run(struct pack_run *run);

#endif
