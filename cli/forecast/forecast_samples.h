/*
 * forecast_samples.h -- the samples of `lsched forecast`, series by series, in the order of time:
 * a file is complete, so that the order of its rows says nothing, and an export with the newest row
 * first is as good as any.
 *
 * A few samples that are weeks away from all others have a wrong clock and are refused: they would
 * move the test part, or make all other samples late.
 *
 * Files have the layouts of packing/pack_samples.h. A table of one series, such as a time and
 * several columns to add, is read with the names of its columns.
 */
#ifndef LSCHED_CLI_FORECAST_SAMPLES_H
#define LSCHED_CLI_FORECAST_SAMPLES_H

#include <libsched/forecast.h>

#include "cli/input/input_file.h"

struct series_sample {
    lsched_forecast_sample sample;
    uint32_t line; /* of the file */
};

struct sample_series {
    char *name;                    /* owned */
    const char *file;              /* its name, for messages */
    struct series_sample *samples; /* owned */
    size_t n, capacity;
};

struct series_list {
    struct sample_series *items; /* owned */
    size_t n, capacity;
};

/* Adds the series of a file. `value` has the names of the columns to add, such as
 * "running+pending", or is NULL. sample_us is the time between two columns of a file with one
 * series per row, or 0. Returns an exit code; a wrong file has been reported. */
int forecast_samples_read(const struct input_file *file, const char *value, int64_t sample_us,
                          struct series_list *out);
void forecast_samples_free(struct series_list *list);

#endif
