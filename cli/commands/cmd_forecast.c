/*
 * cmd_forecast.c -- the command `lsched forecast FILE...`, which forecasts measured series, and
 * tells how good such forecasts were in the last part of the files.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/input/row_scan.h"
#include "cli/input/xz_input.h"
#include "cli/support/options.h"
#include "cli/support/time_text.h"

#ifdef LSCHED_WITH_FORECAST
#include "cli/forecast/forecast_report.h"
#endif

struct forecast_args {
    bool json;
    const char *value, *sample, *slot, *horizons, *quantiles, *request, *season, *test_from;
};

#ifdef LSCHED_WITH_FORECAST

#define DAY_US ((int64_t)86400 * 1000000)

static int read_span(const char *option, const char *word, int64_t *out) {
    if (word == NULL || (time_parse(word, 0, out) && *out > 0 && *out < 10000 * DAY_US))
        return EXIT_OK;
    return usage_error("forecast", "--%s: expected a duration such as 10m, got '%s'", option, word);
}

/* Reads a number from 0 to `most` as millionths. */
static int read_number(const char *option, const char *word, int64_t most, int64_t *micro) {
    if (word == NULL) return EXIT_OK;
    if (decimal_parse(word, strlen(word), micro) == DECIMAL_OK && *micro <= most) return EXIT_OK;
    return usage_error("forecast", "--%s: expected a number from 0 to %lld, got '%s'", option,
                       (long long)(most / MILLION), word);
}

/* Calls `one` for each word between commas; returns their number, or -1 after an error. */
static int read_list(const char *option, const char *words, int most,
                     int (*one)(const char *, const char *, int, struct trial_opts *),
                     struct trial_opts *out) {
    char word[TIME_TEXT_BYTES];
    int n = 0;
    for (const char *at = words; at != NULL;) {
        const char *comma = strchr(at, ',');
        size_t len = comma != NULL ? (size_t)(comma - at) : strlen(at);
        if (n == most || len == 0 || len >= sizeof word) {
            usage_error("forecast", "--%s: expected at most %d words, got '%s'", option, most,
                        words);
            return -1;
        }
        memcpy(word, at, len);
        word[len] = 0;
        if (one(option, word, n++, out) != EXIT_OK) return -1;
        at = comma != NULL ? comma + 1 : NULL;
    }
    return n;
}

static int one_horizon(const char *option, const char *word, int i, struct trial_opts *out) {
    return read_span(option, word, &out->series.horizons_us[i]);
}

static int one_quantile(const char *option, const char *word, int i, struct trial_opts *out) {
    int64_t micro = 0;
    int rc = read_number(option, word, MILLION, &micro);
    if (rc != EXIT_OK) return rc;
    if (micro < 500000 || micro > 999000)
        return usage_error("forecast", "--%s: expected 0.5 to 0.999, got '%s'", option, word);
    out->quantiles[i] = (double)micro / (double)MILLION;
    for (int k = 0; k < i; k++)
        if (out->quantiles[k] == out->quantiles[i])
            return usage_error("forecast", "--%s: %s stands there twice", option, word);
    return EXIT_OK;
}

static int read_options(const struct forecast_args *args, struct trial_opts *out,
                        int64_t *sample_us) {
    int64_t request = 0;
    *out = (struct trial_opts){.series = LSCHED_INIT(lsched_forecast_opts),
                               .season_us = DAY_US,
                               .test_ppm = 2 * MILLION / 3};
    const char *quantiles = args->quantiles != NULL ? args->quantiles : "0.5,0.9,0.95,0.99";
    int n = read_list("quantiles", quantiles, QUANTILES_MAX, one_quantile, out);
    if (n < 0) return EXIT_USAGE;
    out->n_quantiles = (size_t)n;
    if (args->horizons != NULL) {
        n = read_list("horizons", args->horizons, LSCHED_FORECAST_HORIZONS, one_horizon, out);
        if (n < 0) return EXIT_USAGE;
        if (n != LSCHED_FORECAST_HORIZONS)
            return usage_error("forecast", "--horizons: expected %d durations, got '%s'",
                               LSCHED_FORECAST_HORIZONS, args->horizons);
    }
    int rc = read_span("slot", args->slot, &out->series.slot_us);
    int64_t slot_us = out->series.slot_us;
    if (rc == EXIT_OK && args->slot != NULL &&
        (slot_us < LSCHED_FORECAST_SLOT_US_MIN || slot_us > LSCHED_FORECAST_SLOT_US_MAX))
        return usage_error("forecast", "--slot: expected 1s to 1h, got '%s'", args->slot);
    if (rc == EXIT_OK) rc = read_span("sample", args->sample, sample_us);
    if (rc == EXIT_OK) rc = read_span("season", args->season, &out->season_us);
    if (rc == EXIT_OK) rc = read_number("test-from", args->test_from, MILLION, &out->test_ppm);
    if (rc == EXIT_OK) rc = read_number("request", args->request, DECIMAL_MICRO_MAX, &request);
    out->series.request = (double)request / (double)MILLION;
    return rc;
}

static int forecast_files(const struct forecast_args *args, const struct parsed *words,
                          const struct trial_opts *opts, int64_t sample_us) {
    struct series_list list = {0};
    struct trial trial;
    lsched_forecast *last = NULL;
    int rc = EXIT_OK;
    for (size_t i = 0; rc == EXIT_OK && i < words->n_positionals; i++) {
        struct input_file file;
        rc = input_read_packed(words->positionals[i], &file);
        if (rc != EXIT_OK) break;
        rc = forecast_samples_read(&file, args->value, sample_us, &list);
        input_free(&file);
    }
    trial_begin(&trial, opts);
    if (rc == EXIT_OK) last = must_alloc_zero((list.n + 1) * opts->n_quantiles * sizeof last[0]);
    for (size_t i = 0; rc == EXIT_OK && i < list.n; i++)
        rc = trial_play(&trial, &list.items[i], &last[i * opts->n_quantiles]);
    if (rc == EXIT_OK) {
        trial_end(&trial);
        (args->json ? forecast_report_json : forecast_report_text)(&trial, &list, last);
    }
    free(last);
    trial_free(&trial);
    forecast_samples_free(&list);
    return rc;
}

static int forecast(const void *argument, const struct parsed *words) {
    struct trial_opts opts;
    int64_t sample_us = 0;
    int rc = read_options(argument, &opts, &sample_us);
    return rc == EXIT_OK ? forecast_files(argument, words, &opts, sample_us) : rc;
}

#else

static int forecast(const void *argument, const struct parsed *words) {
    (void)argument;
    (void)words;
    return usage_error("forecast", "this build has no forecasts; configure it with "
                                   "-DLSCHED_FORECAST=ON");
}

#endif

#define ARGS struct forecast_args
static const struct option options[] = {
    FLAG(ALL, "json", json, "print JSON instead of text"),
    TEXT(ALL, "value", "COLUMNS", value,
         "read a table of one series: the column `time`, and the sum of these columns, such as "
         "running+pending"),
    TEXT(ALL, "sample", "SPAN", sample,
         "time between two columns of a file with one series per row (all columns are one day)"),
    TEXT(ALL, "slot", "SPAN", slot, "length of a slot; its value is its greatest sample (10m)"),
    TEXT(ALL, "horizons", "A,B,C,D", horizons,
         "how far to forecast, four durations (one slot, 1h, 6h, 24h)"),
    TEXT(ALL, "quantiles", "Q,...", quantiles,
         "stated quantiles of the bounds, 0.5 to 0.999 (0.5,0.9,0.95,0.99)"),
    TEXT(ALL, "request", "N", request,
         "what was requested, on which new series fall back (unknown)"),
    TEXT(ALL, "season", "SPAN", season,
         "season of the naive forecast that MASE and pinball are divided by (24h)"),
    TEXT(ALL, "test-from", "PART", test_from,
         "where the test part begins, as a part of each series (0.666666)"),
};

const struct command command_forecast = {
    .name = "forecast",
    .arguments = "FILE...",
    .summary = "forecast measured series, and tell how good that was",
    .about =
        "Reads samples (a time, a name and a value per row, or one series per row), and prints "
        "for four horizons what is expected and a bound for each quantile. Then it plays the "
        "last part of each series again with a rolling origin, and prints the error, the "
        "pinball loss, the coverage, and the realised over the stated risk.",
    .examples = "  lsched forecast usage.csv\n"
                "  lsched forecast --json --slot 5m --horizons 5m,15m,1h,3h usage.csv.xz",
    COMMAND_OPTIONS(options, ARGS),
    .positionals_min = 1,
    .positionals_max = POSITIONALS_MAX,
    .run = forecast,
};
