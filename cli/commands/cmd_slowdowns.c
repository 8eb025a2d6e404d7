/*
 * cmd_slowdowns.c -- the command `lsched slowdowns FILE...`, which finds from measured progress how
 * much slower kinds of work run beside each other.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/input/row_scan.h"
#include "cli/input/xz_input.h"
#include "cli/support/options.h"
#include "cli/support/time_text.h"

#ifdef LSCHED_WITH_FORECAST
#include "cli/slowdowns/slowdown_report.h"
#endif

struct slowdowns_args {
    bool json;
    const char *quantile, *least_time;
    int64_t least_jobs;
};

#ifdef LSCHED_WITH_FORECAST

static int slowdowns_options(const struct slowdowns_args *args,
                             lsched_forecast_slowdown_opts *opts) {
    int64_t micro = MILLION / 2, least_us = 0;
    if (args->quantile != NULL &&
        (decimal_parse(args->quantile, strlen(args->quantile), &micro) != DECIMAL_OK || micro < 1 ||
         micro > MILLION))
        return usage_error("slowdowns",
                           "--quantile: expected a number above 0, at most 1, got '%s'",
                           args->quantile);
    if (args->least_time != NULL && (!time_parse(args->least_time, 0, &least_us) || least_us <= 0))
        return usage_error("slowdowns", "--least-time: expected a duration such as 60s, got '%s'",
                           args->least_time);
    opts->quantile_ppm = (uint32_t)micro;
    opts->least_jobs = (uint32_t)args->least_jobs;
    opts->least_seconds = (double)least_us / (double)MILLION;
    return EXIT_OK;
}

static int slowdowns_read(const struct parsed *words, struct progress_rows *rows) {
    lsched_error err = LSCHED_ERROR_INIT;
    int rc = EXIT_OK;
    for (size_t i = 0; rc == EXIT_OK && i < words->n_positionals; i++) {
        struct input_file file;
        rc = input_read_packed(words->positionals[i], &file);
        if (rc != EXIT_OK) return rc;
        if (progress_rows_read(file.text, file.len, rows, &err) < 0)
            rc = library_error(file.name, &err);
        input_free(&file);
    }
    if (rc == EXIT_OK && rows->rows == 0) {
        complain("%s: expected at least one row below the header", words->positionals[0]);
        rc = EXIT_INPUT;
    }
    if (rc == EXIT_OK) progress_rows_sort_kinds(rows);
    return rc;
}

static int slowdowns_find(const struct slowdowns_args *args, const struct progress_rows *rows,
                          lsched_forecast_slowdown_opts *opts) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_forecast_slowdown_summary summary = LSCHED_INIT(lsched_forecast_slowdown_summary);
    size_t n = rows->kinds.n;
    lsched_forecast_slowdown *table = must_alloc(n * n * sizeof table[0]);
    opts->n_kinds = (uint32_t)n;
    int rc = EXIT_OK;
    if (lsched_forecast_slowdowns_get(rows->samples, rows->n, opts, table, &summary, &err) < 0)
        rc = library_error(NULL, &err);
    const struct slowdown_report report = {
        .rows = rows, .table = table, .summary = &summary, .quantile_ppm = opts->quantile_ppm};
    if (rc == EXIT_OK) (args->json ? slowdown_report_json : slowdown_report_text)(&report);
    free(table);
    return rc;
}

static int slowdowns(const void *argument, const struct parsed *words) {
    const struct slowdowns_args *args = argument;
    struct progress_rows rows = {.n = 0};
    lsched_forecast_slowdown_opts opts = LSCHED_INIT(lsched_forecast_slowdown_opts);
    int rc = slowdowns_options(args, &opts);
    if (rc == EXIT_OK) rc = slowdowns_read(words, &rows);
    if (rc == EXIT_OK) rc = slowdowns_find(args, &rows, &opts);
    progress_rows_free(&rows);
    return rc;
}

#else

static int slowdowns(const void *argument, const struct parsed *words) {
    (void)argument;
    (void)words;
    return usage_error("slowdowns", "this build finds no slow-downs; configure it with "
                                    "-DLSCHED_FORECAST=ON");
}

#endif

#define ARGS struct slowdowns_args
static const struct option options[] = {
    FLAG(ALL, "json", json, "print JSON instead of text"),
    TEXT(ALL, "quantile", "Q", quantile,
         "the part of the jobs that are slowed down at most so much (0.5)"),
    COUNT(ALL, "least-jobs", "N", least_jobs, 3, 1, 1000000,
          "a number of fewer jobs has a remark (3)"),
    TEXT(ALL, "least-time", "SPAN", least_time,
         "leave out what a job did beside a kind for less than this in all (60s)"),
};

const struct command command_slowdowns = {
    .name = "slowdowns",
    .arguments = "FILE...",
    .summary = "find how much slower kinds of work run beside each other",
    .about = "Reads what jobs did alone and beside one other task on a GPU: the columns `job`, "
             "`kind`, `beside` (the kind of the other task; empty: none), `rate` (progress in a "
             "second) and `seconds`. Prints how many times as long each kind takes beside each "
             "other kind, and the table for a policy. Rates are compared within a job only.",
    .examples = "  lsched slowdowns progress.csv\n"
                "  lsched slowdowns --quantile 0.9 monday.csv tuesday.csv.xz",
    COMMAND_OPTIONS(options, ARGS),
    .positionals_min = 1,
    .positionals_max = POSITIONALS_MAX,
    .run = slowdowns,
};
