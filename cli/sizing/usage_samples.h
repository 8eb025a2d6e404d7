/*
 * usage_samples.h -- what jobs used of their GPUs, from files of two kinds.
 *
 * A table (CSV) has the columns time, job, fb_used and sm_active. Metrics (the text format of
 * Prometheus) have DCGM_FI_DEV_FB_USED and DCGM_FI_PROF_SM_ACTIVE with the label `pod` or `hpc_job`
 * and a time in milliseconds, as the page /federate of a Prometheus server gives them; all other
 * lines are skipped. The units are those of DCGM in both: MiB, and the part of the streaming
 * multiprocessors that the job could use, from 0 to 1.
 *
 * If a job has several GPUs, their samples are together: sizes are for the GPU that needs most.
 * What always holds: a number that is negative, not a number or out of its range is an error with
 * its line and column.
 */
#ifndef LSCHED_CLI_USAGE_SAMPLES_H
#define LSCHED_CLI_USAGE_SAMPLES_H

#include <libsched/sizing.h>

#include "cli/input/input_file.h"
#include "cli/support/name_table.h"

enum usage_kind { USAGE_MEMORY, USAGE_COMPUTE, USAGE_KINDS };

struct usage_series {
    lsched_forecast_sample *samples; /* owned */
    size_t n, capacity;
};

struct usage_list {
    struct name_table jobs;
    struct usage_series (*series)[USAGE_KINDS]; /* owned; by index of the job */
    size_t capacity;
    int64_t latest_us; /* the latest time of all samples */
    uint64_t skipped;  /* lines of metrics that say nothing of a job */
};

/* Adds the samples of a file. Returns 0 or a negative error code, and fills *err after an error. */
int32_t usage_read(const char *text, size_t len, struct usage_list *list, lsched_error *err);
void usage_free(struct usage_list *list);

#endif
