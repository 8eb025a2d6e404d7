/*
 * bench_forecast.c -- samples into 100,000 series and forecasts at four horizons.
 *
 * The baseline of a sample is the least that any forecaster must do: the greatest sample of a slot
 * in an array of series of the same size. The baseline of a forecast is the same quantile found by
 * sorting a copy of the latest 1,000 residuals, four times. `bench_forecast SERIES` uses another
 * number of series, such as 1000 for counts of instructions.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <stdlib.h>
#include <string.h>

#include "bench_support.h"

#ifdef LSCHED_WITH_FORECAST

#include <libsched/forecast.h>

#define MINUTE_US ((int64_t)60000000)
enum { SERIES = 100000, WARM_SLOTS = 300, PER_SLOT = 10, RESIDUALS = 1000, BLOCK = 3072 };

static double value_of(uint32_t series, int64_t minute) {
    uint64_t x = (uint64_t)series * 2654435761u + (uint64_t)minute * 40503u;
    return (double)((x >> 7) % 1000) * 0.1 + (double)(minute / 100 % 10);
}

static void add(lsched_forecast_series *series, uint32_t i, int64_t minute) {
    lsched_forecast_sample sample = {minute * MINUTE_US, value_of(i, minute)};
    lsched_error err = LSCHED_ERROR_INIT;
    bench_check(lsched_forecast_samples_add(series, LSCHED_NEVER_US, &sample, 1, sizeof sample,
                                            NULL, NULL, &err),
                &err, "samples_add");
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double plain_samples(uint32_t n) {
    char *blocks = calloc(n, BLOCK);
    if (blocks == NULL) exit(1);
    double begin = bench_seconds();
    for (int64_t minute = 0; minute < PER_SLOT; minute++)
        for (uint32_t i = 0; i < n; i++) {
            double *slot = (double *)(void *)(blocks + (size_t)i * BLOCK), v = value_of(i, minute);
            if (v > *slot) *slot = v;
        }
    double took = bench_seconds() - begin;
    free(blocks);
    return took / n / PER_SLOT;
}

static double plain_forecast(void) {
    static double residuals[RESIDUALS], copy[RESIDUALS];
    double sum = 0.0, begin;
    for (int i = 0; i < RESIDUALS; i++) residuals[i] = value_of(7, i);
    begin = bench_seconds();
    for (int round = 0; round < 50; round++)
        for (int h = 0; h < LSCHED_FORECAST_HORIZONS; h++) {
            memcpy(copy, residuals, sizeof copy);
            qsort(copy, RESIDUALS, sizeof copy[0], compare);
            sum += copy[RESIDUALS * 95 / 100];
        }
    return sum > 0.0 ? (bench_seconds() - begin) / 50 : 1.0;
}

int main(int argc, char **argv) {
    argc = rows_open("forecast", argc, argv);
    uint32_t n = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : SERIES;
    lsched_forecast_series **all = calloc(n, sizeof *all);
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_forecast out = LSCHED_INIT(lsched_forecast);
    if (all == NULL || n == 0) return 1;
    for (uint32_t i = 0; i < n; i++)
        bench_check(lsched_forecast_create(NULL, &all[i], &err), &err, "create");
    for (uint32_t i = 0; i < n; i++) /* two days, so that all parts have something to do */
        for (int64_t slot = 0; slot < WARM_SLOTS; slot++) add(all[i], i, slot * PER_SLOT);
    int64_t minute = WARM_SLOTS * PER_SLOT;
    double begin = bench_seconds();
    for (int64_t m = 0; m < PER_SLOT; m++)
        for (uint32_t i = 0; i < n; i++) add(all[i], i, minute + m);
    double mixed = (bench_seconds() - begin) / n / PER_SLOT;
    minute += PER_SLOT;
    begin = bench_seconds();
    for (uint32_t i = 0; i < n; i++) add(all[i], i, minute);
    double closing = (bench_seconds() - begin) / n;
    begin = bench_seconds();
    for (uint32_t i = 0; i < n; i++)
        bench_check(lsched_forecast_get(all[i], minute * MINUTE_US, 0.95, &out, &err), &err, "get");
    double forecast = (bench_seconds() - begin) / n, base = plain_samples(n);
    rows_put("forecast.samples", "samples/s", 1.0 / mixed, "greatest of a slot", 1.0 / base);
    rows_put("forecast.samples.each_closes_a_slot", "samples/s", 1.0 / closing,
             "greatest of a slot", 1.0 / base);
    rows_put("forecast.four_horizons", "ns", forecast * 1e9, "sorting 1,000 residuals",
             plain_forecast() * 1e9);
    for (uint32_t i = 0; i < n; i++) lsched_forecast_destroy(all[i]);
    free(all);
    return 0;
}

#else

int main(int argc, char **argv) {
    rows_open("forecast", argc, argv);
    rows_note("this build has no forecasts (LSCHED_FORECAST)");
    return 0;
}

#endif
