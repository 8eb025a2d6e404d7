/*
 * speed_report.h -- prints the result of `lsched speeds`: the shares of each job, speeds that are
 * not known, and what played rounds came to.
 */
#ifndef LSCHED_CLI_SPEED_REPORT_H
#define LSCHED_CLI_SPEED_REPORT_H

#include "cli/speeds/speed_play.h"

struct speed_report {
    const struct speed_input *input;
    const lsched_speeds_answer *answer;
    const double *shares, *alone;
    const struct speed_play *play; /* NULL: no rounds were played */
    const char *policy;
};

void speed_report_text(const struct speed_report *report);
void speed_report_json(const struct speed_report *report);

#endif
