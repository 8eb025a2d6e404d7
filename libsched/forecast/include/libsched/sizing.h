/*
 * sizing.h -- right-sizing: from measured use to the smallest size that is enough, the way to
 * share a device, and the best static MIG layout for a mix of sizes.
 *
 * This is a part of libsched_forecast (forecast.h), whose rules hold here. libsched does not use
 * it, and no plan depends on it. Each call is a function of its arguments: it keeps nothing, and
 * reads no clock. What an orchestrator must keep between two calls is the struct
 * lsched_forecast_advice. docs/right-sizing.md explains the rules and says what was measured.
 */
#ifndef LIBSCHED_SIZING_H
#define LIBSCHED_SIZING_H

#include <libsched/devices.h>
#include <libsched/forecast.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a job needs ---- */

#define LSCHED_FORECAST_RISK_PPM     10000  /* the risk unless options name another: 1 % */
#define LSCHED_FORECAST_RISK_PPM_MAX 500000 /* the greatest risk: one half */
#define LSCHED_FORECAST_SAMPLES_MAX  16777216

enum lsched_forecast_need_opt {
    /* Each sample is the need of one whole run, such as its peak, and the risk is the part of the
     * runs that need more. Otherwise the samples are of one job, and the risk is the part of the
     * slots that need more. */
    LSCHED_NEED_OF_RUNS = 1,
    /* A sample of 0 is no measurement: a process that holds a device always uses some memory. */
    LSCHED_NEED_ZERO_IS_GAP = 2
};

typedef struct lsched_forecast_need_opts {
    uint32_t size;
    uint32_t flags;                    /* LSCHED_NEED_OF_RUNS, LSCHED_NEED_ZERO_IS_GAP */
    const lsched_allocator *allocator; /* NULL: malloc */
    uint32_t risk_ppm;                 /* in millionths; 0: LSCHED_FORECAST_RISK_PPM */
    uint32_t reserved_zero;
    int64_t slot_us;   /* the value of a slot is its greatest sample; 0: 10 minutes */
    int64_t window_us; /* older samples are left out, in microseconds; 0: 14 days */
    int64_t recent_us; /* the latest part of the window, which is judged alone, too; 0: 24 hours */
    int64_t stale_us;  /* without a sample for so long, the need is stale; 0: 2 hours */
    double request;    /* what was requested, in the unit of the samples; 0: unknown */
    double capacity;   /* what the job has, beyond which nothing can be measured; 0: unknown */
} lsched_forecast_need_opts;

enum lsched_forecast_need_flag {
    /* There are too few observations for the risk: fewer than 1 / risk - 1. `upper` is the greatest
     * of them, and at least the request. */
    LSCHED_NEED_FEW = 1,
    LSCHED_NEED_STALE = 2,  /* the latest sample is older than stale_us */
    LSCHED_NEED_SILENT = 4, /* all samples of the recent part are 0: idle, or a dead sensor */
    /* The bound is within 2 % of the capacity: the job may need more than can be measured. */
    LSCHED_NEED_AT_CAPACITY = 8,
    LSCHED_NEED_BY_RUN = 16 /* the observations are runs, not slots */
};

/* What a job needs of one resource. */
typedef struct lsched_forecast_need {
    uint32_t size;
    uint32_t flags; /* LSCHED_NEED_* */
    /* The next observation is at most this, but for the risk. It is the greater one of two bounds,
     * of the window and of its recent part. */
    double upper;
    double quantile;     /* the empirical quantile at 1 - risk, in the window */
    double peak;         /* the greatest sample in the window */
    uint32_t risk_ppm;   /* the risk that was asked for */
    uint32_t kept_ppm;   /* the risk that the observations prove; above risk_ppm if they are FEW */
    uint64_t observed;   /* number of observations in the window: slots, or runs */
    uint64_t left_out;   /* number of samples before the window, and of zeros that are gaps */
    uint64_t duplicates; /* number of samples that repeat the time and value of another one */
    int64_t first_us;    /* the earliest sample in the window; LSCHED_NEVER_US: there is none */
    int64_t last_us;     /* the latest sample in the window; LSCHED_NEVER_US: there is none */
} lsched_forecast_need;

/* Derives a need from samples in any order. now_us is the present time: a sample after it is
 * LSCHED_E_TIME. LSCHED_NEVER_US: the time of the latest sample. A value that is NaN, infinite,
 * negative or above 2^62, and a time before 1970 are LSCHED_E_RANGE. A sample twice counts once.
 * Without samples, `upper` is the request. opts can be NULL. `upper` is an order statistic: with
 * n observations that are exchangeable with the next one, the next one is above the m-th
 * greatest of them with the probability m / (n + 1) at most, and m is the greatest number for
 * which this is at most the risk. Equal samples with LSCHED_NEED_OF_RUNS are different runs.
 * Errors: LSCHED_E_RANGE, LSCHED_E_TIME, LSCHED_E_LIMIT (too many samples), LSCHED_E_NOMEM.
 * Cost: O(n log n). */
LSCHED_API int32_t lsched_forecast_need_get(const lsched_forecast_sample *samples, size_t n,
                                            int64_t now_us, const lsched_forecast_need_opts *opts,
                                            lsched_forecast_need *out, lsched_error *err);
/* Writes the evidence for a need, such as "peak 31.2 GiB in 14 days, p99 29.8, bound 30.1 from
 * 2016 slots", as a NUL-terminated text of at most `capacity` bytes. per_unit: how much of the
 * samples' unit is one `unit`. Returns the length of the text; LSCHED_E_LIMIT and no byte
 * written if there is no room; LSCHED_E_RANGE: per_unit is not above 0. 256 bytes are always
 * enough. */
LSCHED_API int32_t lsched_forecast_need_text(const lsched_forecast_need *need, lsched_text unit,
                                             double per_unit, char *out, size_t capacity,
                                             lsched_error *err);

/* ---- which size is enough ---- */

/* A size that a job can have, such as a MIG profile. Frozen layout, no size field. */
typedef struct lsched_forecast_size {
    lsched_text name;
    double memory;  /* in the unit of the need of memory */
    double compute; /* in the unit of the need of compute, such as streaming multiprocessors */
    uint32_t milli; /* what it costs: its charge in thousandths of a device */
    uint32_t reserved_zero;
} lsched_forecast_size;

#define LSCHED_FORECAST_NO_SIZE   4294967295u /* UINT32_MAX: no size is enough */
#define LSCHED_FORECAST_SIZES_MAX 4096

typedef struct lsched_forecast_fit {
    uint32_t size;
    uint32_t index;   /* the cheapest size that is enough, the first of equals; or NO_SIZE */
    uint64_t milli;   /* the least share in thousandths of a device; above 1000: several devices */
    uint64_t devices; /* the least number of whole devices */
} lsched_forecast_fit;

/* Finds the least sizes that hold both needs; one of the needs can be NULL: it is not considered.
 * `device` is a whole device; NULL: `milli` and `devices` are 0. LSCHED_E_RANGE: a number of a size
 * is NaN, infinite or negative, or a need is of a resource of which the device has none.
 * LSCHED_E_LIMIT: too many sizes. Allocates nothing. */
LSCHED_API int32_t lsched_forecast_fit_get(const lsched_forecast_need *memory,
                                           const lsched_forecast_need *compute,
                                           const lsched_forecast_size *sizes, size_t n,
                                           const lsched_forecast_size *device,
                                           lsched_forecast_fit *out, lsched_error *err);

/* ---- advice that does not flap ---- */

enum lsched_forecast_reason {
    LSCHED_ADVICE_FITS = 0,     /* kept: it is the least size that is enough */
    LSCHED_ADVICE_GROWN = 1,    /* changed: the size was not enough */
    LSCHED_ADVICE_SHRUNK = 2,   /* changed: a cheaper size is enough */
    LSCHED_ADVICE_LATELY = 3,   /* kept: it was changed within the last 24 hours */
    LSCHED_ADVICE_FEW = 4,      /* kept: too few observations */
    LSCHED_ADVICE_STALE = 5,    /* kept: no samples of late */
    LSCHED_ADVICE_SILENT = 6,   /* kept: all late samples are 0 */
    LSCHED_ADVICE_CAPACITY = 7, /* kept: the job uses all it has, and nothing more can be given */
    LSCHED_ADVICE_MARGIN = 8,   /* kept: the cheaper size is enough, but by less than 5 % */
    LSCHED_ADVICE_NONE = 9      /* kept: no size is enough */
};

/* The size that is advised for a job now. The orchestrator keeps it between the calls. A new one:
 * `index` is the size that the job has, `before` is LSCHED_FORECAST_NO_SIZE, and both times are
 * LSCHED_NEVER_US. Frozen layout, no size field. */
typedef struct lsched_forecast_advice {
    uint32_t index;
    uint32_t before;       /* the size from which the latest change shrank; otherwise NO_SIZE */
    int64_t changed_us[2]; /* the times of the latest two changes, the latest first */
} lsched_forecast_advice;

/* Brings the advice up to date. Returns an LSCHED_ADVICE_* number. Advice changes at most twice in
 * any 24 hours, and shrinks at most once. It grows as soon as the size is not enough; within 24
 * hours after it shrank, at least to the size from which it shrank. It does not shrink while a need
 * is few, stale, silent or at its capacity, and after the first change only if the smaller size is
 * enough with 5 % to spare. LSCHED_E_RANGE: the index is not of a size, or a number is not valid;
 * otherwise the errors of lsched_forecast_fit_get(). */
LSCHED_API int32_t lsched_forecast_advise(lsched_forecast_advice *advice, int64_t now_us,
                                          const lsched_forecast_need *memory,
                                          const lsched_forecast_need *compute,
                                          const lsched_forecast_size *sizes, size_t n,
                                          lsched_error *err);
/* Returns the word of a reason, such as "grown"; NULL for another number. */
LSCHED_API const char *lsched_forecast_reason_name(uint32_t reason);

/* ---- how to share a device ---- */

enum lsched_forecast_mode {
    LSCHED_MODE_WHOLE = 0,      /* the device alone */
    LSCHED_MODE_MIG = 1,        /* an instance of a static layout */
    LSCHED_MODE_COUNTERS = 2,   /* an instance that DRA cuts on demand, by shared counters */
    LSCHED_MODE_MPS = 3,        /* a share that runs at the same time as others */
    LSCHED_MODE_TIME_SLICE = 4, /* a share that takes turns */
    LSCHED_MODES = 5
};

typedef struct lsched_forecast_mode_query {
    uint32_t size;
    uint32_t can;         /* bit i: the devices can be shared in mode i; WHOLE is always possible */
    uint32_t isolation;   /* LSCHED_ISOLATE_*: what the job requires */
    uint32_t timed;       /* 1: somebody waits for each answer of the job */
    uint32_t share_milli; /* the need: lsched_forecast_fit.milli */
    uint32_t instance_milli; /* charge of the least MIG profile that is enough; 0: there is none */
    uint32_t busy_milli;     /* compute that the job uses on average, in thousandths of a device */
    uint32_t starts_per_day; /* number of tasks that start on such a device in a day */
} lsched_forecast_mode_query;

typedef struct lsched_forecast_mode_answer {
    uint32_t size;
    uint32_t mode; /* LSCHED_MODE_* */
    uint32_t rule; /* the number of the rule in docs/right-sizing.md */
    uint32_t reserved_zero;
    const char *text; /* the rule in words; static */
} lsched_forecast_mode_answer;

/* Chooses the mode by the first rule that applies. LSCHED_E_RANGE: a number has no meaning.
 * Allocates nothing. */
LSCHED_API int32_t lsched_forecast_mode_get(const lsched_forecast_mode_query *query,
                                            lsched_forecast_mode_answer *out, lsched_error *err);
/* Returns the word of a mode, such as "mig"; NULL for another number. */
LSCHED_API const char *lsched_forecast_mode_name(uint32_t mode);

/* ---- the best static MIG layout ---- */

#define LSCHED_FORECAST_LAYOUT_PROFILES 8
#define LSCHED_FORECAST_LAYOUT_DEVICES  65536

/* Equal devices and what is wanted of them. */
typedef struct lsched_forecast_layout_query {
    uint32_t size;
    uint32_t n_devices; /* at most LSCHED_FORECAST_LAYOUT_DEVICES */
    /* the profiles of one MIG table, as lsched_mig_profiles_at() writes them, in that order */
    const lsched_mig_profile *profiles;
    size_t n_profiles; /* at most LSCHED_FORECAST_LAYOUT_PROFILES */
    /* wanted[p]: how many instances of profile p are in use at the same time; 0 for a profile with
     * media engines, which layouts do not have */
    const uint32_t *wanted;
    const lsched_allocator *allocator; /* NULL: malloc */
} lsched_forecast_layout_query;

/* A number of devices with the same instances. Frozen layout, no size field. */
typedef struct lsched_forecast_layout_row {
    uint32_t devices;
    uint32_t instances[LSCHED_FORECAST_LAYOUT_PROFILES]; /* number of instances of each profile */
    uint32_t reserved_zero;
} lsched_forecast_layout_row;

typedef struct lsched_forecast_layout {
    uint32_t size;
    uint32_t exact;        /* 1: no layout serves more; 0: too large for the search, see `bound` */
    uint32_t n_rows;       /* number of different devices that are cut, also if rows has no room */
    uint32_t free_devices; /* number of devices that are not needed and stay whole */
    uint64_t served_milli; /* sum of the charges of the wanted instances that the layout has */
    uint64_t bound_milli;  /* no layout serves more than this; if `exact`, equal to served_milli */
    uint64_t wanted_milli; /* sum of the charges of all wanted instances */
    uint32_t served[LSCHED_FORECAST_LAYOUT_PROFILES]; /* number of served instances by profile */
} lsched_forecast_layout;

/* Finds a static layout that serves the most, measured by the charges of the instances, and
 * among those one that needs the fewest devices. Writes at most `capacity` rows. Within 2^20
 * combinations of wanted instances (wanted + 1 of each profile, multiplied) the answer is exact.
 * A larger pool is searched in equal parts, each exact. LSCHED_E_RANGE: a number is out of its
 * range, or a profile is not valid. LSCHED_E_INVAL: a profile with media engines is wanted.
 * LSCHED_E_NOMEM. Cost: O(40 x combinations) for each part that differs. */
LSCHED_API int32_t lsched_forecast_layout_get(const lsched_forecast_layout_query *query,
                                              lsched_forecast_layout_row *rows, size_t capacity,
                                              lsched_forecast_layout *out, lsched_error *err);

#ifdef __cplusplus
}
#endif
#endif
