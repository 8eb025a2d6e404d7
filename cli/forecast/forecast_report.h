/*
 * forecast_report.h -- prints the result of `lsched forecast`: what the series say now, and how
 * good such forecasts were.
 */
#ifndef LSCHED_CLI_FORECAST_REPORT_H
#define LSCHED_CLI_FORECAST_REPORT_H

#include "cli/forecast/forecast_trial.h"

/* `last` has n_quantiles forecasts for each series of the list. */
void forecast_report_json(const struct trial *trial, const struct series_list *list,
                          const lsched_forecast *last);
void forecast_report_text(const struct trial *trial, const struct series_list *list,
                          const lsched_forecast *last);

#endif
