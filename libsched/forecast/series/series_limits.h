/*
 * series_limits.h -- the limits of what a series accepts; docs/forecasts.md lists them.
 */
#ifndef LIBSCHED_FORECAST_SERIES_LIMITS_H
#define LIBSCHED_FORECAST_SERIES_LIMITS_H

#include <libsched/forecast.h>

#define VALUE_MAX  4611686018427387904.0 /* 2^62 */
#define SIGMAS_MAX 100.0

#endif
