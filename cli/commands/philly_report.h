/*
 * philly_report.h -- prints the results of all arms, as a table with one column for each arm or as
 * JSON.
 */
#ifndef LSCHED_CLI_PHILLY_REPORT_H
#define LSCHED_CLI_PHILLY_REPORT_H

#include "cli/commands/philly_command.h"

void philly_report_print(struct philly_simulation *sim);
/* Prints a JSON object if there is one arm, otherwise a JSON object whose list `policies` has one
 * object for each arm. docs/simulate-philly.md describes the keys. */
void philly_report_json(struct philly_simulation *sim);

#endif
