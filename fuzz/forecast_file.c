/* forecast_file.c -- any bytes as a file of samples for `lsched forecast`, in both layouts and as
 * a table: series with times and values that a series of forecasts takes, or an error.
 *
 * The reader belongs to the program and not to the library, so its sources are compiled into this
 * harness. */
#include "support/cli_csv_sources.h"
#include "cli/support/time_text.c"
#include "cli/packing/pack_samples.c"
#include "cli/forecast/forecast_samples.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = must_alloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    struct input_file file = {.name = "fuzz", .text = text, .len = size};
    for (int table = 0; table < 2; table++) {
        struct series_list list = {0};
        int rc = forecast_samples_read(&file, table ? "x+y" : NULL, 0, &list);
        for (size_t i = 0; rc == EXIT_OK && i < list.n; i++)
            for (size_t k = 0; k < list.items[i].n; k++) {
                const lsched_forecast_sample *sample = &list.items[i].samples[k].sample;
                if (!(sample->value >= 0.0) || !(sample->value < 4.7e18)) abort();
                if (k > 0 && sample->at_us < list.items[i].samples[k - 1].sample.at_us) abort();
            }
        forecast_samples_free(&list);
    }
    free(text);
    return 0;
}
