/*
 * duration_handle.h -- the handle behind lsched_forecast_durations: an allocator and the table of
 * users, in one block of memory.
 */
#ifndef LIBSCHED_FORECAST_DURATION_HANDLE_H
#define LIBSCHED_FORECAST_DURATION_HANDLE_H

#include <libsched/forecast.h>

#include "base/alloc.h"
#include "forecast/durations/run_table.h"

struct lsched_forecast_durations {
    struct run_table table; /* its memory follows this struct */
    lsched_allocator hooks;
    size_t bytes; /* of the block */
};

#endif
