/*
 * philly_measure.h -- what a replay of the Philly list is judged by: integrals over virtual time,
 * and samples of jobs.
 *
 * Only the report comes from here, no decision: so this is floating point.
 *
 *   idle            GPUs that nobody holds
 *   avoidable idle  of these, what jobs that wait could fill: the smaller of the free GPUs and the
 *                   sum of the GPUs of all waiting jobs that ask for at most that many. Counted
 *                   over the whole cluster, as if it were one machine: so it is an upper bound, and
 *                   fragmentation, limits and the order of a queue all show in it
 *   span            from the first to the last submission of the list. What comes after is the
 *                   emptying of a cluster that gets no more work
 */
#ifndef LSCHED_CLI_PHILLY_MEASURE_H
#define LSCHED_CLI_PHILLY_MEASURE_H

#include <stdbool.h>

#include "philly_trace.h"

struct gpu_integral {
    int64_t from_us, to_us;
    double used, avoidable; /* GPU-seconds between them */
};

struct philly_samples {
    double *seconds; /* owned; unsorted until summed up */
    size_t n;
};

struct philly_summary {
    double mean, p50, p95, max; /* seconds; percentiles by nearest rank */
};

/* What one VC got. */
struct vc_measure {
    int64_t quota_gpus;
    uint64_t jobs, dropped, evictions;
    double asked, served; /* GPU-seconds: of all jobs; until the end of the span, less what was lost
                           */
    double wait_s_sum;
};

struct philly_measure {
    int64_t gpus;
    struct gpu_integral span, window; /* window: empty if none was asked for */
    struct vc_measure *vcs;           /* owned */
    size_t n_vcs;
    struct philly_samples waits, completions;
    uint64_t jobs, dropped, evictions, moves;
    double asked, lost; /* GPU-seconds */
    int64_t head_wait_us;
    int64_t end_us; /* when the last job was done */
    /* waiting jobs by the GPUs that they ask for */
    uint32_t *sizes; /* owned; ascending */
    uint64_t *waiting_of_size;
    uint32_t *size_of_gpus; /* owned; index into sizes */
    size_t n_sizes;
};

/* window_us: [0] to [1] in absolute time. */
void philly_measure_begin(struct philly_measure *measure, const struct philly_list *list,
                          int64_t gpus, const int64_t window_us[2]);
void philly_measure_end(struct philly_measure *measure);

/* A job begins (+1) or ceases (-1) to wait. */
void philly_measure_waits(struct philly_measure *measure, uint32_t gpus, int change);
/* `used` GPUs were held from from_us to to_us, by these VCs. */
void philly_measure_pass(struct philly_measure *measure, int64_t from_us, int64_t to_us,
                         int64_t used, const int64_t *used_by_vc);
void philly_measure_started(struct philly_measure *measure, const struct philly_job *job,
                            int64_t at_us);
void philly_measure_done(struct philly_measure *measure, const struct philly_job *job,
                         int64_t at_us);
void philly_measure_lost(struct philly_measure *measure, const struct philly_job *job,
                         int64_t at_us, int64_t lost_us);

struct philly_summary philly_summarize(struct philly_samples *samples);
/* In percent of the GPUs of the span or window; 0 for an empty one. */
double philly_used_percent(const struct philly_measure *measure, const struct gpu_integral *of);
double philly_avoidable_percent(const struct philly_measure *measure,
                                const struct gpu_integral *of);
/* Jain's index of served / asked over the VCs that asked for something: 1 if all got the same part
 * of what they asked for, 1/n if one got everything. */
double philly_jain(const struct philly_measure *measure);

#endif
