/*
 * compare_openb.h -- compares two policies on the task list of the openb trace.
 */
#ifndef LSCHED_CLI_COMPARE_OPENB_H
#define LSCHED_CLI_COMPARE_OPENB_H

#include "cli/compare/comparison.h"

/* Replays the trace with both policies and writes the results to *of. If an error occurs, reports
 * it and returns its exit code; otherwise returns EXIT_OK. */
int compare_openb(struct comparison *of);

#endif
