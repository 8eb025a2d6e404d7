/*
 * swf_trace.c -- see swf_trace.h. The reader is as strict as csv_reader.h: a damaged log is an
 * error, because the reader could take it for a different log.
 */
#include "cli/traces/swf_trace.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input/last_line.h"
#include "cli/support/utf8.h"
#include "cli/support/cli_errors.h"

#define SECOND_US  ((int64_t)1000000)
#define NUMBER_MAX ((int64_t)1 << 40)

enum {
    SWF_NUMBER,
    SWF_SUBMIT,
    SWF_RUN = 3,
    SWF_ALLOCATED,
    SWF_REQUESTED = 7,
    SWF_TIME,
    SWF_USER = 11,
    SWF_GROUP,
    SWF_QUEUE = 14,
    SWF_FIELDS = 18
};

static const char *const field_names[SWF_FIELDS] = {
    "job number",      "submit time",      "wait time",   "run time",
    "processors used", "CPU time",         "memory used", "requested processors",
    "requested time",  "requested memory", "status",      "user",
    "group",           "executable",       "queue",       "partition",
    "preceding job",   "think time"};

struct swf_line {
    const char *text;
    size_t len;
    uint32_t number;
};

struct reader {
    struct swf_trace *out;
    enum swf_queues by;
    bool zero_runs; /* true if jobs that ran for 0 seconds are kept */
    /* owned by this struct; names of queues in the header, by the queue number of the trace; NULL
     * if there are none */
    lsched_text *named;
    lsched_error *err;
};

enum { NAMED_QUEUES_MAX = 1024 };

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static size_t skip_blanks(const struct swf_line *line, size_t at) {
    while (at < line->len && is_blank(line->text[at])) at++;
    return at;
}

static size_t skip_word(const struct swf_line *line, size_t at) {
    while (at < line->len && !is_blank(line->text[at])) at++;
    return at;
}

/* ---- the header ---- */

/* Reads a number at *at and moves *at behind its digits. Returns -1 if there is no digit. */
static int64_t leading_number(const struct swf_line *line, size_t *at) {
    int64_t value = -1;
    for (; *at < line->len && line->text[*at] >= '0' && line->text[*at] <= '9'; ++*at) {
        if (value < 0) value = 0;
        if (value <= NUMBER_MAX) value = 10 * value + (line->text[*at] - '0');
    }
    return value;
}

static int32_t header_number(struct reader *reader, const struct swf_line *line, size_t at,
                             int64_t min, int64_t max, int64_t *out) {
    size_t from = at;
    int64_t value = leading_number(line, &at);
    if (value < min || value > max || skip_blanks(line, at) < line->len) {
        return error_at(reader->err, LSCHED_E_RANGE, line->number, (uint32_t)from + 1,
                        "expected a number from %" PRId64 " to %" PRId64 ", got '%.*s'", min, max,
                        (int)(line->len - from < 40 ? line->len - from : 40), line->text + from);
    }
    *out = value;
    return LSCHED_OK;
}

/* Reads the name of a queue from the header; "2 high" names queue 2. A text of another form is
 * ignored. */
static void header_queue(struct reader *reader, const struct swf_line *line, size_t at) {
    int64_t number = leading_number(line, &at);
    at = skip_blanks(line, at);
    size_t end = skip_word(line, at);
    if (number < 0 || number >= NAMED_QUEUES_MAX || end == at || end - at > LSCHED_NAME_BYTES_MAX)
        return;
    if (reader->named == NULL) {
        reader->named = must_alloc_zero(NAMED_QUEUES_MAX * sizeof reader->named[0]);
    }
    reader->named[number] = (lsched_text){line->text + at, end - at};
}

static bool is_key(const struct swf_line *line, size_t at, size_t colon, const char *key) {
    return colon - at == strlen(key) && memcmp(line->text + at, key, colon - at) == 0;
}

static int32_t read_header(struct reader *reader, const struct swf_line *line, size_t at) {
    struct swf_trace *out = reader->out;
    at = skip_blanks(line, at);
    const char *found = memchr(line->text + at, ':', line->len - at);
    if (found == NULL) return LSCHED_OK;
    size_t colon = (size_t)(found - line->text), value = skip_blanks(line, colon + 1);
    if (is_key(line, at, colon, "MaxProcs")) {
        int64_t before = out->max_procs;
        int32_t rc = header_number(reader, line, value, 1, JOB_UNITS_MAX, &out->max_procs);
        if (before != 0 && before != out->max_procs) out->other_procs = before;
        return rc;
    }
    if (is_key(line, at, colon, "MaxNodes"))
        return header_number(reader, line, value, 1, JOB_UNITS_MAX, &out->max_nodes);
    if (is_key(line, at, colon, "UnixStartTime")) {
        int32_t rc = header_number(reader, line, value, 0, NUMBER_MAX, &out->start_us);
        out->start_us *= SECOND_US;
        return rc;
    }
    if (is_key(line, at, colon, "Queue")) header_queue(reader, line, value);
    return LSCHED_OK;
}

/* ---- jobs ---- */

/* True for the fields from which a job is made. */
static bool is_used(size_t field) {
    return field == SWF_SUBMIT || field == SWF_RUN || field == SWF_ALLOCATED ||
           field == SWF_REQUESTED || field == SWF_TIME;
}

/* Reads a field as a whole number. A decimal point and decimals are allowed, but left out. */
static int32_t read_number(struct reader *reader, const struct swf_line *line, size_t field,
                           size_t at, size_t end, int64_t *out) {
    bool negative = line->text[at] == '-';
    size_t from = at;
    at += negative;
    int64_t value = leading_number(line, &at);
    if (value >= 0 && at < end && line->text[at] == '.') {
        at++;
        if (leading_number(line, &at) > 0 && is_used(field) && reader->out->decimals++ == 0)
            reader->out->decimals_line = line->number;
    }
    if (value < 0 || at != end) {
        return error_at(reader->err, LSCHED_E_SYNTAX, line->number, (uint32_t)from + 1,
                        "field %zu, %s: expected a number, got '%.*s'", field + 1,
                        field_names[field], (int)(end - from < 40 ? end - from : 40),
                        line->text + from);
    }
    if (value > NUMBER_MAX) {
        return error_at(reader->err, LSCHED_E_RANGE, line->number, (uint32_t)from + 1,
                        "field %zu, %s: expected at most %" PRId64 ", got '%.*s'", field + 1,
                        field_names[field], NUMBER_MAX, (int)(end - from < 40 ? end - from : 40),
                        line->text + from);
    }
    *out = negative ? -value : value;
    return LSCHED_OK;
}

static int32_t read_fields(struct reader *reader, const struct swf_line *line,
                           int64_t fields[SWF_FIELDS]) {
    size_t n = 0, at = skip_blanks(line, 0);
    while (at < line->len) {
        size_t end = skip_word(line, at);
        if (n == SWF_FIELDS) {
            return error_at(reader->err, LSCHED_E_SYNTAX, line->number, (uint32_t)at + 1,
                            "expected %d fields, got another one", SWF_FIELDS);
        }
        int32_t rc = read_number(reader, line, n, at, end, &fields[n]);
        if (rc < 0) return rc;
        n++;
        at = skip_blanks(line, end);
    }
    if (n == SWF_FIELDS) return LSCHED_OK;
    return error_at(reader->err, LSCHED_E_SYNTAX, line->number, (uint32_t)at + 1,
                    "expected %d fields, got %zu", SWF_FIELDS, n);
}

/* Makes a name from a number of the trace, such as "user-12", or "queue-unknown" for a negative
 * number. Adds the name to the name table and returns its index. */
static uint32_t number_name(struct name_table *names, const char *what, int64_t number) {
    char text[64];
    int len = number >= 0 ? snprintf(text, sizeof text, "%s-%" PRId64, what, number)
                          : snprintf(text, sizeof text, "%s-unknown", what);
    return name_table_add(names, (lsched_text){text, (uint64_t)len});
}

static uint32_t queue_name(struct reader *reader, const int64_t fields[SWF_FIELDS]) {
    struct name_table *names = &reader->out->queue_names;
    if (reader->by == SWF_BY_USER) return number_name(names, "user", fields[SWF_USER]);
    if (reader->by == SWF_BY_GROUP) return number_name(names, "group", fields[SWF_GROUP]);
    int64_t queue = fields[SWF_QUEUE];
    if (reader->named != NULL && queue >= 0 && queue < NAMED_QUEUES_MAX &&
        reader->named[queue].len > 0)
        return name_table_add(names, reader->named[queue]);
    return number_name(names, "queue", queue);
}

static int32_t add_job(struct reader *reader, const struct swf_line *line,
                       const int64_t fields[SWF_FIELDS]) {
    struct swf_trace *out = reader->out;
    int64_t procs = fields[SWF_REQUESTED] > 0 ? fields[SWF_REQUESTED] : fields[SWF_ALLOCATED];
    /* the check of other fields comes later, because published logs have -1 in all fields of a job
     * that never ran */
    if (fields[SWF_RUN] < (reader->zero_runs ? 0 : 1) || procs <= 0) {
        out->never_ran++;
        return LSCHED_OK;
    }
    if (fields[SWF_SUBMIT] < 0) {
        return error_at(reader->err, LSCHED_E_RANGE, line->number, 1,
                        "job %" PRId64 ": expected a submit time of 0 or more, got %" PRId64,
                        fields[SWF_NUMBER], fields[SWF_SUBMIT]);
    }
    if (procs > JOB_UNITS_MAX) {
        return error_at(reader->err, LSCHED_E_RANGE, line->number, 1,
                        "job %" PRId64 ": expected at most %d processors, got %" PRId64,
                        fields[SWF_NUMBER], JOB_UNITS_MAX, procs);
    }
    struct listed_job job = {
        .submit_us = out->start_us + fields[SWF_SUBMIT] * SECOND_US,
        .duration_us = fields[SWF_RUN] * SECOND_US,
        .estimate_us = fields[SWF_TIME] > 0 ? fields[SWF_TIME] * SECOND_US : 0,
        .number = (uint64_t)(fields[SWF_NUMBER] > 0 ? fields[SWF_NUMBER] : 0),
        .units = (uint32_t)procs,
        .queue = queue_name(reader, fields),
        .user = number_name(&out->user_names, "user", fields[SWF_USER]),
        .row = (uint32_t)out->list.n_jobs,
    };
    if (out->queue_names.n > JOB_QUEUES_MAX)
        return error_at(reader->err, LSCHED_E_LIMIT, line->number, 1,
                        "expected at most %d queues, got more", JOB_QUEUES_MAX);
    job_list_add(&out->list, &job);
    return LSCHED_OK;
}

/* ---- lines ---- */

static int32_t read_line(struct reader *reader, const struct swf_line *line) {
    int64_t fields[SWF_FIELDS] = {0};
    size_t at = skip_blanks(line, 0);
    if (at == line->len) return LSCHED_OK;
    if (line->text[at] == ';')
        return reader->out->list.n_jobs == 0 ? read_header(reader, line, at + 1) : LSCHED_OK;
    int32_t rc = read_fields(reader, line, fields);
    return rc < 0 ? rc : add_job(reader, line, fields);
}

static int32_t read_lines(struct reader *reader, const char *text, size_t len) {
    struct swf_line line = {text, 0, 0};
    for (size_t at = utf8_mark(text, len); at < len; at += line.len + 1) {
        const char *end = memchr(text + at, '\n', len - at);
        line.text = text + at;
        line.len = end != NULL ? (size_t)(end - line.text) : len - at;
        line.number++;
        if (end == NULL) {
            return last_line_error(line.number, (uint32_t)line.len + 1, reader->err);
        }
        int32_t rc = read_line(reader, &line);
        if (rc < 0) return rc;
    }
    if (reader->out->list.n_jobs > 0) return LSCHED_OK;
    return error_at(reader->err, LSCHED_E_SYNTAX, line.number, 1,
                    "expected at least one job that ran, got none");
}

static int by_number(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Counts the jobs that have the number of another job. Several jobs have the same number if the log
 * was made from several logs, or if a line is in the log twice. */
static void count_repeated(struct swf_trace *out) {
    size_t n = out->list.n_jobs;
    uint64_t *numbers = must_alloc(n * sizeof numbers[0]);
    for (size_t i = 0; i < n; i++) numbers[i] = out->list.jobs[i].number;
    qsort(numbers, n, sizeof numbers[0], by_number);
    for (size_t i = 1; i < n; i++) {
        if (numbers[i] != numbers[i - 1] || numbers[i] == 0) continue;
        if (out->repeated++ == 0) out->repeated_first = numbers[i];
    }
    free(numbers);
}

int32_t swf_read(const char *text, size_t len, enum swf_queues queues, bool zero_runs,
                 struct swf_trace *out, lsched_error *err) {
    struct reader reader = {.out = out, .by = queues, .zero_runs = zero_runs, .err = err};
    memset(out, 0, sizeof *out);
    int32_t rc = read_lines(&reader, text, len);
    free(reader.named);
    if (rc < 0) return rc;
    for (size_t i = 0; i < out->queue_names.n; i++)
        job_list_add_queue(&out->list, out->queue_names.names[i], 0);
    for (size_t i = 0; i < out->user_names.n; i++)
        job_list_add_user(&out->list, out->user_names.names[i]);
    job_list_sort(&out->list);
    count_repeated(out);
    return LSCHED_OK;
}

void swf_free(struct swf_trace *trace) {
    job_list_free(&trace->list);
    name_table_free(&trace->queue_names);
    name_table_free(&trace->user_names);
    memset(trace, 0, sizeof *trace);
}
