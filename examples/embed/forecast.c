/* forecast.c -- an orchestrator measures the GPUs that a queue uses, and asks how many it will need
 * in an hour: the number that it may pass to the scheduler as an estimate. */
#include <libsched/forecast.h>

#include <stdio.h>

#define MINUTE_US ((int64_t)60 * 1000000)

static int failed(const lsched_error *err) {
    fprintf(stderr, "%s\n", err->message);
    return 1;
}

int main(void) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_forecast_opts opts = LSCHED_INIT(lsched_forecast_opts);
    lsched_forecast_series *series = NULL;
    lsched_forecast out = LSCHED_INIT(lsched_forecast);
    opts.request = 64; /* GPUs; all that is known before the first samples */
    if (lsched_forecast_create(&opts, &series, &err) < 0) return failed(&err);
    int64_t now_us = 0;
    for (int minute = 0; minute < 3 * 24 * 60; minute++, now_us += MINUTE_US) {
        int gpus = 20 + minute / 7 % 5 + (minute / 60 % 24 > 9 ? 12 : 0); /* more by day */
        lsched_forecast_sample sample = {now_us, gpus};
        if (lsched_forecast_samples_add(series, now_us, &sample, 1, sizeof sample, NULL, NULL,
                                        &err) < 0)
            return failed(&err);
    }
    if (lsched_forecast_advance(series, now_us, &err) < 0 ||
        lsched_forecast_get(series, now_us, 0.95, &out, &err) < 0)
        return failed(&err);
    for (int h = 0; h < LSCHED_FORECAST_HORIZONS; h++)
        printf("in %4lld min: %.1f GPUs expected, at most %.1f in 95 of 100 cases\n",
               (long long)(out.points[h].horizon_us / MINUTE_US), out.points[h].expected,
               out.points[h].upper);
    lsched_forecast_destroy(series);
    return 0;
}
