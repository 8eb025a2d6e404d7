/*
 * pack_report.h -- prints the result of one packing problem of any kind as text, as JSON, or as a
 * chart.
 */
#ifndef LSCHED_CLI_PACK_REPORT_H
#define LSCHED_CLI_PACK_REPORT_H

#include "cli/packing/pack_run.h"
#include "cli/support/json_writer.h"

/* Writes the fields of the result (bins, lower_bound, gap_percent, seconds and others) into the
 * JSON object that the caller has opened. */
void pack_report_json(struct json *json, const struct pack_result *result);
void pack_report_items_json(struct json *json, const lsched_pack_problem *problem,
                            const struct pack_result *result);
/* Prints a line such as "29 bins; no plan has fewer", and a line with the method that found the
 * plan. */
void pack_report_print(const struct pack_run *run, const struct pack_result *result);
void pack_report_items(const lsched_pack_problem *problem, const struct pack_result *result,
                       bool numbers);
/* Prints a chart of the load and of the number of bins that are on, over time. */
void pack_report_chart(const struct pack_run *run, const lsched_pack_problem *problem,
                       const struct pack_result *result, bool numbers);
/* Draws the chart of pack_report_chart() into the file that the option --svg names. Does nothing
 * without that option. Returns an exit code. */
int pack_report_svg(const struct pack_run *run, const lsched_pack_problem *problem,
                    const struct pack_result *result, bool numbers);
/* Returns how far the value is above the bound, in percent of the bound; NaN if the bound is 0. */
double pack_report_gap(double value, double bound);

#endif
