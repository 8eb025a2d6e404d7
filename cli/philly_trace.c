/*
 * philly_trace.c -- see philly_trace.h. What the library would refuse later is refused here, where
 * the line and the column are known.
 */
#include "philly_trace.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "csv_reader.h"
#include "time_text.h"

#define SECOND_US      ((int64_t)1000000)
#define DURATION_S_MAX ((int64_t)1 << 32) /* 136 years: no total of a list overflows */
#define NODES_MAX      ((int64_t)1 << 20)

enum { TIMESTAMP_BYTES = 19 };

enum { JOB_SUBMIT, JOB_DURATION, JOB_GPUS, JOB_VC, JOB_COLUMNS };
static const char *const job_columns[JOB_COLUMNS] = {"timestamp", "duration", "num_gpus",
                                                     "cluster"};

enum { VC_NAME, VC_NODES, VC_COLUMNS };
static const char *const vc_columns[VC_COLUMNS] = {"vc", "node num"};

/* ---- fields ---------------------------------------------------------------------------------- */

/* "2017-10-09 07:01:55", taken as UTC: the list gives no zone. */
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

/* Seconds with up to six decimals, without floating point: 66.0 is 66,000,000 us. */
static int32_t read_duration(const struct csv *csv, size_t field, int64_t *out, lsched_error *err) {
    const struct csv_field *text = &csv->fields[field];
    int64_t seconds = 0, micros = 0, unit = SECOND_US;
    size_t i = 0, whole = 0, decimals = 0;
    for (; i < text->len && text->text[i] >= '0' && text->text[i] <= '9'; i++, whole++) {
        if (seconds <= DURATION_S_MAX) seconds = 10 * seconds + (text->text[i] - '0');
    }
    if (i < text->len && text->text[i] == '.') {
        for (i++; i < text->len && text->text[i] >= '0' && text->text[i] <= '9'; i++, decimals++) {
            unit /= 10; /* the seventh decimal and those after it count nothing */
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

/* Room for one more element of a growing array. */
static void *grow(void *items, size_t n, size_t *capacity, size_t bytes) {
    if (n < *capacity) return items;
    *capacity = *capacity > 0 ? 2 * *capacity : 64;
    return must_resize(items, *capacity * bytes);
}

/* ---- VCs ------------------------------------------------------------------------------------- */

static bool same_name(const struct philly_vc *vc, const struct csv_field *name) {
    return vc->name.len == name->len && memcmp(vc->name.ptr, name->text, name->len) == 0;
}

static size_t find_vc(const struct philly_list *list, const struct csv_field *name) {
    size_t i = 0;
    while (i < list->n_vcs && !same_name(&list->vcs[i], name)) i++;
    return i;
}

static int32_t add_vc(const struct csv *csv, size_t field, struct philly_list *out, int64_t nodes,
                      lsched_error *err) {
    const struct csv_field *name = &csv->fields[field];
    if (name->len == 0 || name->len > LSCHED_NAME_BYTES_MAX) {
        return csv_error(csv, field, LSCHED_E_RANGE, err, "a name of 1 to %d bytes",
                         LSCHED_NAME_BYTES_MAX);
    }
    if (out->n_vcs == PHILLY_VCS_MAX)
        return csv_error(csv, field, LSCHED_E_LIMIT, err, "at most %d names", PHILLY_VCS_MAX);
    if (out->vcs == NULL) out->vcs = must_alloc(PHILLY_VCS_MAX * sizeof out->vcs[0]);
    out->vcs[out->n_vcs++] = (struct philly_vc){{name->text, name->len}, nodes};
    return LSCHED_OK;
}

static int by_vc_name(const void *a, const void *b) {
    const struct philly_vc *x = a, *y = b;
    size_t both = x->name.len < y->name.len ? (size_t)x->name.len : (size_t)y->name.len;
    int order = memcmp(x->name.ptr, y->name.ptr, both);
    if (order != 0) return order;
    return (x->name.len > y->name.len) - (x->name.len < y->name.len);
}

static int32_t nothing_there(const struct csv *csv, const char *what, lsched_error *err) {
    lsched_error_init(err, sizeof *err);
    err->code = LSCHED_E_SYNTAX;
    err->line = csv->line;
    err->column = 1;
    memcpy(err->message, what, strlen(what) + 1);
    return err->code;
}

int32_t philly_vcs_read(const char *text, size_t len, struct philly_list *out, lsched_error *err) {
    struct csv csv;
    size_t place[VC_COLUMNS];
    int64_t nodes = 0, total = 0;
    int32_t rc = csv_begin(&csv, text, len, vc_columns, VC_COLUMNS, place, err);
    while (rc == 0 && (rc = csv_next(&csv, err)) == 1) {
        rc = csv_number(&csv, place[VC_NODES], 0, NODES_MAX, &nodes, err);
        if (rc == 0 && find_vc(out, &csv.fields[place[VC_NAME]]) < out->n_vcs)
            rc = csv_error(&csv, place[VC_NAME], LSCHED_E_EXISTS, err, "each name once");
        if (rc == 0) rc = add_vc(&csv, place[VC_NAME], out, nodes, err);
        total += nodes;
    }
    if (rc == 0 && total == 0)
        rc = nothing_there(&csv, "expected at least one VC with a node, got none", err);
    return rc;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static int32_t read_job(const struct csv *csv, const size_t *place, struct philly_list *list,
                        struct philly_job *out, lsched_error *err) {
    int64_t gpus = 0;
    int32_t rc = read_timestamp(csv, place[JOB_SUBMIT], &out->submit_us, err);
    if (rc == 0) rc = read_duration(csv, place[JOB_DURATION], &out->duration_us, err);
    if (rc == 0) rc = csv_number(csv, place[JOB_GPUS], 1, PHILLY_JOB_GPUS_MAX, &gpus, err);
    if (rc != 0) return rc;
    out->gpus = (uint32_t)gpus;
    size_t vc = find_vc(list, &csv->fields[place[JOB_VC]]);
    if (vc == list->n_vcs) rc = add_vc(csv, place[JOB_VC], list, 0, err);
    out->vc = (uint32_t)vc;
    return rc;
}

static int by_submission(const void *a, const void *b) {
    const struct philly_job *x = a, *y = b;
    if (x->submit_us != y->submit_us) return x->submit_us < y->submit_us ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* VCs into the order of their names; the jobs follow. */
static void sort_vcs(struct philly_list *list) {
    const char **old = must_alloc(list->n_vcs * sizeof old[0]);
    uint32_t *place = must_alloc(list->n_vcs * sizeof place[0]);
    for (size_t i = 0; i < list->n_vcs; i++) old[i] = list->vcs[i].name.ptr;
    qsort(list->vcs, list->n_vcs, sizeof list->vcs[0], by_vc_name);
    for (size_t i = 0; i < list->n_vcs; i++) {
        size_t to = 0;
        while (list->vcs[to].name.ptr != old[i]) to++; /* each name has its bytes to itself */
        place[i] = (uint32_t)to;
    }
    for (size_t i = 0; i < list->n_jobs; i++) list->jobs[i].vc = place[list->jobs[i].vc];
    free(place);
    free(old);
}

int32_t philly_jobs_read(const char *text, size_t len, struct philly_list *out, lsched_error *err) {
    struct csv csv;
    size_t place[JOB_COLUMNS], capacity = 0;
    int32_t rc = csv_begin(&csv, text, len, job_columns, JOB_COLUMNS, place, err);
    while (rc == 0 && (rc = csv_next(&csv, err)) == 1) {
        struct philly_job job = {.row = (uint32_t)out->n_jobs};
        rc = read_job(&csv, place, out, &job, err);
        if (rc != 0) break;
        out->jobs = grow(out->jobs, out->n_jobs, &capacity, sizeof job);
        out->jobs[out->n_jobs++] = job;
    }
    if (rc == 0 && out->n_jobs == 0)
        rc = nothing_there(&csv, "expected at least one job, got none", err);
    if (rc < 0) return rc;
    qsort(out->jobs, out->n_jobs, sizeof out->jobs[0], by_submission);
    sort_vcs(out);
    return LSCHED_OK;
}

void philly_list_free(struct philly_list *list) {
    free(list->jobs);
    free(list->vcs);
    memset(list, 0, sizeof *list);
}
