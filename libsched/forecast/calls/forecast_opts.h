/*
 * forecast_opts.h -- reads the options of a series: defaults, ranges, times in slots.
 */
#ifndef LIBSCHED_FORECAST_OPTS_H
#define LIBSCHED_FORECAST_OPTS_H

#include <libsched/forecast.h>

#include "forecast/series/series.h"

/* `opts` can be NULL. *allocator becomes that of the options. */
int32_t forecast_opts_read(const lsched_forecast_opts *opts, struct series_opts *out,
                           const lsched_allocator **allocator, lsched_error *err);
/* Checks a value: finite, from 0 to 2^62. `what` is its name in the message. */
int32_t forecast_value_check(double value, const char *what, lsched_error *err);

#endif
