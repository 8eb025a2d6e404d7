/*
 * philly_trace.c -- see philly_trace.h. Values that the library would refuse later are refused
 * here, where the line and the column are known.
 */
#include "cli/traces/philly_trace.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/command.h"
#include "cli/input/csv_reader.h"
#include "cli/support/time_text.h"

#define SECOND_US      ((int64_t)1000000)
#define DURATION_S_MAX ((int64_t)1 << 32) /* 136 years; no total over a list overflows */
#define NODES_MAX      ((int64_t)1 << 20)

enum { TIMESTAMP_BYTES = 19, VCS_MAX = 1024, JOB_GPUS_MAX = 65536 };

enum { JOB_SUBMIT, JOB_DURATION, JOB_GPUS, JOB_VC, JOB_COLUMNS };
static const char *const job_columns[JOB_COLUMNS] = {"timestamp", "duration", "num_gpus",
                                                     "cluster"};

enum { VC_NAME, VC_NODES, VC_COLUMNS };
static const char *const vc_columns[VC_COLUMNS] = {"vc", "node num"};

/* ---- fields ---- */

/* Reads a time such as "2017-10-09 07:01:55". The time is taken as UTC, because the list gives no
 * time zone. */
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

/* Reads seconds with decimals, without floating point: 66.0 is 66,000,000 microseconds. */
static int32_t read_duration(const struct csv *csv, size_t field, int64_t *out, lsched_error *err) {
    const struct csv_field *text = &csv->fields[field];
    int64_t seconds = 0, micros = 0, unit = SECOND_US;
    size_t i = 0, whole = 0, decimals = 0;
    for (; i < text->len && text->text[i] >= '0' && text->text[i] <= '9'; i++, whole++) {
        if (seconds <= DURATION_S_MAX) seconds = 10 * seconds + (text->text[i] - '0');
    }
    if (i < text->len && text->text[i] == '.') {
        for (i++; i < text->len && text->text[i] >= '0' && text->text[i] <= '9'; i++, decimals++) {
            unit /= 10; /* the seventh and later decimals count as 0 */
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
    const struct csv_field *name = &csv->fields[field];
    if (name->len == 0 || name->len > LSCHED_NAME_BYTES_MAX) {
        return csv_error(csv, field, LSCHED_E_RANGE, err, "a name of 1 to %d bytes",
                         LSCHED_NAME_BYTES_MAX);
    }
    if (out->n_queues == VCS_MAX)
        return csv_error(csv, field, LSCHED_E_LIMIT, err, "at most %d names", VCS_MAX);
    job_list_add_queue(out, name_of(csv, field), nodes);
    return LSCHED_OK;
}

static int32_t nothing_there(const struct csv *csv, const char *what, lsched_error *err) {
    lsched_error_init(err, sizeof *err);
    err->code = LSCHED_E_SYNTAX;
    err->line = csv->line;
    err->column = 1;
    memcpy(err->message, what, strlen(what) + 1);
    return err->code;
}

int32_t philly_vcs_read(const char *text, size_t len, struct job_list *out, lsched_error *err) {
    struct csv csv;
    size_t place[VC_COLUMNS];
    int64_t nodes = 0, total = 0;
    int32_t rc = csv_begin(&csv, text, len, vc_columns, VC_COLUMNS, place, err);
    while (rc == 0 && (rc = csv_next(&csv, err)) == 1) {
        rc = csv_number(&csv, place[VC_NODES], 0, NODES_MAX, &nodes, err);
        if (rc == 0 && job_list_find_queue(out, name_of(&csv, place[VC_NAME])) < out->n_queues)
            rc = csv_error(&csv, place[VC_NAME], LSCHED_E_EXISTS, err, "each name once");
        if (rc == 0) rc = add_vc(&csv, place[VC_NAME], out, nodes, err);
        total += nodes;
    }
    if (rc == 0 && total == 0)
        rc = nothing_there(&csv, "expected at least one VC with a node, got none", err);
    return rc;
}

/* ---- jobs ---- */

static int32_t read_job(const struct csv *csv, const size_t *place, struct job_list *list,
                        struct listed_job *out, lsched_error *err) {
    int64_t gpus = 0;
    int32_t rc = read_timestamp(csv, place[JOB_SUBMIT], &out->submit_us, err);
    if (rc == 0) rc = read_duration(csv, place[JOB_DURATION], &out->duration_us, err);
    if (rc == 0) rc = csv_number(csv, place[JOB_GPUS], 1, JOB_GPUS_MAX, &gpus, err);
    if (rc != 0) return rc;
    out->units = (uint32_t)gpus;
    size_t vc = job_list_find_queue(list, name_of(csv, place[JOB_VC]));
    if (vc == list->n_queues) rc = add_vc(csv, place[JOB_VC], list, 0, err);
    out->queue = (uint32_t)vc;
    out->number = (uint64_t)out->row + 1;
    return rc;
}

int32_t philly_jobs_read(const char *text, size_t len, struct job_list *out, lsched_error *err) {
    struct csv csv;
    size_t place[JOB_COLUMNS];
    int32_t rc = csv_begin(&csv, text, len, job_columns, JOB_COLUMNS, place, err);
    while (rc == 0 && (rc = csv_next(&csv, err)) == 1) {
        struct listed_job job = {.row = (uint32_t)out->n_jobs};
        rc = read_job(&csv, place, out, &job, err);
        if (rc != 0) break;
        job_list_add(out, &job);
    }
    if (rc == 0 && out->n_jobs == 0)
        rc = nothing_there(&csv, "expected at least one job, got none", err);
    if (rc < 0) return rc;
    job_list_sort(out);
    return LSCHED_OK;
}
