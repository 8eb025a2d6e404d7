/*
 * reassign_run.h -- runs `lsched pack --kind reassign` on a model and an assignment of the
 * ROADEF/EURO challenge 2012.
 */
#ifndef LSCHED_CLI_REASSIGN_RUN_H
#define LSCHED_CLI_REASSIGN_RUN_H

#include "cli/packing/pack_run.h"

/* Reads the two files of the run, looks for a cheaper assignment, checks it, writes it to the file
 * of --out, and prints the result. Frees the text of the model before the search. Returns an exit
 * code. */
int reassign_run(struct pack_run *run);

#endif
