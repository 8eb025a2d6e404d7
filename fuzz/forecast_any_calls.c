/* forecast_any_calls.c -- calls with any numbers: options, samples with any bits as value and time, any
 * order of times, forecasts, copies. A refused call changes nothing, and forecasts are numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/forecast.h>

struct bytes {
    const uint8_t *at;
    size_t n;
};

static uint64_t take(struct bytes *b, size_t n) {
    uint64_t word = 0;
    for (size_t i = 0; i < n && b->n > 0; i++, b->at++, b->n--) word = word << 8 | *b->at;
    return word;
}

static void must(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static double any_double(struct bytes *b) {
    uint64_t bits = take(b, 8);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static void add_one(lsched_forecast_series *series, struct bytes *b, int64_t *now_us) {
    uint64_t kind = take(b, 1);
    lsched_forecast_sample sample;
    static unsigned char before[LSCHED_FORECAST_BYTES_MAX], after[LSCHED_FORECAST_BYTES_MAX];
    if (kind < 160) *now_us += (int64_t)take(b, 2) * 1000000;
    sample.at_us = kind < 200 ? *now_us - (int64_t)(kind % 16) * 60000000 : (int64_t)take(b, 8);
    sample.value = kind % 3 != 0 ? (double)take(b, 1) : any_double(b);
    lsched_forecast_save(series, before, sizeof before, NULL);
    int32_t rc = lsched_forecast_samples_add(series, kind % 5 != 0 ? LSCHED_NEVER_US : *now_us,
                                             &sample, 1, sizeof sample, NULL, NULL, NULL);
    if (rc >= 0) return;
    lsched_forecast_save(series, after, sizeof after, NULL);
    must(memcmp(before, after, sizeof before) == 0, "a refused sample changed the series");
}

static void forecast_now(const lsched_forecast_series *series, struct bytes *b, int64_t now_us) {
    lsched_forecast f = LSCHED_INIT(lsched_forecast);
    double quantile = 0.5 + (double)take(b, 1) / 512.0;
    int64_t at_us = now_us >= 0 && now_us < (int64_t)1 << 60 ? now_us : 0;
    must(lsched_forecast_get(series, at_us, quantile, &f, NULL) == LSCHED_OK, "get");
    for (int h = 0; h < LSCHED_FORECAST_HORIZONS; h++)
        must(f.points[h].expected >= 0 && f.points[h].upper >= 0 && f.points[h].upper < 1e38,
             "a forecast is no number");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes b = {data, size};
    lsched_forecast_opts opts = LSCHED_INIT(lsched_forecast_opts);
    lsched_forecast_series *series = NULL, *copy = NULL;
    int64_t now_us = 0;
    uint64_t kind = take(&b, 1);
    if (kind & 1) opts.slot_us = (int64_t)take(&b, 4);
    if (kind & 2) opts.request = any_double(&b);
    if (kind & 4) opts.sigmas = any_double(&b);
    if (kind & 8) opts.hist_half_life_us = (int64_t)take(&b, 5);
    if (kind & 16) opts.ewma_half_life_us = (int64_t)take(&b, 5);
    if (kind & 32)
        for (int h = 0; h < LSCHED_FORECAST_HORIZONS; h++)
            opts.horizons_us[h] = (h > 0 ? opts.horizons_us[h - 1] : 0) + (int64_t)take(&b, 5);
    if (lsched_forecast_create(&opts, &series, NULL) != LSCHED_OK) return 0;
    while (b.n > 0) {
        add_one(series, &b, &now_us);
        if (b.n % 7 == 0) forecast_now(series, &b, now_us);
        if (b.n % 31 == 0 && now_us >= 0) lsched_forecast_advance(series, now_us, NULL);
        if (b.n % 43 == 0) must(lsched_forecast_clone(series, &copy, NULL) == LSCHED_OK, "clone");
    }
    forecast_now(series, &b, now_us);
    lsched_forecast_destroy(copy);
    lsched_forecast_destroy(series);
    return 0;
}
