/*
 * slowdowns.h -- how much slower kinds of work run beside each other on one device, from the
 * progress that jobs made alone and with a neighbour.
 *
 * This is a part of libsched_forecast (forecast.h), whose rules hold here. libsched does not use
 * it: an operator writes the numbers into the table `contention` of a policy (docs/contention.md),
 * after having looked at them. The call is a function of its arguments, keeps nothing, and does not
 * depend on the order of the samples.
 */
#ifndef LIBSCHED_SLOWDOWNS_H
#define LIBSCHED_SLOWDOWNS_H

#include <libsched/forecast.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LSCHED_FORECAST_ALONE            4294967295u /* UINT32_MAX: nobody else on the device */
#define LSCHED_FORECAST_KINDS_MAX        32          /* as many as a policy can name */
#define LSCHED_FORECAST_PROGRESS_MAX     16777216    /* samples in a call */
#define LSCHED_FORECAST_SLOWDOWN_MAX     60          /* the greatest number of a policy's table */
#define LSCHED_FORECAST_SLOWDOWN_JOBS    3           /* jobs below which a number is FEW */
#define LSCHED_FORECAST_SLOWDOWN_SECONDS 60.0        /* a shorter measurement does not count */

/* What one job did for some time, while its neighbours stayed the same. Frozen layout, no size
 * field. */
typedef struct lsched_forecast_progress {
    /* Number of the job, chosen by the caller. All samples of a job have one kind, and their rates
     * have one unit. Rates of different jobs are never compared. */
    uint32_t job;
    uint32_t kind;   /* kind of the job, below n_kinds */
    uint32_t beside; /* kind of the one other task on the device; LSCHED_FORECAST_ALONE: none */
    uint32_t reserved_zero;
    double rate;    /* progress in a second, such as training steps; 0: it stood still */
    double seconds; /* how long that was */
} lsched_forecast_progress;

typedef struct lsched_forecast_slowdown_opts {
    uint32_t size;
    uint32_t n_kinds;                  /* 1 to LSCHED_FORECAST_KINDS_MAX */
    const lsched_allocator *allocator; /* NULL: malloc */
    uint32_t quantile_ppm; /* part of the jobs that are slowed down at most so much, in millionths;
                            * 0: one half */
    uint32_t least_jobs;   /* 0: LSCHED_FORECAST_SLOWDOWN_JOBS */
    double least_seconds;  /* 0: LSCHED_FORECAST_SLOWDOWN_SECONDS */
} lsched_forecast_slowdown_opts;

enum lsched_forecast_slowdown_flag {
    LSCHED_SLOWDOWN_UNKNOWN = 1, /* no job was measured with this neighbour and comparably */
    LSCHED_SLOWDOWN_FEW = 2,     /* fewer than least_jobs were */
    /* Of these jobs none ran alone: they were compared with what they did beside other kinds, whose
     * numbers are in the table. */
    LSCHED_SLOWDOWN_INDIRECT = 4,
    LSCHED_SLOWDOWN_CUT = 8 /* it was above LSCHED_FORECAST_SLOWDOWN_MAX */
};

/* How many times as long a job of one kind takes beside one task of another kind. Frozen layout, no
 * size field. */
typedef struct lsched_forecast_slowdown {
    double slowdown; /* the least that the part of the jobs stays within; 1 if UNKNOWN */
    double low; /* the quartiles over the jobs, as measured: they can be below 1; 0 if UNKNOWN */
    double high;
    uint32_t jobs;  /* number of jobs that were measured */
    uint32_t flags; /* LSCHED_SLOWDOWN_* */
} lsched_forecast_slowdown;

typedef struct lsched_forecast_slowdown_summary {
    uint32_t size;
    uint32_t reserved_zero;
    uint64_t jobs;    /* number of jobs that have samples */
    uint64_t stalled; /* number of samples with a rate of 0, which are left out */
    uint64_t brief;   /* number of measurements below least_seconds, which are left out */
} lsched_forecast_slowdown_summary;

/* Fills `table`, which has n_kinds x n_kinds elements: element a * n_kinds + b is about a job of
 * kind a beside one of kind b. The samples of a job with one neighbour are one measurement: its
 * progress through its seconds. The slow-down of a job is its rate alone through its rate beside
 * the neighbour; the number of a pair is the quantile over the jobs, so that each job counts once,
 * however long it was watched. A job that never ran alone is compared with what it did beside
 * kinds whose numbers are known by then; the pair that most jobs measured comes first. `summary`
 * can be NULL. Errors: LSCHED_E_NULL; LSCHED_E_RANGE (a rate or a time that is NaN, infinite,
 * negative or above 2^62, seconds of 0, a kind that is not below n_kinds), LSCHED_E_INVAL (a job
 * with two kinds), LSCHED_E_LIMIT (more than LSCHED_FORECAST_PROGRESS_MAX samples), LSCHED_E_NOMEM;
 * err.index is the sample. After an error, `table` and `summary` are as before.
 * Cost: O(n log n + n x n_kinds), and 40 bytes for each sample. */
LSCHED_API int32_t lsched_forecast_slowdowns_get(const lsched_forecast_progress *samples, size_t n,
                                                 const lsched_forecast_slowdown_opts *opts,
                                                 lsched_forecast_slowdown *table,
                                                 lsched_forecast_slowdown_summary *summary,
                                                 lsched_error *err);

#ifdef __cplusplus
}
#endif

#endif
