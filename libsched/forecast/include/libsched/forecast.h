/*
 * forecast.h -- forecasts of samples that the orchestrator measures, and of the durations of jobs.
 *
 * This is an optional part with a library of its own, libsched_forecast, which needs no cluster
 * and which libsched does not use. Forecasts are numbers that an orchestrator may pass to the
 * scheduler as estimates; no plan depends on a forecast that was not passed. docs/forecasts.md
 * names the published source of each method, and says when to use which number.
 *
 * The rules of libsched.h for errors, structs, texts, batches and threads hold here, too. Nothing
 * here reads a clock: each call that needs the time gets it. Values are in any unit, such as
 * milli-GPUs or bytes, from 0 to 2^62. Equal calls give equal results on every machine and with
 * every compiler.
 *
 * Time is cut into slots. The value of a slot is its greatest sample, so that the order of samples
 * in a slot, and samples that come twice, change nothing. A slot closes when a sample of a later
 * slot comes, or when lsched_forecast_advance() is told the time. It does not open again: a late
 * sample is counted and otherwise ignored. A slot without samples is a gap: it is not zero, and
 * nothing is learned from it.
 */
#ifndef LIBSCHED_FORECAST_H
#define LIBSCHED_FORECAST_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LSCHED_FORECAST_HORIZONS    4
#define LSCHED_FORECAST_BYTES_MAX   3072 /* memory of a series, and size of its image */
#define LSCHED_FORECAST_SLOTS_MAX   4096 /* slots in the longest horizon */
#define LSCHED_FORECAST_SLOT_US_MIN 1000000
#define LSCHED_FORECAST_SLOT_US_MAX 3600000000

typedef struct lsched_forecast_series lsched_forecast_series;

/* The methods that a series chooses from, for each horizon. The first five estimate the expected
 * value; all can be the base of the upper bound. */
enum lsched_forecast_expert {
    LSCHED_FORECAST_LAST = 0,  /* the latest value */
    LSCHED_FORECAST_EWMA = 1,  /* exponentially weighted mean */
    LSCHED_FORECAST_DAY = 2,   /* the value of one day before */
    LSCHED_FORECAST_WEEK = 3,  /* the value of one week before, in parts of two hours */
    LSCHED_FORECAST_TREND = 4, /* additive Holt-Winters, damped trend, season of 24 hours */
    LSCHED_FORECAST_HIST = 5,  /* 0.95 quantile of the decayed histogram of all values */
    LSCHED_FORECAST_PEAK = 6,  /* greatest value of the latest 24 to 25 hours */
    LSCHED_FORECAST_SIGMA = 7  /* mean + `sigmas` standard deviations */
};
#define LSCHED_FORECAST_EXPERTS 8

typedef struct lsched_forecast_opts {
    uint32_t size;
    uint32_t reserved_zero;
    /* NULL: malloc. The struct is copied; its `user` must outlive the series */
    const lsched_allocator *allocator;
    int64_t slot_us; /* length of a slot, 1 second to 1 hour; 0: 10 minutes */
    /* how far the forecasts reach, ascending, rounded up to slots; the first one 0: 1 slot, 1
     * hour, 6 hours, 24 hours (at least one slot more than the one before) */
    int64_t horizons_us[LSCHED_FORECAST_HORIZONS];
    /* What was requested, in the unit of the samples; 0: unknown. A new series is forecast to need
     * this. With n closed slots, its own forecast has the weight n / (n + 12). */
    double request;
    int64_t ewma_half_life_us; /* of EWMA; 0: two slots */
    int64_t hist_half_life_us; /* of the decayed histogram; 0: 24 hours */
    double sigmas;             /* N of SIGMA; 0: 3 */
} lsched_forecast_opts;

/* Creates a series. Later calls allocate nothing. opts can be NULL. The caller frees *out with
 * lsched_forecast_destroy(). */
LSCHED_API int32_t lsched_forecast_create(const lsched_forecast_opts *opts,
                                          lsched_forecast_series **out, lsched_error *err);
LSCHED_API void lsched_forecast_destroy(lsched_forecast_series *series); /* NULL is allowed */
/* Copies a series. If *inout is NULL, it becomes a new series with the same allocator, otherwise
 * its state is replaced and nothing is allocated. */
LSCHED_API int32_t lsched_forecast_clone(const lsched_forecast_series *series,
                                         lsched_forecast_series **inout, lsched_error *err);

/* Writes the image of a series to `bytes`. Returns the number of bytes of the image, at most
 * LSCHED_FORECAST_BYTES_MAX; LSCHED_E_LIMIT and no byte written if `capacity` is less. */
LSCHED_API int32_t lsched_forecast_save(const lsched_forecast_series *series, void *bytes,
                                        size_t capacity, lsched_error *err);
/* Makes a series from an image. LSCHED_E_VERSION: an image of another version, or not an image.
 * LSCHED_E_CORRUPT: damaged bytes. allocator can be NULL: malloc. */
LSCHED_API int32_t lsched_forecast_load(const lsched_allocator *allocator, const void *bytes,
                                        size_t n, lsched_forecast_series **out, lsched_error *err);

/* A sample. Frozen layout, no size field. */
typedef struct lsched_forecast_sample {
    int64_t at_us; /* microseconds since 1970 UTC, not negative */
    double value;
} lsched_forecast_sample;

/* Adds samples in any order. now_us is the present time: a sample after it is LSCHED_E_TIME, so
 * that a wrong clock cannot move the series into the future. LSCHED_NEVER_US: the time is not
 * checked. A value that is NaN, infinite, negative or above 2^62 is LSCHED_E_RANGE; a time before
 * 1970 or above 2^61 is LSCHED_E_RANGE. IDEMPOTENT: a late sample has the status LSCHED_UNCHANGED;
 * without it, too, a late sample is ignored and counted (lsched_forecast_info.late). Returns the
 * number of samples that were accepted, with the late ones. Cost: O(1) for a sample, and about 1
 * us for a slot that closes. */
LSCHED_API int32_t lsched_forecast_samples_add(lsched_forecast_series *series, int64_t now_us,
                                               const lsched_forecast_sample *samples, size_t n,
                                               size_t elem_size, const lsched_batch_opts *opts,
                                               int32_t *status, lsched_error *err);
/* Tells the time: all slots that ended at or before now_us are closed. A time before the open slot
 * changes nothing. */
LSCHED_API int32_t lsched_forecast_advance(lsched_forecast_series *series, int64_t now_us,
                                           lsched_error *err);

/* The forecast for one horizon. Frozen layout, no size field. */
typedef struct lsched_forecast_point {
    double expected;         /* of the value of the slot */
    double upper;            /* the value of the slot is at most this, with the stated quantile */
    int64_t horizon_us;      /* as in the options, in whole slots */
    uint32_t expected_by;    /* LSCHED_FORECAST_*, the method behind `expected` */
    uint32_t upper_by;       /* the method behind `upper`, to which residuals are added */
    uint32_t judged;         /* earlier forecasts that were compared with what came */
    uint32_t confidence_ppm; /* weight of the series against the request, of 1000000 */
} lsched_forecast_point;

enum lsched_forecast_flag {
    LSCHED_FORECAST_EMPTY = 1, /* no slot has closed: the request is all that is known */
    /* There were no samples for so long that the longest horizon does not reach beyond now.
     * `upper` is then at least the request and the greatest value of the last day with samples.
     * */
    LSCHED_FORECAST_STALE = 2
};

typedef struct lsched_forecast {
    uint32_t size;
    uint32_t flags;  /* LSCHED_FORECAST_EMPTY, LSCHED_FORECAST_STALE */
    int64_t last_us; /* end of the latest closed slot with a sample; LSCHED_NEVER_US: none */
    lsched_forecast_point points[LSCHED_FORECAST_HORIZONS];
} lsched_forecast;

/* Forecasts all horizons. A horizon of h slots is the h-th slot from the one that contains now_us,
 * which counts as the first; at the start of a slot it thus ends h slots later. `quantile` is from
 * 0.5 to 0.999: the part of such forecasts whose `upper` should hold, measured over time. A time
 * before the latest closed slot counts as its end. Changes nothing; allocates nothing. */
LSCHED_API int32_t lsched_forecast_get(const lsched_forecast_series *series, int64_t now_us,
                                       double quantile, lsched_forecast *out, lsched_error *err);

typedef struct lsched_forecast_info {
    uint32_t size;
    uint32_t bytes;   /* memory of the series, at most LSCHED_FORECAST_BYTES_MAX */
    uint64_t samples; /* samples that were accepted in time */
    uint64_t late;    /* samples for slots that had closed */
    uint64_t slots;   /* closed slots with a value */
    uint64_t gaps;    /* closed slots without a sample */
    int64_t slot_us;
    double request;
    double peak; /* greatest value of all closed slots */
} lsched_forecast_info;
LSCHED_API int32_t lsched_forecast_info_get(const lsched_forecast_series *series,
                                            lsched_forecast_info *out, lsched_error *err);

/* Says what is requested from now on; 0: unknown. */
LSCHED_API int32_t lsched_forecast_request_set(lsched_forecast_series *series, double request,
                                               lsched_error *err);
/* Returns the word of a method, such as "last"; NULL for another number. */
LSCHED_API const char *lsched_forecast_expert_name(uint32_t expert);

/* ---- durations of jobs ---- */

/* What the runs of users took. A prediction is the mean of the latest two runs of the same user,
 * at most the requested duration, and is raised when a job outruns it (Tsafrir, Etsion,
 * Feitelson, "Backfilling using system-generated predictions rather than user runtime estimates",
 * IEEE TPDS 18, 2007). */
typedef struct lsched_forecast_durations lsched_forecast_durations;

#define LSCHED_FORECAST_USERS_DEFAULT 4096u
#define LSCHED_FORECAST_USERS_MAX     16777216u
typedef struct lsched_forecast_durations_opts {
    uint32_t size;
    /* Users that are remembered; 0: LSCHED_FORECAST_USERS_DEFAULT. When another comes, the user
     * whose latest run was reported first is forgotten. A user needs about 56 bytes. */
    uint32_t users_max;
    const lsched_allocator *allocator; /* as in lsched_forecast_opts */
} lsched_forecast_durations_opts;

/* Creates an empty table; later calls allocate nothing. opts can be NULL. */
LSCHED_API int32_t lsched_forecast_durations_create(const lsched_forecast_durations_opts *opts,
                                                    lsched_forecast_durations **out,
                                                    lsched_error *err);
LSCHED_API void lsched_forecast_durations_destroy(lsched_forecast_durations *durations);
/* Copies a table. If *inout is NULL, it becomes a new table with the same allocator and the same
 * number of users; otherwise its users are replaced and nothing is allocated. If *inout remembers
 * fewer users, those whose latest run was reported first are left out. Cost: O(users). */
LSCHED_API int32_t lsched_forecast_durations_clone(const lsched_forecast_durations *durations,
                                                   lsched_forecast_durations **inout,
                                                   lsched_error *err);
/* Writes the image of a table to `bytes`. Returns the number of bytes of the image: 24, and 32 for
 * each user. LSCHED_E_LIMIT and no byte written if `capacity` is less. With NULL as `bytes` and 0
 * as `capacity`, the call writes nothing and returns the number. Names of users are not in the
 * image. Cost: O(users). */
LSCHED_API int32_t lsched_forecast_durations_save(const lsched_forecast_durations *durations,
                                                  void *bytes, size_t capacity, lsched_error *err);
/* Makes a table from an image. opts can be NULL; its users_max decides how many users the table
 * remembers, not the image: of a larger image, the users whose latest run was reported first are
 * left out. LSCHED_E_VERSION: an image of another version, or not an image. LSCHED_E_CORRUPT:
 * damaged bytes. Cost: O(users). */
LSCHED_API int32_t lsched_forecast_durations_load(const lsched_forecast_durations_opts *opts,
                                                  const void *bytes, size_t n,
                                                  lsched_forecast_durations **out,
                                                  lsched_error *err);
/* Reports that a job of the user has ended after ran_us of running, 0 to 2^61. `user` is a name
 * of 1 to 255 bytes; the orchestrator chooses what counts as a user, such as the user and the job
 * kind in one text. Cost: O(length of the name). */
LSCHED_API int32_t lsched_forecast_duration_add(lsched_forecast_durations *durations,
                                                lsched_text user, int64_t ran_us,
                                                lsched_error *err);
/* Writes the predicted duration of a job, from its start to its end, to *out. requested_us: the
 * duration that was requested, which the prediction does not exceed; LSCHED_NEVER_US: none.
 * ran_us: how long the job has run already; 0: it has not started. Without a run of the user, the
 * prediction is the request. If the job has outrun the prediction, the result is the prediction
 * plus the first of 1, 5, 15, 30 minutes, 1, 2, 5, 10, 20, 50, 100 hours and then each further
 * 100 hours that is above ran_us, again at most the request; at or past its request, a job is
 * expected to end 1 minute from now. Changes nothing. Cost: O(length of the name). */
LSCHED_API int32_t lsched_forecast_duration_get(const lsched_forecast_durations *durations,
                                                lsched_text user, int64_t requested_us,
                                                int64_t ran_us, int64_t *out, lsched_error *err);

#ifdef __cplusplus
}
#endif
#endif
