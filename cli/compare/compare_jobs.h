/*
 * compare_jobs.h -- compares two policies on one list of jobs.
 */
#ifndef LSCHED_CLI_COMPARE_JOBS_H
#define LSCHED_CLI_COMPARE_JOBS_H

#include "cli/compare/comparison.h"

/* Replays the trace with both policies and writes the results to *of. If an error occurs, reports
 * it and returns its exit code; otherwise returns EXIT_OK. */
int compare_jobs(struct comparison *of);

#endif
