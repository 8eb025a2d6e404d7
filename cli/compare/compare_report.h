/*
 * compare_report.h -- prints the result of a comparison of two policies.
 */
#ifndef LSCHED_CLI_COMPARE_REPORT_H
#define LSCHED_CLI_COMPARE_REPORT_H

#include "cli/compare/comparison.h"

void compare_report_print(struct comparison *of);
void compare_report_json(struct comparison *of);

#endif
