/*
 * forecast_handle.h -- the handle behind lsched_forecast_series: an allocator and the block of the
 * series. Only the calls of this room see both.
 */
#ifndef LIBSCHED_FORECAST_HANDLE_H
#define LIBSCHED_FORECAST_HANDLE_H

#include <libsched/forecast.h>

#include "base/alloc.h"
#include "forecast/series/series.h"

struct lsched_forecast_series {
    struct series series;
    lsched_allocator hooks; /* size 0: malloc */
};

_Static_assert(sizeof(struct lsched_forecast_series) <= LSCHED_FORECAST_BYTES_MAX,
               "a series has at most 3 KB");

/* Makes a handle with memory for a series, whose bytes are not set. */
int32_t forecast_handle_new(const lsched_allocator *hooks, lsched_forecast_series **out,
                            lsched_error *err);
void forecast_handle_free(lsched_forecast_series *series);

#endif
