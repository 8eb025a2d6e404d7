/* forecast_trial.c -- see forecast_trial.h. */
#include "cli/forecast/forecast_trial.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"
#include "cli/support/prng.h"

#define SLOTS_MAX ((int64_t)1 << 24)
/* slots that are no matter, and how many there can be for each sample beyond them: a series of gaps
 * would be stepped through for minutes */
#define SLOTS_FREE   ((int64_t)1 << 20)
#define SAMPLE_SLOTS 16
#define PPM          1000000
enum { DRAWS = 400, BLOCK_SLOTS_MIN = 12 };

/* One series while it is played. */
struct play {
    lsched_forecast_series *series;
    double *truth; /* by slot; below 0: no sample */
    float *said;   /* [slot][horizon][1 + quantiles]: at the begin of the slot */
    int64_t slot_us, first, n;
    size_t n_said; /* numbers for one slot and horizon */
};

void trial_begin(struct trial *trial, const struct trial_opts *opts) {
    memset(trial, 0, sizeof *trial);
    trial->opts = *opts;
}

static float *said_at(const struct play *play, int64_t slot, size_t horizon) {
    return play->said + ((size_t)slot * LSCHED_FORECAST_HORIZONS + horizon) * play->n_said;
}

static int play_open(const struct trial *trial, const struct sample_series *series,
                     struct play *play) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_forecast_info info = LSCHED_INIT(lsched_forecast_info);
    int64_t last = 0;
    *play = (struct play){.first = INT64_MAX, .n_said = 1 + trial->opts.n_quantiles};
    if (lsched_forecast_create(&trial->opts.series, &play->series, &err) < 0 ||
        lsched_forecast_info_get(play->series, &info, &err) < 0) {
        complain("%s", err.message);
        return EXIT_INPUT;
    }
    play->slot_us = info.slot_us;
    for (size_t i = 0; i < series->n; i++) {
        int64_t slot = series->samples[i].sample.at_us / play->slot_us;
        if (slot < play->first) play->first = slot;
        if (slot > last) last = slot;
    }
    play->n = series->n > 0 ? last - play->first + 1 : 0;
    int64_t most = SAMPLE_SLOTS * (int64_t)series->n;
    most = most > SLOTS_MAX ? SLOTS_MAX : most > SLOTS_FREE ? most : SLOTS_FREE;
    if (play->n <= most) return EXIT_OK;
    complain(
        "%s: the %zu samples of '%s' are in %lld slots; expected at most %lld: correct a wrong "
        "time, or take a longer --slot",
        series->file, series->n, series->name, (long long)play->n, (long long)most);
    return EXIT_INPUT;
}

/* Asks for forecasts at the begin of a slot. */
static void play_ask(const struct trial *trial, struct play *play, int64_t slot) {
    lsched_forecast f = LSCHED_INIT(lsched_forecast);
    int64_t now_us = (play->first + slot) * play->slot_us;
    lsched_forecast_advance(play->series, now_us, NULL);
    for (size_t q = 0; q < trial->opts.n_quantiles; q++) {
        lsched_forecast_get(play->series, now_us, trial->opts.quantiles[q], &f, NULL);
        for (size_t h = 0; h < LSCHED_FORECAST_HORIZONS; h++) {
            float *said = said_at(play, slot, h);
            said[0] = (float)f.points[h].expected;
            said[1 + q] = (float)f.points[h].upper;
        }
    }
}

static int play_samples(const struct trial *trial, const struct sample_series *series,
                        struct play *play) {
    lsched_error err = LSCHED_ERROR_INIT;
    int64_t asked = 0;
    for (size_t i = 0; i < series->n; i++) {
        const lsched_forecast_sample *sample = &series->samples[i].sample;
        int64_t slot = sample->at_us / play->slot_us - play->first;
        while (asked < slot) play_ask(trial, play, ++asked);
        if (lsched_forecast_samples_add(play->series, LSCHED_NEVER_US, sample, 1, sizeof *sample,
                                        NULL, NULL, &err) < 0) {
            complain("%s:%u: %s: %s", series->file, series->samples[i].line, series->name,
                     err.message);
            return EXIT_INPUT;
        }
        if (sample->value > play->truth[slot]) play->truth[slot] = sample->value;
    }
    while (asked < play->n) play_ask(trial, play, ++asked);
    return EXIT_OK;
}

/* Mean absolute difference to the season before, in the training part; 0 if there is none. */
static double play_scale(const struct play *play, int64_t season, int64_t train) {
    double sum = 0.0;
    uint64_t n = 0;
    for (int64_t i = season; i < train; i++) {
        if (play->truth[i] < 0.0 || play->truth[i - season] < 0.0) continue;
        double off = play->truth[i] - play->truth[i - season];
        sum += off < 0.0 ? -off : off;
        n++;
    }
    return n > 0 ? sum / (double)n : 0.0;
}

static struct block *score_block(struct horizon_score *score) {
    score->blocks =
        must_grow(score->blocks, score->n_blocks, &score->capacity, sizeof score->blocks[0]);
    score->blocks[score->n_blocks] = (struct block){0};
    return &score->blocks[score->n_blocks++];
}

static void score_series(struct trial *trial, const struct play *play, size_t h, int64_t train,
                         double scale) {
    struct horizon_score *score = &trial->scores[h];
    int64_t slots = score->horizon_us / play->slot_us;
    int64_t length = slots > BLOCK_SLOTS_MIN ? slots : BLOCK_SLOTS_MIN, left = 0;
    double error = 0.0, loss[QUANTILES_MAX] = {0};
    uint64_t n = 0, misses[QUANTILES_MAX] = {0};
    struct block *block = NULL;
    /* the forecast at the begin of slot s is for slot s + slots - 1 */
    for (int64_t s = train + 1; s + slots - 1 < play->n; s++) {
        double truth = play->truth[s + slots - 1];
        const float *said = said_at(play, s, h);
        if (left-- == 0) {
            block = score_block(score);
            left = length - 1;
        }
        if (truth < 0.0) continue;
        error += truth > (double)said[0] ? truth - (double)said[0] : (double)said[0] - truth;
        n++;
        if (block != NULL) block->targets++;
        for (size_t q = 0; q < trial->opts.n_quantiles; q++) {
            double over = truth - (double)said[1 + q], quantile = trial->opts.quantiles[q];
            /* bounds are kept as floats: a difference below their precision is none */
            int missed = over > 1e-6 * truth;
            score->equal[q] += !missed && over >= -1e-6 * truth;
            loss[q] += over > 0.0 ? quantile * over : (quantile - 1.0) * over;
            misses[q] += (uint64_t)missed;
            if (block != NULL) block->misses[q] += (uint32_t)missed;
        }
    }
    score->targets += n;
    for (size_t q = 0; q < trial->opts.n_quantiles; q++) score->misses[q] += misses[q];
    if (n == 0 || scale <= 0.0) return;
    score->scaled++;
    score->mase += error / (double)n / scale;
    for (size_t q = 0; q < trial->opts.n_quantiles; q++) {
        score->pinball[q] += loss[q] / (double)n / scale;
        score->coverage[q] += 1.0 - (double)misses[q] / (double)n;
    }
}

/* What the series says at its end, and its counts. */
static void play_last(struct trial *trial, const struct play *play, lsched_forecast *last) {
    lsched_forecast_info info = LSCHED_INIT(lsched_forecast_info);
    int64_t end_us = (play->first + play->n) * play->slot_us;
    for (size_t q = 0; q < trial->opts.n_quantiles; q++) {
        last[q] = (lsched_forecast)LSCHED_INIT(lsched_forecast);
        lsched_forecast_get(play->series, end_us, trial->opts.quantiles[q], &last[q], NULL);
    }
    lsched_forecast_info_get(play->series, &info, NULL);
    trial->series++;
    trial->samples += info.samples;
    trial->late += info.late;
    trial->slots += info.slots;
    trial->gaps += info.gaps;
}

int trial_play(struct trial *trial, const struct sample_series *series, lsched_forecast *last) {
    struct play play;
    int rc = play_open(trial, series, &play);
    if (rc == EXIT_OK && play.n > 0) {
        size_t rows = (size_t)play.n + 1;
        play.truth = must_alloc(rows * sizeof play.truth[0]);
        play.said =
            must_alloc_zero(rows * LSCHED_FORECAST_HORIZONS * play.n_said * sizeof play.said[0]);
        for (size_t i = 0; i < rows; i++) play.truth[i] = -1.0;
        rc = play_samples(trial, series, &play);
    }
    if (rc == EXIT_OK && play.n > 0) {
        int64_t train = (int64_t)((double)play.n * (double)trial->opts.test_ppm / PPM);
        double scale = play_scale(&play, trial->opts.season_us / play.slot_us, train);
        if (scale <= 0.0) scale = play_scale(&play, 1, train);
        play_last(trial, &play, last);
        for (size_t h = 0; h < LSCHED_FORECAST_HORIZONS; h++) {
            trial->scores[h].horizon_us = last[0].points[h].horizon_us;
            score_series(trial, &play, h, train, scale);
        }
    }
    lsched_forecast_destroy(play.series);
    free(play.truth);
    free(play.said);
    return rc;
}

static double trial_part(const struct trial *trial, const struct horizon_score *score, size_t q,
                         uint64_t counted) {
    if (score->targets == 0) return 0.0;
    return (double)counted / (double)score->targets / (1.0 - trial->opts.quantiles[q]);
}

double trial_ratio(const struct trial *trial, const struct horizon_score *score, size_t q) {
    return trial_part(trial, score, q, score->misses[q]);
}

double trial_ratio_with_equal(const struct trial *trial, const struct horizon_score *score,
                              size_t q) {
    return trial_part(trial, score, q, score->misses[q] + score->equal[q]);
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void score_interval(const struct trial *trial, struct horizon_score *score) {
    static double ratios[QUANTILES_MAX][DRAWS];
    struct prng prng = {1};
    for (size_t draw = 0; draw < DRAWS; draw++) {
        uint64_t targets = 0, misses[QUANTILES_MAX] = {0};
        for (size_t i = 0; i < score->n_blocks; i++) {
            const struct block *block = &score->blocks[prng_below(&prng, score->n_blocks)];
            targets += block->targets;
            for (size_t q = 0; q < trial->opts.n_quantiles; q++) misses[q] += block->misses[q];
        }
        for (size_t q = 0; q < trial->opts.n_quantiles; q++)
            ratios[q][draw] =
                targets > 0 ? (double)misses[q] / (double)targets / (1.0 - trial->opts.quantiles[q])
                            : 0.0;
    }
    for (size_t q = 0; q < trial->opts.n_quantiles; q++) {
        qsort(ratios[q], DRAWS, sizeof ratios[q][0], compare_doubles);
        score->low[q] = ratios[q][DRAWS / 40];
        score->high[q] = ratios[q][DRAWS - 1 - DRAWS / 40];
    }
}

void trial_end(struct trial *trial) {
    for (size_t h = 0; h < LSCHED_FORECAST_HORIZONS; h++)
        if (trial->scores[h].n_blocks > 0) score_interval(trial, &trial->scores[h]);
}

void trial_free(struct trial *trial) {
    for (size_t h = 0; h < LSCHED_FORECAST_HORIZONS; h++) free(trial->scores[h].blocks);
}
