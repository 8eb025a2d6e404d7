/*
 * mig80_jobs.c -- see mig80_jobs.h.
 */
#include "cli/packing/mig80_jobs.h"

#include <stdlib.h>
#include <string.h>

#include "cli/input/csv_reader.h"
#include "cli/input/row_scan.h"
#include "cli/support/cli_errors.h"

/* 142 years; the sum of 2047 such durations is below 2^63 */
#define DURATION_MICRO_MAX ((int64_t)1 << 52)

enum { SEED_JOBS_MAX = 65536 };
enum { COLUMN_SEED, COLUMN_JOB, COLUMN_NEEDS, COLUMN_ASKS, COLUMN_DURATION, COLUMNS };
static const char *const columns[COLUMNS] = {"seed", "job", "true_profile", "requested_profile",
                                             "duration_s"};

bool mig_profiles_of(const char *table, struct mig_profiles *out) {
    memset(out, 0, sizeof *out);
    out->table = (lsched_text){table, strlen(table)};
    while (out->n < MIG_PROFILES_MAX) {
        lsched_mig_profile *profile = &out->items[out->n];
        profile->size = sizeof *profile;
        if (lsched_mig_profiles_at(lsched_cstr(table), out->n, profile, NULL) < 0) break;
        if (profile->slices > out->slices) out->slices = profile->slices;
        if (profile->compute > out->compute) out->compute = profile->compute;
        out->n++;
    }
    return out->n > 0 && out->slices <= MIG_SLICES;
}

static bool has_word(const char *text, size_t len, const char *word) {
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= len; i++)
        if (memcmp(text + i, word, n) == 0) return true;
    return false;
}

bool mig_is_list(const char *text, size_t len) {
    const char *newline = memchr(text, '\n', len);
    size_t n = newline != NULL ? (size_t)(newline - text) : len;
    return has_word(text, n, columns[COLUMN_NEEDS]) || has_word(text, n, columns[COLUMN_ASKS]);
}

static bool is_profile(const lsched_mig_profile *profile, const struct csv_field *field) {
    if (profile->name.len == field->len && memcmp(profile->name.ptr, field->text, field->len) == 0)
        return true;
    return !profile->media && field->len > 0 && profile->name.len > field->len &&
           profile->name.ptr[field->len] == '.' &&
           memcmp(profile->name.ptr, field->text, field->len) == 0;
}

static int32_t read_profile(const struct csv *csv, size_t field, const struct mig_profiles *of,
                            uint32_t *out, lsched_error *err) {
    for (*out = 0; *out < of->n; ++*out)
        if (is_profile(&of->items[*out], &csv->fields[field])) return LSCHED_OK;
    return csv_error(csv, field, LSCHED_E_NOENT, err, "a profile of %.*s such as %.*s",
                     (int)of->table.len, of->table.ptr, (int)of->items[0].name.len,
                     of->items[0].name.ptr);
}

/* Returns an error if the profile that a job asks for has fewer memory or compute slices than the
 * profile that the job needs. */
static int32_t check_asked(const struct csv *csv, size_t field, const struct mig_profiles *of,
                           const struct mig_job *job, lsched_error *err) {
    const lsched_mig_profile *needs = &of->items[job->needs], *asks = &of->items[job->asks];
    if (asks->slices >= needs->slices && asks->compute >= needs->compute) return LSCHED_OK;
    return csv_error(csv, field, LSCHED_E_RANGE, err, "one that holds what is needed, %.*s",
                     (int)needs->name.len, needs->name.ptr);
}

static int32_t add_seed(const struct csv *csv, size_t field, struct mig_list *out, int64_t seed,
                        lsched_error *err) {
    for (size_t i = 0; i < out->n_seeds; i++) {
        if (out->seeds[i].seed == seed)
            return csv_error(csv, field, LSCHED_E_EXISTS, err,
                             "all rows of a seed one after another");
    }
    out->seeds = must_grow(out->seeds, out->n_seeds, &out->seeds_capacity, sizeof out->seeds[0]);
    out->seeds[out->n_seeds++] = (struct mig_seed){.seed = seed, .first = out->n_jobs};
    return LSCHED_OK;
}

static int32_t add_job(void *user, const struct csv *csv, const size_t *place, lsched_error *err) {
    struct mig_list *out = user;
    const struct csv_field *name = &csv->fields[place[COLUMN_JOB]];
    const struct csv_field *duration = &csv->fields[place[COLUMN_DURATION]];
    struct mig_job job = {.name = {name->text, name->len}, .line = csv->line};
    int64_t seed = 0;
    int32_t rc = csv_number(csv, place[COLUMN_SEED], 0, INT64_MAX, &seed, err);
    if (rc == 0) rc = read_profile(csv, place[COLUMN_NEEDS], &out->profiles, &job.needs, err);
    if (rc == 0) rc = read_profile(csv, place[COLUMN_ASKS], &out->profiles, &job.asks, err);
    if (rc == 0) rc = check_asked(csv, place[COLUMN_ASKS], &out->profiles, &job, err);
    if (rc == 0)
        rc = scan_decimal(err, csv->line, duration, columns[COLUMN_DURATION], &job.duration_us);
    if (rc == 0 && (job.duration_us == 0 || job.duration_us > DURATION_MICRO_MAX))
        rc = csv_error(csv, place[COLUMN_DURATION], LSCHED_E_RANGE, err,
                       "more than 0 and at most 2^52 millionths of a second");
    if (rc == 0 && (out->n_seeds == 0 || out->seeds[out->n_seeds - 1].seed != seed))
        rc = add_seed(csv, place[COLUMN_SEED], out, seed, err);
    if (rc < 0) return rc;
    if (out->seeds[out->n_seeds - 1].n == SEED_JOBS_MAX)
        return csv_error(csv, place[COLUMN_JOB], LSCHED_E_LIMIT, err, "at most %d jobs of a seed",
                         SEED_JOBS_MAX);
    out->seeds[out->n_seeds - 1].n++;
    out->jobs = must_grow(out->jobs, out->n_jobs, &out->jobs_capacity, sizeof out->jobs[0]);
    out->jobs[out->n_jobs++] = job;
    return LSCHED_OK;
}

int32_t mig_list_read(const char *text, size_t len, struct mig_list *out, lsched_error *err) {
    struct csv csv;
    int32_t rc = csv_read(&csv, text, len, columns, COLUMNS, add_job, out, err);
    if (rc == 0 && out->n_jobs == 0)
        rc = error_at(err, LSCHED_E_SYNTAX, csv.line, 1, "expected at least one job, got none");
    return rc;
}

void mig_list_free(struct mig_list *list) {
    free(list->jobs);
    free(list->seeds);
    memset(list, 0, sizeof *list);
}
