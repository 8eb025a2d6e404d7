/*
 * forecast_trial.h -- forecasts at each slot of past series, compared with what came: a trial
 * with a rolling origin.
 *
 * A series is played sample by sample, in the order of time. At the end of each slot it is
 * asked for all horizons; what it says depends on no later sample. Only forecasts from the test
 * part on, whose target is known, count. MASE (Hyndman, Koehler 2006) and pinball loss are
 * divided by the mean absolute difference to the season before in the training part, and are
 * means over series; so is coverage. The realised risk is the part of all targets above the
 * bound. Its interval is a bootstrap over blocks of series (Kuensch 1989): 2.5 % and 97.5 % of
 * 400 draws with a fixed seed.
 *
 * Targets that equal the bound are counted apart. A bound is a right quantile of such values if
 * the stated risk lies between the part above the bound, and the part above or at it.
 */
#ifndef LSCHED_CLI_FORECAST_TRIAL_H
#define LSCHED_CLI_FORECAST_TRIAL_H

#include "cli/forecast/forecast_samples.h"

enum { QUANTILES_MAX = 8 };

struct trial_opts {
    lsched_forecast_opts series;
    double quantiles[QUANTILES_MAX];
    size_t n_quantiles;
    int64_t season_us;
    int64_t test_ppm; /* where the test part begins, in millionths of the series */
};

/* misses among the targets of one block of one series */
struct block {
    uint32_t targets, misses[QUANTILES_MAX];
};

struct horizon_score {
    int64_t horizon_us;
    uint64_t targets, misses[QUANTILES_MAX], equal[QUANTILES_MAX];
    uint64_t scaled; /* series with targets and a scale that is not 0: those of the means */
    double mase, pinball[QUANTILES_MAX], coverage[QUANTILES_MAX]; /* sums over series */
    double low[QUANTILES_MAX], high[QUANTILES_MAX];               /* of realised over stated risk */
    struct block *blocks;                                         /* owned */
    size_t n_blocks, capacity;
};

struct trial {
    struct trial_opts opts;
    struct horizon_score scores[LSCHED_FORECAST_HORIZONS];
    uint64_t series;
    uint64_t samples, late, gaps, slots;
};

void trial_begin(struct trial *trial, const struct trial_opts *opts);
/* Plays a series, and writes what it says at its end to *last, one for each quantile. Returns an
 * exit code. */
int trial_play(struct trial *trial, const struct sample_series *series, lsched_forecast *last);
void trial_end(struct trial *trial); /* computes the intervals */
void trial_free(struct trial *trial);
/* Realised over stated risk of quantile q. */
double trial_ratio(const struct trial *trial, const struct horizon_score *score, size_t q);
/* The same if targets that equal the bound count as above it. */
double trial_ratio_with_equal(const struct trial *trial, const struct horizon_score *score,
                              size_t q);

#endif
