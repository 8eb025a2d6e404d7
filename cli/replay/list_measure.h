/*
 * list_measure.h -- the measures of a replay of a list of jobs: integrals over virtual time, and
 * samples of jobs.
 *
 * Floating point is allowed here, because the measures go only into the report and into no
 * decision.
 *
 *   idle            units that no job holds
 *   avoidable idle  idle units that waiting jobs could fill: the smaller of the free units and the
 *                   sum of the units of all waiting jobs that ask for at most that many. They are
 *                   counted as if the cluster were one machine, which gives an upper bound:
 *                   fragmentation, limits and the order of a queue all contribute to it
 *   span            from the first to the last submission of the list. After the span the cluster
 *                   gets no more work and becomes empty
 */
#ifndef LSCHED_CLI_LIST_MEASURE_H
#define LSCHED_CLI_LIST_MEASURE_H

#include <stdbool.h>

#include "cli/traces/job_list.h"

struct unit_integral {
    int64_t from_us, to_us;
    double used, avoidable; /* unit-seconds from from_us to to_us */
};

struct list_samples {
    double *seconds; /* owned; unsorted until list_summarize() is called */
    size_t n;
};

struct list_summary {
    double mean, p50, p95, max; /* seconds; percentiles by nearest rank */
};

/* Measures of one queue. */
struct queue_measure {
    int64_t quota_units;
    uint64_t jobs, dropped, evictions;
    /* asked: unit-seconds of all its jobs. served: unit-seconds until the end of the span, less
     * the lost ones. */
    double asked, served;
    double wait_s_sum;
};

struct list_measure {
    int64_t units;
    struct unit_integral span, window; /* window is empty if the caller asked for none */
    struct queue_measure *queues;      /* owned by this struct */
    size_t n_queues;
    struct list_samples waits, completions;
    uint64_t jobs, dropped, evictions, moves;
    double asked, lost; /* unit-seconds */
    int64_t head_wait_us;
    int64_t end_us; /* time at which the last job ended */
    /* owned; the different sizes of jobs in units, ascending; waiting_of_size has the number of
     * waiting jobs of each size */
    uint32_t *sizes;
    uint64_t *waiting_of_size;
    uint32_t *size_of_units; /* owned; index into sizes */
    size_t n_sizes;
};

/* Begins the measures. The window is from window_us[0] to window_us[1], in absolute time. */
void list_measure_begin(struct list_measure *measure, const struct job_list *list, int64_t units,
                        const int64_t window_us[2]);
void list_measure_end(struct list_measure *measure);

/* Counts a job of `units` units that begins (+1) or stops (-1) waiting. */
void list_measure_waits(struct list_measure *measure, uint32_t units, int change);
/* Adds `used` units that were held from from_us to to_us, with the units that each queue held. */
void list_measure_pass(struct list_measure *measure, int64_t from_us, int64_t to_us, int64_t used,
                       const int64_t *used_by_queue);
void list_measure_started(struct list_measure *measure, const struct listed_job *job,
                          int64_t at_us);
void list_measure_done(struct list_measure *measure, const struct listed_job *job, int64_t at_us);
void list_measure_lost(struct list_measure *measure, const struct listed_job *job, int64_t at_us,
                       int64_t lost_us);

struct list_summary list_summarize(struct list_samples *samples);
/* Return percent of all units over the span or the window; 0 if that is empty. */
double list_used_percent(const struct list_measure *measure, const struct unit_integral *of);
double list_avoidable_percent(const struct list_measure *measure, const struct unit_integral *of);
/* Returns Jain's index, (sum x)^2 / (n * sum x^2): 1 if all values are equal, 1/n if only one is
 * above 0. */
double jain_index(const double *values, size_t n);
/* Returns Jain's index of served / asked over the queues that asked for units. */
double list_jain(const struct list_measure *measure);

#endif
