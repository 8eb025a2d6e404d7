/*
 * compare_scenario.h -- compares two policies on a scenario.
 */
#ifndef LSCHED_CLI_COMPARE_SCENARIO_H
#define LSCHED_CLI_COMPARE_SCENARIO_H

#include "cli/compare/comparison.h"

/* Replays the trace with both policies and writes the results to *of. If an error occurs, reports
 * it and returns its exit code; otherwise returns EXIT_OK. */
int compare_scenario(struct comparison *of);

#endif
