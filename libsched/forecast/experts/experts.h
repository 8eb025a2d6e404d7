/*
 * experts.h -- the forecasters of one series. Each learns from the value of each closed slot, and
 * says a value for a later slot.
 *
 *   LAST    the latest value
 *   EWMA    exponentially weighted mean (Brown 1959; Holt 1957)
 *   DAY     the value of one day before (season_ring.h)
 *   WEEK    the value of one week before, in parts of two hours
 *   TREND   additive Holt-Winters with a damped trend and a season of 24 hours (Winters 1960;
 *           Gardner, McKenzie 1985)
 *   HIST    the 0.95 quantile of a decayed histogram (log_hist.h)
 *   PEAK    the greatest value of the latest 24 to 25 hours
 *   SIGMA   mean + N standard deviations, both exponentially weighted (Bashir et al., "Take it to
 *           the limit", EuroSys 2021; West 1979 for the update)
 *
 * The first five estimate a middle, the others an upper bound. What always holds: every member is
 * finite and not negative, but for the trend and its season, which are finite. Only + - * /
 * and the functions of base/fixed.h are used, whose results have the same bits everywhere. Cost:
 * learn() O(1) amortised; one value O(1), HIST O(buckets) once for a slot.
 */
#ifndef LIBSCHED_FORECAST_EXPERTS_H
#define LIBSCHED_FORECAST_EXPERTS_H

#include <stdint.h>

#include "forecast/numbers/log_hist.h"

enum expert {
    EXPERT_LAST,
    EXPERT_EWMA,
    EXPERT_DAY,
    EXPERT_WEEK,
    EXPERT_TREND,
    EXPERT_HIST,
    EXPERT_PEAK,
    EXPERT_SIGMA,
    EXPERTS,
    EXPERTS_MORE = EXPERTS - 1,  /* all but LAST */
    EXPERT_MIDDLES = EXPERT_HIST /* the first ones estimate a middle */
};
enum { DAY_CELLS = 144, WEEK_CELLS = 84, HOURS = 24, VALUE_BUCKETS = 96 };

struct experts {
    int64_t day_cell_us, day_latest, week_latest;
    int64_t peak_hour; /* number of the hour of the latest value since 1970; -1: none */
    float last, ewma, mean, variance, level, trend;
    float ewma_keep, moment_keep; /* part that stays after one slot */
    float sigmas;
    int32_t hist_top;
    uint32_t hist_total, hist_weight; /* weight of one value */
    uint32_t hist_half, hist_age;     /* half-life in slots, and slots since the latest halving */
    uint32_t day_cells;
    uint16_t hist[VALUE_BUCKETS + 1]; /* [0]: zero */
    uint16_t day[DAY_CELLS], week[WEEK_CELLS];
    float season[HOURS], peaks[HOURS];
};

struct experts_opts {
    int64_t slot_us;
    double ewma_slots, hist_slots, moment_slots, sigmas; /* half-lives, in slots */
};

void experts_begin(struct experts *e, const struct experts_opts *opts);
/* Learns the value of the slot that begins at `at_us`, after any number of slots without a value.
 * `first` is true for the first value of the series. */
void experts_learn(struct experts *e, int64_t at_us, double value, int first);
/* What all horizons have in common: the values of LAST, EWMA, HIST, PEAK and SIGMA. */
void experts_common(const struct experts *e, double out[EXPERTS]);
/* The values for a slot that begins at `at_us`; out has the common values. `damp` is the sum of the
 * powers of EXPERT_DAMP from 1 to the number of slots. */
void experts_at(const struct experts *e, int64_t at_us, double damp, double out[EXPERTS]);

#define EXPERT_DAMP 0.98

#endif
