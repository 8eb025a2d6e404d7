/*
 * list_measure.h -- what a replay of a list of jobs is judged by: integrals over virtual time,
 * and samples of jobs.
 *
 * Only the report comes from here, no decision: so this is floating point.
 *
 *   idle            units that nobody holds
 *   avoidable idle  of these, what jobs that wait could fill: the smaller of the free units and the
 *                   sum of the units of all waiting jobs that ask for at most that many. Counted
 *                   over the whole cluster, as if it were one machine: so it is an upper bound, and
 *                   fragmentation, limits and the order of a queue all show in it
 *   span            from the first to the last submission of the list. What comes after is the
 *                   emptying of a cluster that gets no more work
 */
#ifndef LSCHED_CLI_LIST_MEASURE_H
#define LSCHED_CLI_LIST_MEASURE_H

#include <stdbool.h>

#include "cli/traces/job_list.h"

struct unit_integral {
    int64_t from_us, to_us;
    double used, avoidable; /* unit-seconds between them */
};

struct list_samples {
    double *seconds; /* owned; unsorted until summed up */
    size_t n;
};

struct list_summary {
    double mean, p50, p95, max; /* seconds; percentiles by nearest rank */
};

/* What one queue got. */
struct queue_measure {
    int64_t quota_units;
    uint64_t jobs, dropped, evictions;
    double asked,
        served; /* unit-seconds: of all jobs; until the end of the span, less what was lost
                           */
    double wait_s_sum;
};

struct list_measure {
    int64_t units;
    struct unit_integral span, window; /* window: empty if none was asked for */
    struct queue_measure *queues;      /* owned */
    size_t n_queues;
    struct list_samples waits, completions;
    uint64_t jobs, dropped, evictions, moves;
    double asked, lost; /* unit-seconds */
    int64_t head_wait_us;
    int64_t end_us; /* when the last job was done */
    /* waiting jobs by the units that they ask for */
    uint32_t *sizes; /* owned; ascending */
    uint64_t *waiting_of_size;
    uint32_t *size_of_units; /* owned; index into sizes */
    size_t n_sizes;
};

/* window_us: [0] to [1] in absolute time. */
void list_measure_begin(struct list_measure *measure, const struct job_list *list, int64_t units,
                        const int64_t window_us[2]);
void list_measure_end(struct list_measure *measure);

/* A job begins (+1) or ceases (-1) to wait. */
void list_measure_waits(struct list_measure *measure, uint32_t units, int change);
/* `used` units were held from from_us to to_us, by these queues. */
void list_measure_pass(struct list_measure *measure, int64_t from_us, int64_t to_us, int64_t used,
                       const int64_t *used_by_queue);
void list_measure_started(struct list_measure *measure, const struct listed_job *job,
                          int64_t at_us);
void list_measure_done(struct list_measure *measure, const struct listed_job *job, int64_t at_us);
void list_measure_lost(struct list_measure *measure, const struct listed_job *job, int64_t at_us,
                       int64_t lost_us);

struct list_summary list_summarize(struct list_samples *samples);
/* In percent of the units of the span or window; 0 for an empty one. */
double list_used_percent(const struct list_measure *measure, const struct unit_integral *of);
double list_avoidable_percent(const struct list_measure *measure, const struct unit_integral *of);
/* Jain's index, (sum x)^2 / (n * sum x^2): 1 if all are equal, 1/n if one has everything. */
double jain_index(const double *values, size_t n);
/* That of served / asked over the queues that asked for something. */
double list_jain(const struct list_measure *measure);

#endif
