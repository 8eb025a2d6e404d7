/* speed_input.c -- see speed_input.h. */
#include "cli/speeds/speed_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input/row_scan.h"
#include "cli/support/cli_errors.h"
#include "cli/support/did_you_mean.h"

enum { DEVICES_MOST = 1000000000, KEY_BYTES = LSCHED_NAME_BYTES_MAX + 16 };
enum { ROW_KIND, ROW_DEVICES, ROW_FIRST };

size_t speed_model_find(const struct speed_input *input, const char *name, size_t len) {
    size_t m = 0;
    while (m < input->n_models &&
           (strlen(input->names[m]) != len || memcmp(input->names[m], name, len) != 0))
        m++;
    return m;
}

/* Calls `one` for each pair NAME=NUMBER between commas, with the number in millionths. */
static int speed_pairs(const char *option, const char *words, struct speed_input *input,
                       int (*one)(struct speed_input *, const char *, size_t, int64_t)) {
    for (const char *at = words; at != NULL;) {
        const char *comma = strchr(at, ',');
        size_t len = comma != NULL ? (size_t)(comma - at) : strlen(at);
        const char *sign = memchr(at, '=', len);
        size_t name = sign != NULL ? (size_t)(sign - at) : 0;
        int64_t micro = 0;
        if (name == 0 || decimal_parse(sign + 1, len - name - 1, &micro) != DECIMAL_OK)
            return usage_error("speeds", "--%s: expected NAME=NUMBER, got '%.*s'", option, (int)len,
                               at);
        int rc = one(input, at, name, micro);
        if (rc != EXIT_OK) return rc;
        at = comma != NULL ? comma + 1 : NULL;
    }
    return EXIT_OK;
}

static int speed_add_model(struct speed_input *input, const char *name, size_t len, int64_t micro) {
    if (micro % MILLION != 0 || micro / MILLION > DEVICES_MOST)
        return usage_error("speeds", "--models: expected a whole number of devices of '%.*s'",
                           (int)len, name);
    if (speed_model_find(input, name, len) < input->n_models)
        return usage_error("speeds", "--models: '%.*s' is there twice", (int)len, name);
    if (input->n_models == LSCHED_SPEEDS_MODELS_MAX)
        return usage_error("speeds", "--models: at most %d models", LSCHED_SPEEDS_MODELS_MAX);
    input->names[input->n_models] = must_copy(name, len);
    input->models[input->n_models++].devices = (uint32_t)(micro / MILLION);
    return EXIT_OK;
}

static int speed_add_price(struct speed_input *input, const char *name, size_t len, int64_t micro) {
    size_t model = speed_model_find(input, name, len);
    if (model == input->n_models)
        return usage_error("speeds", "--prices: '%.*s' is not one of the models", (int)len, name);
    if (micro / MILLION > DEVICES_MOST)
        return usage_error("speeds", "--prices: expected at most %d for '%.*s'", DEVICES_MOST,
                           (int)len, name);
    input->models[model].price = (double)micro / (double)MILLION;
    input->priced |= (uint64_t)1 << model;
    return EXIT_OK;
}

int speed_models_read(const char *words, struct speed_input *input) {
    return speed_pairs("models", words, input, speed_add_model);
}

int speed_prices_read(const char *words, struct speed_input *input) {
    return speed_pairs("prices", words, input, speed_add_price);
}

/* ---- the table ---- */

/* Returns the row of a kind and a number of devices. A new row has speeds that are not known. */
static uint32_t speed_row_of(struct speed_input *input, lsched_text kind, uint32_t devices) {
    char key[KEY_BYTES];
    int n = snprintf(key, sizeof key, "%u ", devices);
    memcpy(key + n, kind.ptr, (size_t)kind.len);
    size_t had = input->keys.n, capacity = input->row_capacity;
    uint32_t row = name_table_add(&input->keys, (lsched_text){key, (uint64_t)n + kind.len});
    if (row < had) return row;
    input->rows = must_grow(input->rows, had, &input->row_capacity, sizeof input->rows[0]);
    if (input->row_capacity > capacity)
        input->speeds = must_resize(input->speeds, input->row_capacity * LSCHED_SPEEDS_MODELS_MAX *
                                                       sizeof input->speeds[0]);
    input->rows[row] = (struct speed_row){kind, devices};
    for (size_t m = 0; m < input->n_models; m++)
        input->speeds[row * input->n_models + m] = LSCHED_SPEED_UNKNOWN;
    return row;
}

static int32_t speed_devices(const struct csv *csv, size_t field, uint32_t *out,
                             lsched_error *err) {
    int64_t devices = 0;
    int32_t rc = csv_number(csv, field, 1, DEVICES_MOST, &devices, err);
    *out = (uint32_t)devices;
    return rc;
}

static int32_t speed_table_row(void *user, const struct csv *csv, const size_t *place,
                               lsched_error *err) {
    struct speed_input *input = user;
    lsched_text kind = {NULL, 0};
    uint32_t devices = 0;
    size_t had = input->keys.n;
    int32_t rc = csv_name(csv, place[ROW_KIND], &kind, err);
    if (rc == LSCHED_OK) rc = speed_devices(csv, place[ROW_DEVICES], &devices, err);
    if (rc != LSCHED_OK) return rc;
    uint32_t row = speed_row_of(input, kind, devices);
    if (row < had)
        return csv_error(csv, place[ROW_KIND], LSCHED_E_EXISTS, err,
                         "each kind and number of devices once");
    for (size_t m = 0; rc == LSCHED_OK && m < input->n_models; m++) {
        const struct csv_field *field = &csv->fields[place[ROW_FIRST + m]];
        int64_t micro = 0;
        if (field->len == 0) continue;
        rc = scan_decimal(err, csv->line, field, "a speed", &micro);
        if (rc == LSCHED_OK && micro > MILLION * MILLION)
            rc = scan_field_error(err, LSCHED_E_RANGE, csv->line, field,
                                  "a speed: expected at most 1000000");
        input->speeds[row * input->n_models + m] = (double)micro / (double)MILLION;
    }
    return rc;
}

int32_t speed_table_read(const char *text, size_t len, struct speed_input *input,
                         lsched_error *err) {
    const char *wanted[ROW_FIRST + LSCHED_SPEEDS_MODELS_MAX] = {"kind", "devices"};
    struct csv csv;
    for (size_t m = 0; m < input->n_models; m++) wanted[ROW_FIRST + m] = input->names[m];
    int32_t rc =
        csv_read(&csv, text, len, wanted, ROW_FIRST + input->n_models, speed_table_row, input, err);
    input->measured = input->keys.n;
    return rc;
}

/* True if a row has a speed above 0, which would stay in another unit. */
static bool speed_row_counts(const struct speed_input *input, const double *speeds) {
    for (size_t m = 0; m < input->n_models; m++)
        if (speeds[m] > 0) return true;
    return false;
}

int32_t speed_table_divide(struct speed_input *input, size_t model, lsched_error *err) {
    for (size_t row = 0; row < input->keys.n; row++) {
        double *speeds = &input->speeds[row * input->n_models], by = speeds[model];
        if (by <= 0 && speed_row_counts(input, speeds))
            return error_at(err, LSCHED_E_RANGE, (uint32_t)row + 2, 1, /* rows follow the header */
                            "%s: expected a speed above 0 in the column of --reference, by which "
                            "the row is divided, got %s",
                            input->names[model], by < 0 ? "nothing" : "0");
        for (size_t m = 0; m < input->n_models; m++)
            if (speeds[m] > 0) speeds[m] /= by;
    }
    return LSCHED_OK;
}

/* ---- jobs ---- */

enum { JOB_NAME, JOB_KIND, JOB_DEVICES, JOB_WANTED };
enum { JOB_WEIGHT, JOB_WORK, JOB_LEAST, JOB_NUMBERS };
static const char *const job_columns[JOB_WANTED] = {"name", "kind", "devices"};
static const char *const job_numbers[JOB_NUMBERS + 1] = {"weight", "work", "least", NULL};

/* Other columns can be in the list, but not one that may be a misspelt column with numbers. */
static int32_t speed_like_number(const struct csv_field *field, const size_t *numbers,
                                 size_t n_fields, lsched_error *err) {
    char word[LSCHED_NAME_BYTES_MAX + 1] = "";
    if (field->len >= sizeof word) return LSCHED_OK;
    memcpy(word, field->text, field->len);
    for (size_t k = 0; k < JOB_WANTED; k++)
        if (strcmp(word, job_columns[k]) == 0) return LSCHED_OK;
    const char *meant = suggest_listed(word, job_numbers);
    for (size_t k = 0; meant != NULL && k < JOB_NUMBERS; k++)
        if (strcmp(meant, job_numbers[k]) == 0 && numbers[k] == n_fields)
            return error_at(err, LSCHED_E_KEY, 1, field->column,
                            "header: '%s' is no column of jobs; did you mean '%s'?", word, meant);
    return LSCHED_OK;
}

/* Finds the columns with numbers, which can be missing: then their place is n_fields. Refuses
 * columns that would be speeds. */
static int32_t speed_job_header(const struct csv *csv, const struct speed_input *input,
                                size_t *numbers, lsched_error *err) {
    for (size_t k = 0; k < JOB_NUMBERS; k++) numbers[k] = csv->n_fields;
    for (size_t i = 0; i < csv->n_fields; i++) {
        const struct csv_field *field = &csv->header[i];
        for (size_t k = 0; k < JOB_NUMBERS; k++)
            if (field->len == strlen(job_numbers[k]) &&
                memcmp(field->text, job_numbers[k], field->len) == 0)
                numbers[k] = i;
        if ((field->len == 5 && memcmp(field->text, "speed", 5) == 0) ||
            speed_model_find(input, field->text, field->len) < input->n_models)
            return scan_field_error(err, LSCHED_E_KEY, 1, field,
                                    "speeds are in the table only, because a job cannot state "
                                    "its own: expected no such column");
        int32_t rc = speed_like_number(field, numbers, csv->n_fields, err);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

static int32_t speed_job_numbers(const struct csv *csv, const size_t *numbers,
                                 lsched_speeds_job *job, lsched_error *err) {
    double *const to[JOB_NUMBERS] = {&job->weight, &job->work, &job->least};
    for (size_t k = 0; k < JOB_NUMBERS; k++) {
        int64_t micro = 0;
        if (numbers[k] == csv->n_fields || csv->fields[numbers[k]].len == 0) continue;
        int32_t rc = scan_decimal(err, csv->line, &csv->fields[numbers[k]], job_numbers[k], &micro);
        if (rc != LSCHED_OK) return rc;
        /* for the library a weight of 0 is the default, 1 */
        if (k == JOB_WEIGHT && micro == 0)
            return scan_field_error(err, LSCHED_E_RANGE, csv->line, &csv->fields[numbers[k]],
                                    "weight: expected more than 0; leave the job out if it should "
                                    "have nothing, or the field empty for the weight 1");
        *to[k] = (double)micro / (double)MILLION;
    }
    return LSCHED_OK;
}

static int32_t speed_job_row(const struct csv *csv, const size_t *place, const size_t *numbers,
                             struct speed_input *input, lsched_error *err) {
    lsched_text name = {NULL, 0}, kind = {NULL, 0};
    lsched_speeds_job job = {.row = 0};
    size_t had = input->jobs.n;
    int32_t rc = csv_name(csv, place[JOB_NAME], &name, err);
    if (rc == LSCHED_OK) rc = csv_name(csv, place[JOB_KIND], &kind, err);
    if (rc == LSCHED_OK) rc = speed_devices(csv, place[JOB_DEVICES], &job.devices, err);
    if (rc == LSCHED_OK) rc = speed_job_numbers(csv, numbers, &job, err);
    if (rc != LSCHED_OK) return rc;
    if (name_table_add(&input->jobs, name) < had)
        return csv_error(csv, place[JOB_NAME], LSCHED_E_EXISTS, err, "each name once");
    job.row = speed_row_of(input, kind, job.devices);
    input->list = must_grow(input->list, had, &input->job_capacity, sizeof input->list[0]);
    input->lines = must_grow(input->lines, had, &input->line_capacity, sizeof input->lines[0]);
    input->list[had] = job;
    input->lines[had] = csv->line;
    return LSCHED_OK;
}

int32_t speed_jobs_read(const char *text, size_t len, struct speed_input *input,
                        lsched_error *err) {
    size_t place[JOB_WANTED], numbers[JOB_NUMBERS];
    struct csv csv;
    int32_t rc = csv_begin(&csv, text, len, job_columns, JOB_WANTED, place, err);
    if (rc == LSCHED_OK) rc = speed_job_header(&csv, input, numbers, err);
    while (rc == LSCHED_OK && (rc = csv_next(&csv, err)) == 1)
        rc = speed_job_row(&csv, place, numbers, input, err);
    return rc;
}

void speed_input_free(struct speed_input *input) {
    for (size_t m = 0; m < input->n_models; m++) free(input->names[m]);
    name_table_free(&input->keys);
    name_table_free(&input->jobs);
    free(input->rows);
    free(input->speeds);
    free(input->list);
    free(input->lines);
}
