/*
 * advise_report.h -- prints the advice of `lsched advise`: the nodes to add and to drain, the waits
 * before and after, the prices, and what was assumed.
 */
#ifndef LSCHED_CLI_ADVISE_REPORT_H
#define LSCHED_CLI_ADVISE_REPORT_H

#include "cli/advise/node_search.h"
#include "cli/support/json_writer.h"

void advise_report_text(const struct node_trials *trials, const struct node_advice *advice,
                        const char *file);
void advise_report_json(const struct node_trials *trials, const struct node_advice *advice,
                        const char *file);

#endif
