/*
 * size_advice.h -- which sizes the jobs of a cluster need by their samples, and which static MIG
 * layout serves them best.
 *
 * A job gets advice if it has one group of tasks, if its tasks ask for a MIG profile, a share of a
 * GPU, or whole GPUs, and if it has samples of memory and of compute. Its GPU is of the kind that
 * it can use, with the least memory. What a job has whole GPUs for is advised only if it is one
 * GPU.
 *
 * For the layout, each task counts with its advised profile, or, without advice, with what it asks
 * for. The present time is that of the latest sample.
 */
#ifndef LSCHED_CLI_SIZE_ADVICE_H
#define LSCHED_CLI_SIZE_ADVICE_H

#include "cli/sizing/gpu_kinds.h"
#include "cli/sizing/usage_samples.h"

enum { SIZE_TEXT_BYTES = 256, SIZE_NAME_BYTES = 32, LAYOUT_ROWS_MAX = 1024 };

struct size_row {
    char *job;        /* owned */
    const char *kind; /* "profile" or "share" */
    char from[SIZE_NAME_BYTES], to[SIZE_NAME_BYTES];
    uint32_t reason; /* LSCHED_ADVICE_* */
    uint32_t risk_ppm;
    int64_t saved_milli; /* of all tasks; below 0 if the job grows */
    char memory[SIZE_TEXT_BYTES], compute[SIZE_TEXT_BYTES]; /* evidence */
};

struct size_layout {
    const struct gpu_kind *kind; /* the first kind with this table */
    uint32_t devices;
    lsched_forecast_layout found;
    lsched_forecast_layout_row *rows; /* owned */
};

struct size_advice {
    struct gpu_kinds kinds;
    struct size_row *rows; /* owned */
    size_t n_rows, capacity;
    uint32_t wanted[GPU_KINDS_MAX][LSCHED_FORECAST_LAYOUT_PROFILES]; /* instances by kind */
    struct size_layout layouts[GPU_KINDS_MAX];
    size_t n_layouts;
    size_t unknown; /* jobs with GPUs and without advice */
};

/* Makes the advice for all jobs. Returns 0 or a negative error code, and fills *err after an error.
 * The caller calls size_advice_free() in any case. */
int32_t size_advice_make(const lsched_cluster *cluster, const struct usage_list *usage,
                         uint32_t risk_ppm, struct size_advice *out, lsched_error *err);
void size_advice_free(struct size_advice *advice);

#endif
