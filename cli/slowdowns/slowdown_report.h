/*
 * slowdown_report.h -- prints the slow-downs of `lsched slowdowns`: a table with what each number
 * rests on, and the table `slowdown` of a policy, as Lua text.
 *
 * The Lua text has each pair with a number, in thousandths, rounded up. Other pairs are left out
 * there, and a comment counts them, because a policy reads a missing number as 1.0. A kind without
 * any number is left out as well: as a kind of the table it would be one that disturbs nobody, and
 * `others` of the policy would not cover it.
 */
#ifndef LSCHED_CLI_SLOWDOWN_REPORT_H
#define LSCHED_CLI_SLOWDOWN_REPORT_H

#include "cli/slowdowns/progress_rows.h"

struct slowdown_report {
    const struct progress_rows *rows;
    const lsched_forecast_slowdown *table; /* [kinds][kinds] */
    const lsched_forecast_slowdown_summary *summary;
    uint32_t quantile_ppm;
};

void slowdown_report_text(const struct slowdown_report *report);
void slowdown_report_json(const struct slowdown_report *report);

#endif
