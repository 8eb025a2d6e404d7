/*
 * pack_samples.c -- see pack_samples.h. Files with one sample per row are read with csv_reader.
 * Files with one service per row are read with row_scan, because they can have more columns than
 * csv_reader allows.
 */
#include "cli/packing/pack_samples.h"

#include "cli/input/last_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/support/did_you_mean.h"
#include "cli/input/row_scan.h"
#include "cli/support/time_text.h"
#include "cli/support/cli_errors.h"

#define DAY_US         ((int64_t)86400 * MILLION)
#define TIME_MICRO_MAX ((int64_t)1 << 60)
#define CELLS_MAX      ((uint64_t)1 << 26)
#define NO_SAMPLE      (-1)

static void add_sample(struct sample_list *list, const struct sample *sample) {
    list->items = must_grow(list->items, list->n, &list->capacity, sizeof list->items[0]);
    list->items[list->n++] = *sample;
}

/* Checks that a time has the notation (seconds or a date) of the times that were read before it. A
 * date in a list of seconds would be about fifty years away from the other samples. */
static int32_t same_words(const struct csv_field *field, uint32_t line, enum time_words words,
                          enum time_words *before, lsched_error *err) {
    if (*before == TIMES_UNKNOWN) *before = words;
    if (*before == words) return LSCHED_OK;
    return scan_field_error(err, LSCHED_E_SYNTAX, line, field, "time: expected %s as before",
                            *before == TIMES_DATES ? "a date" : "seconds");
}

/* Reads a time: a number of seconds, or a date. */
static int32_t read_time(const struct csv_field *field, uint32_t line, enum time_words *words,
                         int64_t *out_us, lsched_error *err) {
    char text[TIME_TEXT_BYTES] = "";
    enum decimal code = decimal_parse(field->text, field->len, out_us);
    if (code == DECIMAL_OK && *out_us <= TIME_MICRO_MAX)
        return same_words(field, line, TIMES_SECONDS, words, err);
    if (field->len >= 10 && field->len < TIME_TEXT_BYTES - 1) {
        memcpy(text, field->text, field->len);
        if (text[10] == ' ') text[10] = 'T';
        if (text[10] == 'T' && text[field->len - 1] != 'Z') text[field->len] = 'Z';
        if (time_parse(text, 0, out_us)) return same_words(field, line, TIMES_DATES, words, err);
    }
    return scan_field_error(err, code == DECIMAL_BAD ? LSCHED_E_SYNTAX : LSCHED_E_RANGE, line,
                            field, "time: expected seconds from 0 on, or 2026-01-05T08:30:00Z");
}

static int32_t read_name(const struct csv_field *field, uint32_t line, struct sample_list *list,
                         uint32_t *out, lsched_error *err) {
    if (field->len == 0 || field->len > LSCHED_NAME_BYTES_MAX)
        return scan_field_error(err, LSCHED_E_RANGE, line, field, "name: expected 1 to %d bytes",
                                LSCHED_NAME_BYTES_MAX);
    *out = name_table_add(&list->names, (lsched_text){field->text, field->len});
    if (*out < LSCHED_PACK_ITEMS_MAX) return LSCHED_OK;
    return scan_field_error(err, LSCHED_E_LIMIT, line, field, "name: expected at most %u",
                            LSCHED_PACK_ITEMS_MAX);
}

/* ---- files with one sample per row ---- */

/* the words by which a header names each column; each list ends with NULL */
enum { COLUMN_TIME, COLUMN_NAME, COLUMN_VALUE, COLUMNS, WORDS_MAX = 6 };
static const char *const column_words[COLUMNS][WORDS_MAX] = {
    {"time", "timestamp", "timestamp_anon", "time_s", NULL},
    {"name", "service", "pod", "vm", "container_ip", NULL},
    {"value", "demand", "usage", NULL}};

static bool is_word(const struct csv_field *field, const char *word) {
    return field->len == strlen(word) && strncasecmp(field->text, word, field->len) == 0;
}

static bool names_column(const struct csv_field *field, size_t column) {
    for (size_t w = 0; w < WORDS_MAX && column_words[column][w] != NULL; w++)
        if (is_word(field, column_words[column][w])) return true;
    return false;
}

static size_t find_column(const struct csv *csv, size_t column) {
    for (size_t c = 0; c < csv->n_fields; c++)
        if (names_column(&csv->header[c], column)) return c;
    return CSV_COLUMNS_MAX;
}

static const char *column_word(const void *list, size_t i) {
    const char *const *words = list;
    return words[i];
}

/* Writes the error for a missing column. If a word of the header is similar to a name of this
 * column, the error points to that word. */
static int32_t missing_column(const struct csv *csv, size_t column, lsched_error *err) {
    const char *const *words = column_words[column];
    for (size_t c = 0; c < csv->n_fields; c++) {
        const struct csv_field *field = &csv->header[c];
        char word[LSCHED_NAME_BYTES_MAX + 1] = "";
        if (field->len < sizeof word) memcpy(word, field->text, field->len);
        const char *meant = suggest(word, column_word, words);
        if (meant != NULL)
            return error_at(err, LSCHED_E_SYNTAX, 1, field->column,
                            "header: expected a column '%s', got '%s'; did you mean '%s'?",
                            words[0], word, meant);
    }
    return error_at(err, LSCHED_E_SYNTAX, 1, 1, "header: expected a column '%s' (or '%s')",
                    words[0], words[1]);
}

static int32_t read_row(const struct csv *csv, const size_t *place, uint32_t resource,
                        struct sample_list *out, lsched_error *err) {
    const struct csv_field *value = &csv->fields[place[COLUMN_VALUE]];
    struct sample sample = {.resource = resource, .origin = {csv->line, value->column}};
    int32_t rc =
        read_time(&csv->fields[place[COLUMN_TIME]], csv->line, &out->times, &sample.at_us, err);
    if (rc == 0)
        rc = read_name(&csv->fields[place[COLUMN_NAME]], csv->line, out, &sample.name, err);
    if (rc == 0) rc = scan_decimal(err, csv->line, value, "value", &sample.micro);
    if (rc == 0) add_sample(out, &sample);
    return rc;
}

static int32_t read_long(const char *text, size_t len, uint32_t resource, struct sample_list *out,
                         lsched_error *err) {
    struct csv csv;
    size_t place[COLUMNS], before = out->n;
    int32_t rc = csv_begin(&csv, text, len, NULL, 0, NULL, err);
    for (size_t c = 0; rc == 0 && c < COLUMNS; c++) {
        place[c] = find_column(&csv, c);
        if (place[c] == CSV_COLUMNS_MAX) rc = missing_column(&csv, c, err);
    }
    while (rc == 0 && (rc = csv_next(&csv, err)) == 1)
        rc = read_row(&csv, place, resource, out, err);
    if (rc == 0 && out->n == before)
        rc = error_at(err, LSCHED_E_SYNTAX, csv.line, 1,
                      "expected at least one sample, got none: the horizon is empty");
    return rc;
}

/* ---- files with one service per row ---- */

struct columns {
    /* owned by this struct; time at which each column begins, ascending; NULL if every column lasts
     * step_us */
    int64_t *at_us;
    size_t n, capacity;
    /* line of the header or, without a header, of the first service; all later rows must have as
     * many columns as this line */
    uint32_t line;
};

/* Reads a header such as "name,0,300,600", where each number is the time at which a column
 * begins. */
static int32_t read_header(struct rows *rows, struct columns *out, enum time_words *words,
                           lsched_error *err) {
    struct csv_field field;
    int64_t at_us = 0;
    while (rows_field(rows, &field)) {
        int32_t rc = read_time(&field, rows->line, words, &at_us, err);
        if (rc < 0) return rc;
        if (out->n > 0 && at_us <= out->at_us[out->n - 1])
            return scan_field_error(err, LSCHED_E_RANGE, rows->line, &field,
                                    "header: expected a time after %g s, because times must ascend",
                                    (double)out->at_us[out->n - 1] / (double)MILLION);
        out->at_us = must_grow(out->at_us, out->n, &out->capacity, sizeof out->at_us[0]);
        out->at_us[out->n++] = at_us;
    }
    return LSCHED_OK;
}

static int32_t read_service(struct rows *rows, const struct columns *columns, int64_t step_us,
                            uint32_t resource, struct sample_list *out, size_t *n,
                            lsched_error *err) {
    struct csv_field field = {NULL, 0, 0};
    struct sample sample = {.resource = resource};
    uint32_t known = (uint32_t)out->names.n;
    rows_field(rows, &field);
    int32_t rc = read_name(&field, rows->line, out, &sample.name, err);
    if (rc == 0 && sample.name < known && resource == 0)
        rc = scan_field_error(err, LSCHED_E_EXISTS, rows->line, &field,
                              "name: expected each service once");
    for (*n = 0; rc == 0 && rows_field(rows, &field); ++*n) {
        if (columns->line > 0 && *n == columns->n)
            return scan_field_error(err, LSCHED_E_SYNTAX, rows->line, &field,
                                    "expected %zu samples as in line %" PRIu32 " and the end of "
                                    "the line",
                                    columns->n, columns->line);
        rc = scan_decimal(err, rows->line, &field, "sample", &sample.micro);
        sample.at_us = columns->at_us != NULL ? columns->at_us[*n] : (int64_t)*n * step_us;
        sample.origin = (struct pack_origin){rows->line, field.column};
        if (rc == 0) add_sample(out, &sample);
    }
    if (rc == 0 && *n == 0)
        return error_at(err, LSCHED_E_SYNTAX, rows->line, rows_end_column(rows),
                        "expected samples after the name, got none: the horizon is empty");
    if (rc == 0 && columns->line > 0 && *n != columns->n)
        return error_at(err, LSCHED_E_SYNTAX, rows->line, rows_end_column(rows),
                        "expected %zu samples as in line %" PRIu32 ", got %zu", columns->n,
                        columns->line, *n);
    return rc;
}

/* Returns the number of sample columns in the first row, which is the number of commas in that
 * row. */
static size_t count_columns(const struct rows *rows) {
    size_t n = 0;
    for (const char *at = rows->row; at < rows->end; at++) n += *at == ',';
    return n;
}

static int32_t read_rows(struct rows *rows, struct columns *columns, int64_t sample_us,
                         uint32_t resource, struct sample_list *out, lsched_error *err) {
    bool more = rows_next(rows);
    struct csv_field first;
    int32_t rc = LSCHED_OK;
    if (more && rows_field(rows, &first) && names_column(&first, COLUMN_NAME)) {
        rc = read_header(rows, columns, &out->times, err);
        columns->line = rows->line;
        more = rows_next(rows);
    } else {
        rows->from = rows->row;
    }
    if (rc == 0 && !more)
        return error_at(err, LSCHED_E_SYNTAX, 1, 1, "expected at least one service, got none");
    size_t n = count_columns(rows);
    int64_t step_us = sample_us > 0 ? sample_us : n > 0 ? DAY_US / (int64_t)n : DAY_US;
    for (; rc == 0 && more; more = rows_next(rows)) {
        rc = read_service(rows, columns, step_us, resource, out, &n, err);
        if (columns->line == 0) columns->line = rows->line;
        columns->n = n;
    }
    int64_t end_us = (int64_t)n * step_us;
    if (columns->at_us != NULL && rc == 0) {
        int64_t last = columns->at_us[n - 1];
        end_us = last + (n > 1 ? last - columns->at_us[n - 2] : DAY_US);
    }
    if (rc == 0 && end_us > out->end_us) out->end_us = end_us;
    return rc;
}

static int32_t read_wide(const char *text, size_t len, uint32_t resource, int64_t sample_us,
                         struct sample_list *out, lsched_error *err) {
    struct rows rows;
    struct columns columns = {.at_us = NULL};
    rows_begin(&rows, text, len);
    int32_t rc = read_rows(&rows, &columns, sample_us, resource, out, err);
    free(columns.at_us);
    return rc == 0 ? last_line_check(text, len, err) : rc;
}

/* ---- files of both layouts ---- */

/* Returns true if the file has one sample per row. The header of such a file has a word for a value
 * in any column, or a word for a time or a name behind the first column. In a file with one service
 * per row, all header fields behind the first column are numbers or times. */
static bool is_long(const char *text, size_t len) {
    struct rows rows;
    struct csv_field field;
    rows_begin(&rows, text, len);
    if (!rows_next(&rows)) return false;
    for (size_t c = 0; rows_field(&rows, &field); c++) {
        bool is_other = names_column(&field, COLUMN_TIME) || names_column(&field, COLUMN_NAME);
        if (names_column(&field, COLUMN_VALUE) || (c > 0 && is_other)) return true;
    }
    return false;
}

int32_t pack_samples_read(const char *text, size_t len, uint32_t resource, int64_t sample_us,
                          struct sample_list *out, lsched_error *err) {
    return is_long(text, len) ? read_long(text, len, resource, out, err)
                              : read_wide(text, len, resource, sample_us, out, err);
}

void pack_samples_free(struct sample_list *list) {
    free(list->items);
    name_table_free(&list->names);
    memset(list, 0, sizeof *list);
}

/* ---- the grid ---- */

static int by_time(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Finds the first and the last time of the samples, and the shortest time between two samples of
 * different times. *least is 0 if all samples have the same time. */
static void measure(const struct sample_list *list, int64_t *first, int64_t *last, int64_t *least) {
    int64_t *times = must_alloc(list->n * sizeof times[0]);
    for (size_t i = 0; i < list->n; i++) times[i] = list->items[i].at_us;
    qsort(times, list->n, sizeof times[0], by_time);
    *first = times[0];
    *last = times[list->n - 1];
    *least = 0;
    for (size_t i = 1; i < list->n; i++) {
        int64_t apart = times[i] - times[i - 1];
        if (apart > 0 && (*least == 0 || apart < *least)) *least = apart;
    }
    free(times);
}

static void hold_gaps(const struct sample_grid *grid, int64_t *row) {
    uint32_t last = grid->n_steps;
    while (last > 0 && row[last - 1] == NO_SAMPLE) row[--last] = 0;
    for (uint32_t s = 0; s < last; s++)
        if (row[s] == NO_SAMPLE) row[s] = s > 0 ? row[s - 1] : 0;
}

static const char *time_text(const struct sample_list *list, int64_t at_us,
                             char out[TIME_TEXT_BYTES]) {
    if (list->times == TIMES_DATES) return time_format(at_us, out);
    snprintf(out, TIME_TEXT_BYTES, "%.12g s", (double)at_us / (double)MILLION);
    return out;
}

static int32_t choose_steps(const struct sample_list *list, int64_t step_us,
                            struct sample_grid *out, lsched_error *err) {
    char text[TIME_TEXT_BYTES], from[TIME_TEXT_BYTES], to[TIME_TEXT_BYTES];
    int64_t last = 0, least = 0;
    measure(list, &out->first_us, &last, &least);
    if (least == 0) least = list->end_us > out->first_us ? list->end_us - out->first_us : DAY_US;
    out->step_us = step_us > 0 ? step_us : least;
    int64_t end_us = list->end_us > last ? list->end_us : last + 1;
    uint64_t steps = (uint64_t)((end_us - out->first_us + out->step_us - 1) / out->step_us);
    uint64_t rows = (uint64_t)out->n_names * out->n_resources;
    if (steps > LSCHED_PACK_SLOTS_MAX || steps > CELLS_MAX / rows)
        return error_at(err, LSCHED_E_LIMIT, 0, 0,
                        "%" PRIu64 " steps of %s from %s to %s: expected at most %" PRIu64
                        "; --sample chooses longer ones",
                        steps, span_format(out->step_us, text),
                        time_text(list, out->first_us, from), time_text(list, last, to),
                        CELLS_MAX / rows < LSCHED_PACK_SLOTS_MAX ? CELLS_MAX / rows
                                                                 : LSCHED_PACK_SLOTS_MAX);
    out->n_steps = (uint32_t)steps;
    return LSCHED_OK;
}

int32_t sample_grid_make(const struct sample_list *list, uint32_t n_resources, int64_t step_us,
                         struct sample_grid *out, lsched_error *err) {
    *out = (struct sample_grid){.n_names = (uint32_t)list->names.n, .n_resources = n_resources};
    int32_t rc = choose_steps(list, step_us, out, err);
    if (rc < 0) return rc;
    size_t rows = (size_t)out->n_names * n_resources, cells = rows * out->n_steps;
    out->values = must_alloc(cells * sizeof out->values[0]);
    out->samples = must_alloc_zero(rows * sizeof out->samples[0]);
    for (size_t i = 0; i < cells; i++) out->values[i] = NO_SAMPLE;
    for (size_t i = 0; i < list->n; i++) {
        const struct sample *sample = &list->items[i];
        size_t step = (size_t)((sample->at_us - out->first_us) / out->step_us);
        int64_t *value = sample_row(out, sample->name, sample->resource) + step;
        if (sample->micro > *value) *value = sample->micro;
        out->samples[(size_t)sample->name * n_resources + sample->resource]++;
    }
    for (size_t i = 0; i < rows; i++) hold_gaps(out, out->values + i * out->n_steps);
    return LSCHED_OK;
}

void sample_grid_free(struct sample_grid *grid) {
    free(grid->values);
    free(grid->samples);
    memset(grid, 0, sizeof *grid);
}
