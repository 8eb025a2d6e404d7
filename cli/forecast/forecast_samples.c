/* forecast_samples.c -- see forecast_samples.h. */
#include "cli/forecast/forecast_samples.h"

#include <stdlib.h>
#include <string.h>

#include "cli/input/row_scan.h"
#include "cli/packing/pack_samples.h"
#include "cli/support/cli_errors.h"
#include "cli/support/time_text.h"

enum { VALUE_COLUMNS_MAX = 8, COLUMN_BYTES = 64, STEPS_FAR = 10 };
#define CLOCK_DAY_US ((int64_t)86400 * 1000000)
#define FAR_US       (14 * CLOCK_DAY_US) /* as for the samples of lsched advise */

static struct sample_series *list_add(struct series_list *list, const char *file, const char *name,
                                      size_t len) {
    list->items = must_grow(list->items, list->n, &list->capacity, sizeof list->items[0]);
    struct sample_series *series = &list->items[list->n++];
    *series = (struct sample_series){.name = must_copy(name, len), .file = file};
    return series;
}

static void series_put(struct sample_series *series, int64_t at_us, double value, uint32_t line) {
    series->samples =
        must_grow(series->samples, series->n, &series->capacity, sizeof series->samples[0]);
    series->samples[series->n++] = (struct series_sample){{at_us, value}, line};
}

/* ---- the order of time ---- */

static int compare_times(const void *a, const void *b) {
    const struct series_sample *x = a, *y = b;
    if (x->sample.at_us != y->sample.at_us) return x->sample.at_us < y->sample.at_us ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* True if a few samples are far from `n` others that last `span_us`: more than 14 days, and more
 * than ten times the mean step of the others. */
static bool is_far(int64_t gap_us, size_t few, size_t n, int64_t span_us) {
    if (gap_us <= FAR_US || few >= n || few > n / 10 + 1) return false;
    return n < 2 || (double)gap_us * (double)(n - 1) > STEPS_FAR * (double)span_us;
}

static int wrong_clock(const struct sample_series *series, size_t at, int64_t gap_us, size_t n,
                       const char *side, const char *other) {
    lsched_error err = LSCHED_ERROR_INIT;
    error_at(&err, LSCHED_E_TIME, series->samples[at].line, 1,
             "the time is %lld days %s the %zu samples of '%s' %s it; correct the time, or remove "
             "the sample",
             (long long)(gap_us / CLOCK_DAY_US), side, n, series->name, other);
    return library_error(series->file, &err);
}

/* Sorts a series by time, and refuses samples with a wrong clock. */
static int series_order(struct sample_series *series) {
    const struct series_sample *samples = series->samples;
    size_t n = series->n;
    if (n == 0) return EXIT_OK;
    qsort(series->samples, n, sizeof samples[0], compare_times);
    int64_t first_us = samples[0].sample.at_us, last_us = samples[n - 1].sample.at_us;
    for (size_t i = 1; i < n; i++) {
        int64_t before_us = samples[i - 1].sample.at_us, at_us = samples[i].sample.at_us;
        if (is_far(at_us - before_us, n - i, i, before_us - first_us))
            return wrong_clock(series, i, at_us - before_us, i, "after", "before");
        if (is_far(at_us - before_us, i, n - i, last_us - at_us))
            return wrong_clock(series, i - 1, at_us - before_us, n - i, "before", "after");
    }
    return EXIT_OK;
}

/* ---- files with named series ---- */

static int read_named(const struct input_file *file, int64_t sample_us, struct series_list *out) {
    struct sample_list list = {0};
    lsched_error err = LSCHED_ERROR_INIT;
    size_t first = out->n;
    int rc = EXIT_OK;
    if (pack_samples_read(file->text, file->len, 0, sample_us, &list, &err) < 0)
        rc = library_error(file->name, &err);
    for (size_t i = 0; rc == EXIT_OK && i < list.names.n; i++) {
        lsched_text name = list.names.names[i];
        list_add(out, file->name, name.ptr, (size_t)name.len);
    }
    for (size_t i = 0; rc == EXIT_OK && i < list.n; i++)
        series_put(&out->items[first + list.items[i].name], list.items[i].at_us,
                   (double)list.items[i].micro / (double)MILLION, list.items[i].origin.line);
    pack_samples_free(&list);
    return rc;
}

/* ---- a table of one series ---- */

struct table {
    char words[VALUE_COLUMNS_MAX][COLUMN_BYTES];
    const char *wanted[VALUE_COLUMNS_MAX + 1]; /* the time is the first */
    size_t n;
    struct sample_series *series;
};

static int32_t table_time(const struct csv *csv, size_t field, int64_t *out, lsched_error *err) {
    const struct csv_field *f = &csv->fields[field];
    char text[TIME_TEXT_BYTES] = "";
    if (decimal_parse(f->text, f->len, out) == DECIMAL_OK) return LSCHED_OK;
    if (f->len >= 10 && f->len < TIME_TEXT_BYTES - 1) {
        memcpy(text, f->text, f->len);
        if (text[10] == ' ') text[10] = 'T';
        if (text[10] == 'T' && text[f->len - 1] != 'Z') text[f->len] = 'Z';
        if (time_parse(text, 0, out)) return LSCHED_OK;
    }
    return csv_error(csv, field, LSCHED_E_SYNTAX, err,
                     "expected seconds from 0 on, or 2026-01-05T08:30:00Z");
}

static int32_t table_row(void *user, const struct csv *csv, const size_t *place,
                         lsched_error *err) {
    struct table *table = user;
    int64_t at_us, micro;
    double sum = 0.0;
    int32_t rc = table_time(csv, place[0], &at_us, err);
    for (size_t i = 1; rc == LSCHED_OK && i < table->n; i++) {
        rc = scan_decimal(err, csv->line, &csv->fields[place[i]], table->wanted[i], &micro);
        sum += (double)micro / (double)MILLION;
    }
    if (rc == LSCHED_OK) series_put(table->series, at_us, sum, csv->line);
    return rc;
}

/* Splits "running+pending" into names of columns. */
static int table_columns(const char *value, struct table *table) {
    table->wanted[0] = "time";
    table->n = 1;
    for (const char *at = value; at != NULL;) {
        const char *plus = strchr(at, '+');
        size_t len = plus != NULL ? (size_t)(plus - at) : strlen(at);
        if (len == 0 || len >= COLUMN_BYTES || table->n > VALUE_COLUMNS_MAX)
            return usage_error("forecast", "--value: expected 1 to %d names of columns, got '%s'",
                               VALUE_COLUMNS_MAX, value);
        memcpy(table->words[table->n - 1], at, len);
        table->wanted[table->n] = table->words[table->n - 1];
        table->n++;
        at = plus != NULL ? plus + 1 : NULL;
    }
    return EXIT_OK;
}

static int read_table(const struct input_file *file, const char *value, struct series_list *out) {
    static struct csv csv;
    struct table table = {.n = 0};
    lsched_error err = LSCHED_ERROR_INIT;
    int rc = table_columns(value, &table);
    if (rc != EXIT_OK) return rc;
    const char *slash = strrchr(file->name, '/'), *name = slash != NULL ? slash + 1 : file->name;
    table.series = list_add(out, file->name, name, strlen(name));
    if (csv_read(&csv, file->text, file->len, table.wanted, table.n, table_row, &table, &err) < 0)
        return library_error(file->name, &err);
    return EXIT_OK;
}

int forecast_samples_read(const struct input_file *file, const char *value, int64_t sample_us,
                          struct series_list *out) {
    size_t first = out->n;
    int rc = value != NULL ? read_table(file, value, out) : read_named(file, sample_us, out);
    for (size_t i = first; rc == EXIT_OK && i < out->n; i++) rc = series_order(&out->items[i]);
    return rc;
}

void forecast_samples_free(struct series_list *list) {
    for (size_t i = 0; i < list->n; i++) {
        free(list->items[i].name);
        free(list->items[i].samples);
    }
    free(list->items);
    *list = (struct series_list){0};
}
