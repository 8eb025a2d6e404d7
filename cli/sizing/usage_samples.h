/*
 * usage_samples.h -- what jobs used of their GPUs, from files of two kinds.
 *
 * A table (CSV) has the columns time, job, fb_used and sm_active. Metrics (the text format of
 * Prometheus) have DCGM_FI_DEV_FB_USED and DCGM_FI_PROF_SM_ACTIVE with the name of the job in a
 * label and a time in milliseconds, as the page /federate of a Prometheus server gives them. The
 * first of the labels exported_pod, hpc_job and pod that a line has is the job: a server that
 * scrapes an exporter has the pod of the exporter in `pod`, and renames the pod of the job. All
 * other lines, and lines without a value, are skipped and counted. The units are those of DCGM in
 * both: MiB, and the part of the streaming multiprocessors that the job could use, from 0 to 1.
 *
 * If a job has several GPUs, their samples are together: sizes are for the GPU that needs most.
 * What always holds: a number that is negative, not valid or out of its range is an error with
 * its line and column. A time of 2100 or later is an error, and so is a sample that is so late that
 * the others would not count: the present time is that of the latest sample.
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

/* Why a line of metrics is skipped: it is of another metric, has no job, or has the value NaN,
 * which says in this format that there is no value. Comments are not counted. */
enum usage_skip { USAGE_SKIP_METRIC, USAGE_SKIP_JOB, USAGE_SKIP_VALUE, USAGE_SKIPS };

/* The time of one row of a table, or of one line of metrics. */
struct usage_time {
    int64_t at_us;
    uint32_t line, file; /* file: 0 is the first that was read */
};

struct usage_list {
    struct name_table jobs;
    struct usage_series (*series)[USAGE_KINDS]; /* owned; by index of the job */
    size_t capacity;
    int64_t latest_us;             /* the latest time of all samples */
    uint64_t skipped[USAGE_SKIPS]; /* lines of metrics by the reason */
    struct usage_time *times;      /* owned */
    size_t n_times, times_capacity;
    uint32_t files; /* number of files that were read */
};

/* Adds the samples of a file. Returns 0 or a negative error code, and fills *err after an error. */
int32_t usage_read(const char *text, size_t len, struct usage_list *list, lsched_error *err);
/* Refuses a few samples that are later than all others by more than the 14 days that count. Call it
 * after the last file; it sorts the times. Returns 0, or LSCHED_E_TIME with the line of the
 * earliest such sample in *err and its file in *file. */
int32_t usage_check(struct usage_list *list, uint32_t *file, lsched_error *err);
void usage_free(struct usage_list *list);

#endif
