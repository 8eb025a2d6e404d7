/* forecast_usage.c -- any bytes as samples for `lsched advise`, as a table or as metrics of DCGM:
 * samples that a need takes, or an error with its line. The reader belongs to the program, so its
 * sources are compiled into this harness. */
#include "support/cli_csv_sources.h"
#include "cli/support/time_text.c"
#include "cli/sizing/usage_samples.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = must_alloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    struct usage_list list = {.latest_us = 0};
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = usage_read(text, size, &list, &err);
    if (rc != LSCHED_OK && err.line == 0) abort();
    uint32_t file = 0;
    if (rc == LSCHED_OK) rc = usage_check(&list, &file, &err);
    if (rc != LSCHED_OK && (err.line == 0 || file != 0)) abort();
    for (size_t i = 0; rc == LSCHED_OK && i < list.jobs.n; i++)
        for (int kind = 0; kind < USAGE_KINDS; kind++) {
            const struct usage_series *series = &list.series[i][kind];
            lsched_forecast_need need = LSCHED_INIT(lsched_forecast_need);
            if (series->n > LSCHED_FORECAST_SAMPLES_MAX) continue;
            if (lsched_forecast_need_get(series->samples, series->n, list.latest_us, NULL, &need,
                                         NULL) != LSCHED_OK)
                abort();
        }
    usage_free(&list);
    free(text);
    return 0;
}
