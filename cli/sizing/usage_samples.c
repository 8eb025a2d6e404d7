/* usage_samples.c -- see usage_samples.h. */
#include "cli/sizing/usage_samples.h"

#include "cli/input/last_line.h"

#include <stdlib.h>
#include <string.h>

#include "cli/input/row_scan.h"
#include "cli/support/cli_errors.h"
#include "cli/support/time_text.h"

#define USAGE_MEMORY_MAX_MICRO ((int64_t)1 << 50) /* a pebibyte in MiB */
#define USAGE_NO_VALUE         ((int64_t)-1)
#define USAGE_TIME_MAX_US      ((int64_t)4102444800 * MILLION) /* 2100-01-01 */
#define USAGE_MS_MIN           ((int64_t)100000000000)         /* 1973; seconds are below this */
#define USAGE_WINDOW_US        ((int64_t)14 * 86400 * MILLION) /* samples that count: need.c */

static void usage_add(struct usage_list *list, lsched_text job, enum usage_kind kind, int64_t at_us,
                      int64_t micro) {
    uint32_t i = name_table_add(&list->jobs, job);
    size_t had = list->capacity;
    list->series = must_grow(list->series, i, &list->capacity, sizeof list->series[0]);
    if (list->capacity > had)
        memset(list->series + had, 0, (list->capacity - had) * sizeof list->series[0]);
    struct usage_series *s = &list->series[i][kind];
    s->samples = must_grow(s->samples, s->n, &s->capacity, sizeof s->samples[0]);
    s->samples[s->n++] = (lsched_forecast_sample){at_us, (double)micro / (double)MILLION};
    if (at_us > list->latest_us) list->latest_us = at_us;
}

static void usage_add_time(struct usage_list *list, int64_t at_us, uint32_t line) {
    list->times =
        must_grow(list->times, list->n_times, &list->times_capacity, sizeof list->times[0]);
    list->times[list->n_times++] = (struct usage_time){at_us, line, list->files - 1};
}

static int32_t usage_value(uint32_t line, const struct csv_field *field, enum usage_kind kind,
                           const char *what, int64_t *micro, lsched_error *err) {
    int64_t most = kind == USAGE_COMPUTE ? MILLION : USAGE_MEMORY_MAX_MICRO;
    int32_t rc = scan_decimal(err, line, field, what, micro);
    if (rc == LSCHED_OK && *micro > most)
        rc = scan_field_error(err, LSCHED_E_RANGE, line, field, "%s: expected at most %lld", what,
                              (long long)(most / MILLION));
    return rc;
}

/* ---- a table ---- */

enum { USAGE_TIME, USAGE_JOB, USAGE_FIRST, USAGE_COLUMNS = USAGE_FIRST + USAGE_KINDS };
static const char *const usage_columns[USAGE_COLUMNS] = {"time", "job", "fb_used", "sm_active"};

static int32_t usage_seconds(const struct csv *csv, size_t field, int64_t *out, lsched_error *err) {
    const struct csv_field *f = &csv->fields[field];
    char text[TIME_TEXT_BYTES] = "";
    enum decimal read = decimal_parse(f->text, f->len, out);
    if (read == DECIMAL_HUGE || (read == DECIMAL_OK && *out >= USAGE_TIME_MAX_US))
        return csv_error(csv, field, LSCHED_E_RANGE, err,
                         "seconds since 1970, before 2100; divide milliseconds by 1000");
    if (read == DECIMAL_OK) return LSCHED_OK;
    if (f->len >= 10 && f->len < TIME_TEXT_BYTES) {
        memcpy(text, f->text, f->len);
        if (time_parse(text, 0, out) && *out >= 0 && *out < USAGE_TIME_MAX_US) return LSCHED_OK;
    }
    return csv_error(csv, field, LSCHED_E_SYNTAX, err,
                     "seconds since 1970, or 2026-01-05T08:30:00Z, before 2100");
}

static int32_t usage_row(void *user, const struct csv *csv, const size_t *place,
                         lsched_error *err) {
    struct usage_list *list = user;
    lsched_text job = {0};
    int64_t at_us = 0, micro[USAGE_KINDS] = {0};
    int32_t rc = usage_seconds(csv, place[USAGE_TIME], &at_us, err);
    if (rc == LSCHED_OK) rc = csv_name(csv, place[USAGE_JOB], &job, err);
    for (int kind = 0; rc == LSCHED_OK && kind < USAGE_KINDS; kind++)
        rc = usage_value(csv->line, &csv->fields[place[USAGE_FIRST + kind]], (enum usage_kind)kind,
                         usage_columns[USAGE_FIRST + kind], &micro[kind], err);
    if (rc == LSCHED_OK) usage_add_time(list, at_us, csv->line);
    for (int kind = 0; rc == LSCHED_OK && kind < USAGE_KINDS; kind++)
        usage_add(list, job, (enum usage_kind)kind, at_us, micro[kind]);
    return rc;
}

/* ---- metrics ---- */

static const char *const usage_metrics[USAGE_KINDS] = {"DCGM_FI_DEV_FB_USED",
                                                       "DCGM_FI_PROF_SM_ACTIVE"};

static bool field_is(const struct csv_field *field, const char *word) {
    return field->len == strlen(word) && memcmp(field->text, word, field->len) == 0;
}

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    return at;
}

/* Takes the next label out of {a="b", c="d"}. *at points behind the brace or the comma before it,
 * and then behind the comma or at the closing brace. Returns false if there is no valid label. */
static bool metric_label(const char **at, const char *end, struct csv_field *key,
                         struct csv_field *value) {
    const char *from = skip_blanks(*at, end), *equal = memchr(from, '=', (size_t)(end - from));
    if (equal == NULL || end - equal < 3 || equal[1] != '"') return false;
    *key = (struct csv_field){.text = from, .len = (size_t)(equal - from)};
    const char *quote = equal + 2;
    while (quote < end && *quote != '"') quote += *quote == '\\' ? 2 : 1;
    if (quote >= end) return false;
    *value = (struct csv_field){.text = equal + 2, .len = (size_t)(quote - equal - 2)};
    *at = skip_blanks(quote + 1, end);
    if (*at < end && **at == ',') *at = skip_blanks(*at + 1, end);
    return *at < end;
}

/* Finds the job in the labels of a line. Sets *rest behind the closing brace; NULL: the labels are
 * not valid. */
static lsched_text metric_job(const char *labels, const char *end, const char **rest) {
    static const char *const job_labels[] = {"exported_pod", "hpc_job", "pod"};
    enum { JOB_LABELS = sizeof job_labels / sizeof job_labels[0] };
    struct csv_field key, value;
    lsched_text job = {NULL, 0};
    int found = JOB_LABELS;
    const char *at = skip_blanks(labels, end);
    *rest = NULL;
    while (at < end && *at != '}') {
        if (!metric_label(&at, end, &key, &value)) return job;
        for (int i = 0; i < found && value.len > 0; i++) {
            if (!field_is(&key, job_labels[i])) continue;
            job = (lsched_text){value.text, value.len};
            found = i;
        }
    }
    if (at < end) *rest = at + 1;
    return job;
}

static int32_t metric_error(const struct rows *rows, const char *at, lsched_error *err,
                            const char *expected) {
    return error_at(err, LSCHED_E_SYNTAX, rows->line, (uint32_t)(at - rows->row) + 1, "%s",
                    expected);
}

/* Reads the value and the time behind the labels of a line. A value of NaN becomes
 * USAGE_NO_VALUE. */
static int32_t metric_numbers(struct rows *rows, const char *rest, enum usage_kind kind,
                              int64_t *micro, int64_t *at_us, lsched_error *err) {
    struct csv_field value, stamp;
    int64_t ms = 0;
    rows->from = rest;
    if (!rows_word(rows, &value) || value.len == 0)
        return metric_error(rows, rest, err, "expected a value behind the labels");
    int32_t rc = LSCHED_OK;
    *micro = USAGE_NO_VALUE;
    if (!field_is(&value, "NaN"))
        rc = usage_value(rows->line, &value, kind, usage_metrics[kind], micro, err);
    if (rc != LSCHED_OK) return rc;
    if (!rows_word(rows, &stamp) || stamp.len == 0)
        return metric_error(rows, rows->end, err,
                            "expected a time in milliseconds behind the value; the page /federate "
                            "of a Prometheus server has it, the page of an exporter does not");
    rc = scan_decimal(err, rows->line, &stamp, "time", &ms);
    if (rc == LSCHED_OK && (ms / MILLION < USAGE_MS_MIN || ms / 1000 >= USAGE_TIME_MAX_US))
        rc = scan_field_error(err, LSCHED_E_RANGE, rows->line, &stamp,
                              "time: expected milliseconds since 1970, from 1973 to 2099; "
                              "multiply seconds by 1000");
    *at_us = ms / 1000;
    return rc;
}

static int32_t metric_line(struct rows *rows, struct usage_list *list, lsched_error *err) {
    int kind = 0;
    size_t len = (size_t)(rows->end - rows->row), n = 0;
    int64_t micro = 0, at_us = 0;
    for (; kind < USAGE_KINDS; kind++) {
        n = strlen(usage_metrics[kind]);
        if (len > n && memcmp(rows->row, usage_metrics[kind], n) == 0 && rows->row[n] == '{') break;
    }
    if (kind == USAGE_KINDS) {
        list->skipped[USAGE_SKIP_METRIC] += rows->row[0] != '#';
        return LSCHED_OK;
    }
    const char *rest, *labels = rows->row + n + 1;
    lsched_text job = metric_job(labels, rows->end, &rest);
    if (rest == NULL)
        return metric_error(rows, labels, err, "expected labels such as {gpu=\"0\",pod=\"train\"}");
    if (job.len == 0) {
        list->skipped[USAGE_SKIP_JOB]++;
        return LSCHED_OK;
    }
    if (job.len > 255 || memchr(job.ptr, '\\', (size_t)job.len) != NULL)
        return metric_error(
            rows, job.ptr, err,
            "expected the name of a job, of 1 to 255 bytes and without a backslash");
    int32_t rc = metric_numbers(rows, rest, (enum usage_kind)kind, &micro, &at_us, err);
    if (rc != LSCHED_OK) return rc;
    if (micro == USAGE_NO_VALUE) {
        list->skipped[USAGE_SKIP_VALUE]++;
        return LSCHED_OK;
    }
    usage_add_time(list, at_us, rows->line);
    usage_add(list, job, (enum usage_kind)kind, at_us, micro);
    return rc;
}

/* True if the first line that is not empty is a comment or a metric. The header of a table has
 * commas and no brace before them; a metric without labels has a blank and no comma. */
static bool is_metrics(const char *text, size_t len) {
    struct rows rows;
    rows_begin(&rows, text, len);
    if (!rows_next(&rows)) return false;
    size_t n = (size_t)(rows.end - rows.row);
    const char *comma = memchr(rows.row, ',', n);
    if (comma != NULL) n = (size_t)(comma - rows.row);
    return rows.row[0] == '#' || memchr(rows.row, '{', n) != NULL ||
           (comma == NULL && (memchr(rows.row, ' ', n) != NULL || memchr(rows.row, '\t', n)));
}

int32_t usage_read(const char *text, size_t len, struct usage_list *list, lsched_error *err) {
    struct rows rows;
    int32_t rc = LSCHED_OK;
    list->files++;
    if (!is_metrics(text, len)) {
        struct csv *csv = must_alloc(sizeof *csv);
        rc = csv_read(csv, text, len, usage_columns, USAGE_COLUMNS, usage_row, list, err);
        free(csv);
        return rc;
    }
    rows_begin(&rows, text, len);
    while (rc == LSCHED_OK && rows_next(&rows)) rc = metric_line(&rows, list, err);
    return rc == LSCHED_OK ? last_line_check(text, len, err) : rc;
}

static int compare_times(const void *a, const void *b) {
    const struct usage_time *x = a, *y = b;
    if (x->at_us != y->at_us) return x->at_us < y->at_us ? -1 : 1;
    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

int32_t usage_check(struct usage_list *list, uint32_t *file, lsched_error *err) {
    if (list->n_times == 0) return LSCHED_OK;
    qsort(list->times, list->n_times, sizeof list->times[0], compare_times);
    for (size_t i = list->n_times - 1; i > 0; i--) {
        const struct usage_time *at = &list->times[i];
        int64_t gap = at->at_us - list->times[i - 1].at_us;
        size_t later = list->n_times - i; /* a few: one, or up to a tenth of the earlier ones */
        if (gap <= USAGE_WINDOW_US || later >= i || later > i / 10 + 1) continue;
        *file = at->file;
        return error_at(err, LSCHED_E_TIME, at->line, 1,
                        "the time is %lld days after the %zu samples before it, and only samples "
                        "of the last 14 days count; correct the time, or remove the earlier "
                        "samples",
                        (long long)(gap / (86400 * MILLION)), i);
    }
    return LSCHED_OK;
}

void usage_free(struct usage_list *list) {
    for (size_t i = 0; i < list->jobs.n; i++)
        for (int kind = 0; kind < USAGE_KINDS; kind++) free(list->series[i][kind].samples);
    free(list->series);
    free(list->times);
    name_table_free(&list->jobs);
    *list = (struct usage_list){.latest_us = 0};
}
