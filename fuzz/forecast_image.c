/* forecast_image.c -- bytes that claim to be a saved series of forecasts, with the checksum made
 * right so that mutations get past it. What loads can be used like any other series: it takes
 * samples, forecasts finite numbers, and can be saved and loaded again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/forecast.h>

#include "base/hash.h"
#include "forecast/series/series_image.h"

static void must(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void forecasts_are_numbers(const lsched_forecast_series *series, int64_t now_us) {
    static const double quantiles[] = {0.5, 0.95, 0.999};
    lsched_forecast f = LSCHED_INIT(lsched_forecast);
    for (int q = 0; q < 3; q++) {
        must(lsched_forecast_get(series, now_us, quantiles[q], &f, NULL) == LSCHED_OK, "get");
        for (int h = 0; h < LSCHED_FORECAST_HORIZONS; h++) {
            must(f.points[h].expected >= 0 && f.points[h].expected < 1e38, "expected");
            must(f.points[h].upper >= 0 && f.points[h].upper < 1e38, "upper");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct series_image image;
    unsigned char again[LSCHED_FORECAST_BYTES_MAX];
    lsched_forecast_series *series = NULL, *copy = NULL;
    lsched_forecast_info info = LSCHED_INIT(lsched_forecast_info);
    memset(&image, 0, sizeof image);
    memcpy(&image, data, size < sizeof image ? size : sizeof image);
    if (size >= sizeof image)
        image.checksum = hash_bytes(&image.series, sizeof image.series, image.version);
    if (lsched_forecast_load(NULL, &image, size < sizeof image ? size : sizeof image, &series,
                             NULL) != LSCHED_OK)
        return 0;
    int64_t slot = image.series.slot_us, now = 0;
    must(lsched_forecast_info_get(series, &info, NULL) == LSCHED_OK, "info");
    if (image.series.open_slot >= 0) now = image.series.open_slot * slot;
    forecasts_are_numbers(series, now);
    for (int i = 0; i < 40 && now < ((int64_t)1 << 60); i++) {
        lsched_forecast_sample sample = {now, (double)(size + (size_t)i % 7)};
        must(lsched_forecast_samples_add(series, LSCHED_NEVER_US, &sample, 1, sizeof sample, NULL,
                                         NULL, NULL) == 1,
             "add");
        now += i % 9 == 8 ? 40 * slot : slot;
        must(lsched_forecast_advance(series, now, NULL) == LSCHED_OK, "advance");
    }
    forecasts_are_numbers(series, now);
    int32_t n = lsched_forecast_save(series, again, sizeof again, NULL);
    must(n > 0, "save");
    /* numbers that an image may just have can grow beyond; then it is refused, and not read */
    if (lsched_forecast_load(NULL, again, (size_t)n, &copy, NULL) == LSCHED_OK)
        forecasts_are_numbers(copy, now);
    lsched_forecast_destroy(copy);
    lsched_forecast_destroy(series);
    return 0;
}
