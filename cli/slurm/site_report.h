/*
 * site_report.h -- prints what libsched would do with a site, as text and as JSON, for `lsched
 * slurm check` and `lsched slurm shadow`.
 */
#ifndef LSCHED_CLI_SITE_REPORT_H
#define LSCHED_CLI_SITE_REPORT_H

#include "cli/slurm/site_forecast.h"

struct site_report {
    const struct site *site;
    const struct site_forecast *forecast; /* its n is 0 if no job was planned */
    const lsched_cluster *cluster;
    int64_t jobs_shown; /* most jobs of each table */
};

void site_report_check(const struct site_report *report);
void site_report_check_json(const struct site_report *report);
/* The starts of libsched beside those of Slurm. */
void site_report_shadow(const struct site_report *report);
void site_report_shadow_json(const struct site_report *report);

#endif
