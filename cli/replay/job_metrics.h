/*
 * job_metrics.h -- measures what happens when a list of jobs is replayed: sums over virtual time
 * such as the used units, and samples such as the wait of each job.
 *
 * Floating-point numbers are allowed here, because only the report uses the measures, and no
 * decision depends on them.
 *
 *   idle            units (GPUs or processors) that no job holds
 *   avoidable idle  idle units that waiting jobs could use if the cluster were one machine. Only
 *                   waiting jobs that ask for no more than the idle units count. The value is the
 *                   sum of the units of these jobs, but at most the idle units. It is an upper
 *                   bound, because it ignores fragmentation, limits and the order of a queue
 *   span            time from the first to the last submission of the list. After the span no
 *                   jobs arrive, and the cluster becomes empty
 */
#ifndef LSCHED_CLI_JOB_METRICS_H
#define LSCHED_CLI_JOB_METRICS_H

#include "cli/traces/job_list.h"

struct unit_integral {
    int64_t from_us, to_us;
    double used, avoidable; /* sums over the time from from_us to to_us, in unit-seconds */
};

struct metric_samples {
    double *seconds; /* owned by this struct; metric_summarize() sorts the values */
    size_t n;
};

struct metric_summary {
    double mean, p50, p95, max; /* values in seconds; percentiles by the nearest-rank method */
};

/* measures of one queue */
struct queue_measure {
    int64_t quota_units;
    uint64_t jobs, dropped, evictions;
    double asked, /* sum of units x run time of the queue's jobs, in unit-seconds */
        served;   /* unit-seconds that its jobs held until the end of the span, without lost work */
    double wait_s_sum; /* sum of the waits of all jobs of the queue until their first start */
};

struct job_metrics {
    int64_t units;
    struct unit_integral span, window; /* window.from_us == window.to_us if there is no window */
    struct queue_measure *queues;      /* owned by this struct */
    size_t n_queues;
    struct metric_samples waits, completions;
    uint64_t jobs, dropped, evictions, moves;
    /* units x run time of all jobs, and the lost portion of it, in unit-seconds */
    double asked, lost;
    int64_t head_wait_us;
    int64_t end_us;            /* time at which the last job ended */
    uint32_t *sizes;           /* owned by this struct; the different sizes of jobs, ascending */
    uint64_t *waiting_of_size; /* owned by this struct; number of waiting jobs of each size */
    uint32_t *size_of_units;   /* owned by this struct; maps a size to its index in `sizes` */
    size_t n_sizes;
};

/* Allocates the measures and sets them to 0. window_us has the start and the end of the window as
 * absolute times in microseconds. */
void job_metrics_begin(struct job_metrics *measure, const struct job_list *list, int64_t units,
                       const int64_t window_us[2]);
void job_metrics_end(struct job_metrics *measure);

/* Changes the number of waiting jobs that ask for `units` units by `change`, which is +1 or -1. */
void job_metrics_waits(struct job_metrics *measure, uint32_t units, int change);
/* Adds the time from from_us to to_us to the measures. During this time, jobs held `used` units,
 * and jobs of queue q held used_by_queue[q] units. */
void job_metrics_pass(struct job_metrics *measure, int64_t from_us, int64_t to_us, int64_t used,
                      const int64_t *used_by_queue);
void job_metrics_started(struct job_metrics *measure, const struct listed_job *job, int64_t at_us);
void job_metrics_done(struct job_metrics *measure, const struct listed_job *job, int64_t at_us);
void job_metrics_lost(struct job_metrics *measure, const struct listed_job *job, int64_t at_us,
                      int64_t lost_us);

struct metric_summary metric_summarize(struct metric_samples *samples);
/* Return the used units and the avoidable idle units, in percent of all units of the cluster. `of`
 * is the span or the window. Return 0 if its duration is 0. */
double job_metrics_used(const struct job_metrics *measure, const struct unit_integral *of);
double job_metrics_avoidable(const struct job_metrics *measure, const struct unit_integral *of);
/* Returns Jain's fairness index, (sum x)^2 / (n * sum x^2). The index is 1 if all values are equal,
 * and 1/n if all values except one are 0. */
double jain_index(const double *values, size_t n);
/* Returns Jain's fairness index of the values served / asked of all queues that have jobs. */
double job_metrics_jain(const struct job_metrics *measure);

#endif
