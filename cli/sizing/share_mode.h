/*
 * share_mode.h -- how a GPU should be shared for a job: what lsched_forecast_mode_get() must know,
 * from the cluster and from the samples of the job.
 *
 * A mode is possible if the site says so (`--modes`). Otherwise it is possible if a device of the
 * same model has it in the cluster, and MIG also if the model has a MIG table. A device with the
 * mode `fraction` can take turns, because that is what its driver does with several processes.
 * Somebody waits for each answer of a job that has one of the labels of `--timed`. Starts per day
 * are those of a device on which jobs as this one follow each other; 0 if the run time is unknown.
 *
 * Cost: O(samples of the job) for the mean of its compute.
 */
#ifndef LSCHED_CLI_SHARE_MODE_H
#define LSCHED_CLI_SHARE_MODE_H

#include "cli/sizing/gpu_ask.h"
#include "cli/sizing/usage_samples.h"

enum { SHARE_MODES_UNKNOWN = 0, SHARE_TIMED_MAX = 64 };

/* What the operator says. */
struct share_rules_opts {
    uint32_t modes;           /* bits of LSCHED_MODE_*; SHARE_MODES_UNKNOWN: the cluster shows it */
    const char *const *timed; /* labels KEY or KEY=VALUE */
    size_t n_timed;
};

/* A job with its needs: memory in MiB, compute in slices if `profiles`, else in thousandths. */
struct share_case {
    const struct gpu_ask *ask;
    const struct gpu_kind *kind;
    const lsched_job_desc *job;
    const struct usage_series *compute; /* samples: the part of what the job has */
    const lsched_forecast_need *memory_need, *compute_need;
    double has_compute; /* of the present size, in the unit of compute_need */
    bool profiles;
    int64_t now_us;
};

/* Reads a list such as "mig,mps". Returns 0 if it has another word. */
uint32_t share_modes_read(const char *list);
/* True if a label of the list is one that names can have: KEY, or KEY=VALUE. */
bool share_timed_valid(const char *label);
/* Sets *query to what is known of the job. Returns LSCHED_OK or a negative error code. */
int32_t share_mode_query(const struct gpu_kinds *kinds, const struct share_case *c,
                         const struct share_rules_opts *opts, lsched_forecast_mode_query *query,
                         lsched_error *err);

#endif
