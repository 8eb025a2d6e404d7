/* progress_rows.c -- see progress_rows.h. */
#include "cli/slowdowns/progress_rows.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input/row_scan.h"
#include "cli/support/cli_errors.h"

enum { COLUMN_JOB, COLUMN_KIND, COLUMN_BESIDE, COLUMN_RATE, COLUMN_SECONDS, COLUMNS };
static const char *const columns[COLUMNS] = {"job", "kind", "beside", "rate", "seconds"};

/* A '+' stands between the kinds of neighbours, so no kind has one. */
static int32_t kind_check(const struct csv *csv, size_t field, lsched_text name,
                          lsched_error *err) {
    if (name.len > 0 && name.len <= PROGRESS_KIND_BYTES_MAX &&
        memchr(name.ptr, '+', (size_t)name.len) == NULL)
        return LSCHED_OK;
    return csv_error(csv, field, LSCHED_E_RANGE, err, "names of kinds of 1 to %d bytes without '+'",
                     PROGRESS_KIND_BYTES_MAX);
}

/* Finds the kind of a name, and adds it if it is new. */
static int32_t kind_find(struct progress_rows *rows, const struct csv *csv, size_t field,
                         lsched_text name, uint32_t *kind, lsched_error *err) {
    int32_t rc = kind_check(csv, field, name, err);
    if (rc != LSCHED_OK) return rc;
    *kind = name_table_add(&rows->kinds, name);
    if (*kind < LSCHED_FORECAST_KINDS_MAX) return LSCHED_OK;
    return csv_error(csv, field, LSCHED_E_LIMIT, err,
                     "at most %d kinds, as many as a policy can name", LSCHED_FORECAST_KINDS_MAX);
}

/* Reads the neighbours. Several of them, for which it sets *crowded, become no kinds: their row is
 * left out. */
static int32_t beside_read(struct progress_rows *rows, const struct csv *csv, size_t field,
                           uint32_t *beside, bool *crowded, lsched_error *err) {
    const struct csv_field *text = &csv->fields[field];
    *beside = LSCHED_FORECAST_ALONE;
    if (text->len == 0) return LSCHED_OK;
    *crowded = memchr(text->text, '+', text->len) != NULL;
    if (!*crowded)
        return kind_find(rows, csv, field, (lsched_text){text->text, text->len}, beside, err);
    int32_t rc = LSCHED_OK;
    for (size_t at = 0, end; rc == LSCHED_OK && at <= text->len; at = end + 1) {
        const char *next = memchr(text->text + at, '+', text->len - at);
        end = next != NULL ? (size_t)(next - text->text) : text->len;
        rc = kind_check(csv, field, (lsched_text){text->text + at, end - at}, err);
    }
    return rc;
}

/* Finds the job of a name. A job that had another kind is an error. */
static int32_t job_find(struct progress_rows *rows, const struct csv *csv, const size_t *place,
                        uint32_t kind, uint32_t *job, lsched_error *err) {
    lsched_text name = {NULL, 0};
    int32_t rc = csv_name(csv, place[COLUMN_JOB], &name, err);
    if (rc != LSCHED_OK) return rc;
    size_t before = rows->jobs.n;
    *job = name_table_add(&rows->jobs, name);
    if (rows->jobs.n > before) {
        rows->kind_of =
            must_grow(rows->kind_of, before, &rows->jobs_capacity, sizeof rows->kind_of[0]);
        rows->kind_of[*job] = kind;
    }
    if (rows->kind_of[*job] == kind) return LSCHED_OK;
    lsched_text had = rows->kinds.names[rows->kind_of[*job]];
    return csv_error(csv, place[COLUMN_KIND], LSCHED_E_INVAL, err,
                     "'%.*s', the kind that the job has in an earlier row", (int)had.len, had.ptr);
}

/* Numbers are read in millionths, so a smaller rate would be wrong by more than a thousandth. */
#define RATE_MIN_MICRO (MILLION / 1000)

static int32_t rate_read(const struct csv *csv, size_t field, double *rate, lsched_error *err) {
    int64_t micro = 0;
    int32_t rc = scan_decimal(err, csv->line, &csv->fields[field], "rate", &micro);
    if (rc == LSCHED_OK && micro > 0 && micro < RATE_MIN_MICRO)
        rc = csv_error(csv, field, LSCHED_E_RANGE, err,
                       "0, or at least 0.001: take a smaller unit of progress for the job");
    *rate = (double)micro / (double)MILLION;
    return rc;
}

static int32_t seconds_read(const struct csv *csv, size_t field, double *seconds,
                            lsched_error *err) {
    int64_t micro = 0;
    int32_t rc = scan_decimal(err, csv->line, &csv->fields[field], "seconds", &micro);
    if (rc == LSCHED_OK && micro < 1)
        rc = csv_error(csv, field, LSCHED_E_RANGE, err, "a number above 0");
    *seconds = (double)micro / (double)MILLION;
    return rc;
}

static int32_t row_read(void *user, const struct csv *csv, const size_t *place, lsched_error *err) {
    struct progress_rows *rows = user;
    lsched_forecast_progress one = {.job = 0};
    bool crowded = false;
    const struct csv_field *kind = &csv->fields[place[COLUMN_KIND]];
    int32_t rc = kind_find(rows, csv, place[COLUMN_KIND], (lsched_text){kind->text, kind->len},
                           &one.kind, err);
    if (rc == LSCHED_OK) rc = job_find(rows, csv, place, one.kind, &one.job, err);
    if (rc == LSCHED_OK)
        rc = beside_read(rows, csv, place[COLUMN_BESIDE], &one.beside, &crowded, err);
    if (rc == LSCHED_OK) rc = rate_read(csv, place[COLUMN_RATE], &one.rate, err);
    if (rc == LSCHED_OK) rc = seconds_read(csv, place[COLUMN_SECONDS], &one.seconds, err);
    if (rc != LSCHED_OK) return rc;
    rows->rows++;
    rows->crowded += crowded;
    if (crowded) return LSCHED_OK;
    if (rows->n == LSCHED_FORECAST_PROGRESS_MAX)
        return csv_error(csv, place[COLUMN_JOB], LSCHED_E_LIMIT, err, "at most %d rows",
                         LSCHED_FORECAST_PROGRESS_MAX);
    rows->samples = must_grow(rows->samples, rows->n, &rows->capacity, sizeof rows->samples[0]);
    rows->samples[rows->n++] = one;
    return LSCHED_OK;
}

int32_t progress_rows_read(const char *text, size_t len, struct progress_rows *rows,
                           lsched_error *err) {
    struct csv *csv = must_alloc(sizeof *csv);
    int32_t rc = csv_read(csv, text, len, columns, COLUMNS, row_read, rows, err);
    free(csv);
    return rc;
}

static int compare_names(const void *a, const void *b) {
    const lsched_text *x = a, *y = b;
    size_t least = (size_t)(x->len < y->len ? x->len : y->len);
    int by = memcmp(x->ptr, y->ptr, least);
    return by != 0 ? by : (x->len > y->len) - (x->len < y->len);
}

void progress_rows_sort_kinds(struct progress_rows *rows) {
    size_t n = rows->kinds.n;
    struct name_table sorted = {.n = 0};
    lsched_text names[LSCHED_FORECAST_KINDS_MAX] = {{NULL, 0}};
    uint32_t to[LSCHED_FORECAST_KINDS_MAX] = {0};
    for (size_t i = 0; i < n; i++) names[i] = rows->kinds.names[i];
    qsort(names, n, sizeof names[0], compare_names);
    for (size_t i = 0; i < n; i++) name_table_add(&sorted, names[i]);
    for (size_t i = 0; i < n; i++) to[i] = name_table_find(&sorted, rows->kinds.names[i]);
    for (size_t i = 0; i < rows->n; i++) {
        lsched_forecast_progress *one = &rows->samples[i];
        one->kind = to[one->kind];
        if (one->beside != LSCHED_FORECAST_ALONE) one->beside = to[one->beside];
    }
    for (size_t i = 0; i < rows->jobs.n; i++) rows->kind_of[i] = to[rows->kind_of[i]];
    name_table_free(&rows->kinds);
    rows->kinds = sorted;
}

void progress_rows_free(struct progress_rows *rows) {
    name_table_free(&rows->jobs);
    name_table_free(&rows->kinds);
    free(rows->kind_of);
    free(rows->samples);
    *rows = (struct progress_rows){.n = 0};
}
