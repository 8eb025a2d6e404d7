/*
 * philly_trace.c -- see philly_trace.h. The reader refuses values that the library would also
 * refuse later, because only the reader knows the line and the column.
 */
#include "cli/traces/philly_trace.h"

#include <string.h>

#include "cli/input/xz_input.h"
#include "cli/input/csv_reader.h"
#include "cli/support/time_text.h"
#include "cli/support/cli_errors.h"

#define SECOND_US ((int64_t)1000000)
/* 136 years; the sum of 2000 such durations in microseconds is below 2^63 */
#define DURATION_S_MAX ((int64_t)1 << 32)
#define NODES_MAX      ((int64_t)1 << 20)

enum { TIMESTAMP_BYTES = 19, VCS_MAX = 1024, JOB_GPUS_MAX = 65536 };

enum { JOB_SUBMIT, JOB_DURATION, JOB_GPUS, JOB_VC, JOB_COLUMNS };
static const char *const job_columns[JOB_COLUMNS] = {"timestamp", "duration", "num_gpus",
                                                     "cluster"};

enum { VC_NAME, VC_NODES, VC_COLUMNS };
static const char *const vc_columns[VC_COLUMNS] = {"vc", "node num"};

/* ---- fields ---- */

/* Reads a time such as "2017-10-09 07:01:55". The function assumes UTC, because the list does not
 * say the time zone. */
static int32_t read_timestamp(const struct csv *csv, size_t field, int64_t *out,
                              lsched_error *err) {
    const struct csv_field *text = &csv->fields[field];
    char iso[TIMESTAMP_BYTES + 2];
    if (text->len == TIMESTAMP_BYTES && text->text[10] == ' ') {
        memcpy(iso, text->text, TIMESTAMP_BYTES);
        iso[10] = 'T';
        memcpy(iso + TIMESTAMP_BYTES, "Z", 2);
        if (time_parse(iso, 0, out)) return LSCHED_OK;
    }
    return csv_error(csv, field, LSCHED_E_SYNTAX, err, "a time such as 2017-10-09 07:01:55");
}

/* Reads seconds with decimals and writes microseconds, such as 66,000,000 for "66.0". The function
 * does not use floating point, because that would round. */
static int32_t read_duration(const struct csv *csv, size_t field, int64_t *out, lsched_error *err) {
    const struct csv_field *text = &csv->fields[field];
    int64_t seconds = 0, micros = 0, unit = SECOND_US;
    size_t i = 0, whole = 0, decimals = 0;
    for (; i < text->len && text->text[i] >= '0' && text->text[i] <= '9'; i++, whole++) {
        if (seconds <= DURATION_S_MAX) seconds = 10 * seconds + (text->text[i] - '0');
    }
    if (i < text->len && text->text[i] == '.') {
        for (i++; i < text->len && text->text[i] >= '0' && text->text[i] <= '9'; i++, decimals++) {
            /* `unit` is 0 from the seventh decimal, therefore later decimals have no effect */
            unit /= 10;
            micros += unit * (text->text[i] - '0');
        }
        if (decimals == 0) whole = 0;
    }
    if (whole == 0 || i != text->len)
        return csv_error(csv, field, LSCHED_E_SYNTAX, err, "a number of seconds");
    *out = seconds * SECOND_US + micros;
    if (seconds > DURATION_S_MAX || *out == 0) {
        return csv_error(csv, field, LSCHED_E_RANGE, err, "more than 0 and at most %lld seconds",
                         (long long)DURATION_S_MAX);
    }
    return LSCHED_OK;
}

/* ---- VCs ---- */

static lsched_text name_of(const struct csv *csv, size_t field) {
    return (lsched_text){csv->fields[field].text, csv->fields[field].len};
}

static int32_t add_vc(const struct csv *csv, size_t field, struct job_list *out, int64_t nodes,
                      lsched_error *err) {
    lsched_text name;
    int32_t rc = csv_name(csv, field, &name, err);
    if (rc != LSCHED_OK) return rc;
    if (out->n_queues == VCS_MAX)
        return csv_error(csv, field, LSCHED_E_LIMIT, err, "at most %d names", VCS_MAX);
    job_list_add_queue(out, name, nodes);
    return LSCHED_OK;
}

static int32_t add_row_of_vc(void *user, const struct csv *csv, const size_t *place,
                             lsched_error *err) {
    struct job_list *out = user;
    int64_t nodes = 0;
    int32_t rc = csv_number(csv, place[VC_NODES], 0, NODES_MAX, &nodes, err);
    if (rc == 0 && job_list_find_queue(out, name_of(csv, place[VC_NAME])) < out->n_queues)
        rc = csv_error(csv, place[VC_NAME], LSCHED_E_EXISTS, err, "each name once");
    return rc == 0 ? add_vc(csv, place[VC_NAME], out, nodes, err) : rc;
}

static int32_t read_vcs(const char *text, size_t len, struct job_list *out, lsched_error *err) {
    struct csv csv;
    int64_t nodes = 0;
    int32_t rc = csv_read(&csv, text, len, vc_columns, VC_COLUMNS, add_row_of_vc, out, err);
    for (size_t i = 0; i < out->n_queues; i++) nodes += out->queues[i].nodes;
    if (rc == 0 && nodes == 0)
        rc = error_at(err, LSCHED_E_SYNTAX, csv.line, 1,
                      "expected at least one VC with a node, got none");
    return rc;
}

int philly_vcs_open(const char *given, const struct input_file *jobs, const char *jobs_path,
                    struct input_file *file, struct job_list *out) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct csv csv;
    size_t place[JOB_COLUMNS];
    if (csv_begin(&csv, jobs->text, jobs->len, job_columns, JOB_COLUMNS, place, &err) < 0)
        return library_error(jobs->name, &err);
    int rc = input_read_or_beside(given, jobs_path, "philly_vc.csv", file);
    if (rc == EXIT_OK && read_vcs(file->text, file->len, out, &err) < 0)
        rc = library_error(file->name, &err);
    return rc;
}

/* ---- jobs ---- */

static int32_t add_job(void *user, const struct csv *csv, const size_t *place, lsched_error *err) {
    struct job_list *list = user;
    struct listed_job job = {.row = (uint32_t)list->n_jobs, .number = list->n_jobs + 1};
    int64_t gpus = 0;
    int32_t rc = read_timestamp(csv, place[JOB_SUBMIT], &job.submit_us, err);
    if (rc == 0) rc = read_duration(csv, place[JOB_DURATION], &job.duration_us, err);
    if (rc == 0) rc = csv_number(csv, place[JOB_GPUS], 1, JOB_GPUS_MAX, &gpus, err);
    if (rc != 0) return rc;
    job.units = (uint32_t)gpus;
    size_t vc = job_list_find_queue(list, name_of(csv, place[JOB_VC]));
    if (vc == list->n_queues) rc = add_vc(csv, place[JOB_VC], list, 0, err);
    job.queue = (uint32_t)vc;
    if (rc == 0) job_list_add(list, &job);
    return rc;
}

int32_t philly_jobs_read(const char *text, size_t len, struct job_list *out, lsched_error *err) {
    struct csv csv;
    int32_t rc = csv_read(&csv, text, len, job_columns, JOB_COLUMNS, add_job, out, err);
    if (rc == 0 && out->n_jobs == 0)
        rc = error_at(err, LSCHED_E_SYNTAX, csv.line, 1, "expected at least one job, got none");
    if (rc == 0) job_list_sort(out);
    return rc;
}
