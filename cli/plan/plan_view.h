/*
 * plan_view.h -- prints the result of one cycle of a scenario as text.
 */
#ifndef LSCHED_CLI_PLAN_VIEW_H
#define LSCHED_CLI_PLAN_VIEW_H

#include <stdbool.h>
#include <stdio.h>

#include <libsched/scenario.h>

/* Prints the decisions of the cycle, the waiting jobs with their wait reasons, and the use of each
 * queue after the cycle. If every_task is true, each decision has a line; otherwise plan_lines.h
 * groups the decisions of a job into lines. */
void plan_print(FILE *out, const lsched_scenario_cycle *cycle, bool every_task);

#endif
