/* experts.c -- see experts.h. */
#include "forecast/experts/experts.h"

#include <string.h>

#include "base/fixed.h"
#include "forecast/experts/season_ring.h"

#define DAY_US       ((int64_t)86400 * 1000000)
#define PEAK_HOUR_US (DAY_US / 24)
#define WEEK_CELL_US (7 * DAY_US / WEEK_CELLS)

/* smoothing of level, trend and season of the expert TREND, for one slot */
#define LEVEL_STEP  0.5
#define TREND_STEP  0.05
#define SEASON_STEP 0.05
#define HIST_TAIL   0.05

static struct log_hist experts_hist(const struct experts *e) {
    struct experts *own = (struct experts *)(uintptr_t)e; /* readers do not write */
    return (struct log_hist){.above = own->hist + 1,
                             .zero = own->hist,
                             .below = NULL,
                             .buckets = VALUE_BUCKETS,
                             .per_octave = 8,
                             .top = &own->hist_top,
                             .total = &own->hist_total};
}

/* Returns the part of a weight that is left after one slot. */
static float experts_keep(double half_life_slots) {
    return (float)fixed_exp2(-1.0 / half_life_slots);
}

void experts_begin(struct experts *e, const struct experts_opts *opts) {
    memset(e, 0, sizeof *e);
    e->ewma_keep = experts_keep(opts->ewma_slots);
    e->moment_keep = experts_keep(opts->moment_slots);
    e->sigmas = (float)opts->sigmas;
    e->hist_top = LOG_HIST_TOP_MIN;
    e->hist_half = opts->hist_slots < 1.0 ? 1 : (uint32_t)opts->hist_slots;
    e->hist_weight = e->hist_half < 512 ? 64 : e->hist_half < 8192 ? 32768 / e->hist_half : 4;
    e->day_cells =
        opts->slot_us * DAY_CELLS <= DAY_US ? DAY_CELLS : (uint32_t)(DAY_US / opts->slot_us);
    e->day_cell_us = DAY_US / e->day_cells;
    e->day_latest = e->week_latest = e->peak_hour = -1;
}

static void experts_learn_peak(struct experts *e, int64_t at_us, float value) {
    int64_t hour = at_us / PEAK_HOUR_US;
    if (e->peak_hour < 0 || hour - e->peak_hour >= HOURS) {
        memset(e->peaks, 0, sizeof e->peaks);
    } else {
        for (int64_t gone = e->peak_hour + 1; gone <= hour; gone++) e->peaks[gone % HOURS] = 0;
    }
    e->peak_hour = hour;
    if (e->peaks[hour % HOURS] < value) e->peaks[hour % HOURS] = value;
}

static void experts_learn_trend(struct experts *e, int64_t at_us, double value, int first) {
    float *season = &e->season[at_us / PEAK_HOUR_US % HOURS];
    double before = e->level, damped = EXPERT_DAMP * e->trend;
    if (first) {
        e->level = (float)value;
        return;
    }
    double level = LEVEL_STEP * (value - *season) + (1.0 - LEVEL_STEP) * (before + damped);
    e->trend = (float)(TREND_STEP * (level - before) + (1.0 - TREND_STEP) * damped);
    *season = (float)(SEASON_STEP * (value - level) + (1.0 - SEASON_STEP) * *season);
    e->level = (float)level;
}

void experts_learn(struct experts *e, int64_t at_us, double value, int first) {
    struct log_hist hist = experts_hist(e);
    season_ring_put(e->day, e->day_cells, e->day_cell_us, &e->day_latest, at_us, value);
    season_ring_put(e->week, WEEK_CELLS, WEEK_CELL_US, &e->week_latest, at_us, value);
    experts_learn_peak(e, at_us, (float)value);
    experts_learn_trend(e, at_us, value, first);
    if (first) e->ewma = e->mean = (float)value;
    double off = value - e->mean, step = 1.0 - e->moment_keep;
    e->mean = (float)(e->mean + step * off);
    e->variance = (float)(e->moment_keep * (e->variance + step * off * off));
    e->ewma = (float)(value + e->ewma_keep * (e->ewma - value));
    e->last = (float)value;
    if (++e->hist_age >= e->hist_half) {
        log_hist_halve(&hist);
        e->hist_age = 0;
    }
    log_hist_add(&hist, value, e->hist_weight);
}

void experts_common(const struct experts *e, double out[EXPERTS]) {
    struct log_hist hist = experts_hist(e);
    float peak = 0;
    for (uint32_t i = 0; i < HOURS; i++) peak = e->peaks[i] > peak ? e->peaks[i] : peak;
    out[EXPERT_LAST] = e->last;
    out[EXPERT_EWMA] = e->ewma;
    out[EXPERT_HIST] = log_hist_at_tail(&hist, HIST_TAIL * e->hist_total);
    out[EXPERT_PEAK] = peak;
    out[EXPERT_SIGMA] = e->mean + e->sigmas * fixed_pow(e->variance, 0.5);
}

void experts_at(const struct experts *e, int64_t at_us, double damp, double out[EXPERTS]) {
    double day = season_ring_at(e->day, e->day_cells, e->day_cell_us, e->day_latest, at_us);
    double week = season_ring_at(e->week, WEEK_CELLS, WEEK_CELL_US, e->week_latest, at_us);
    double trend = e->level + damp * e->trend + e->season[at_us / PEAK_HOUR_US % HOURS];
    out[EXPERT_DAY] = day < 0.0 ? e->last : day;
    out[EXPERT_WEEK] = week < 0.0 ? out[EXPERT_DAY] : week;
    out[EXPERT_TREND] = trend < 0.0 ? 0.0 : trend;
}
