/* speed_query.c -- see speed_query.h. */
#include "speeds/shares/speed_query.h"

#include "base/call_args.h"

#define NUMBER_MAX 1e12 /* of a speed, a price, work and a throughput */
#define WEIGHT_MAX 1e6
#define SMALL      1e-6 /* the least weight and speed above 0 */

int32_t speed_query_at(lsched_error *err, size_t index, int32_t code) {
    if (code != LSCHED_OK && err != NULL && LSCHED_HAS(err, index)) err->index = (int64_t)index;
    return code;
}

/* Checks a number of the element `i`: finite, from 0 to `most`. `what` is its name. */
static int32_t query_number(double value, double most, const char *what, size_t i,
                            lsched_error *err) {
    if (value >= 0 && value <= most) return LSCHED_OK;
    return speed_query_at(
        err, i, fail(err, LSCHED_E_RANGE, "%s is %g; expected 0 to %g", what, value, most));
}

static int32_t query_job(const lsched_speeds_job *job, size_t i, lsched_error *err) {
    int32_t rc = query_number(job->weight, WEIGHT_MAX, "weight of a job", i, err);
    if (rc == LSCHED_OK && job->weight > 0 && job->weight < SMALL)
        rc = fail(err, LSCHED_E_RANGE, "weight of a job is %g; expected 0 or at least %g",
                  job->weight, SMALL);
    if (rc == LSCHED_OK) rc = query_number(job->work, NUMBER_MAX, "work of a job", i, err);
    if (rc == LSCHED_OK) rc = query_number(job->least, NUMBER_MAX, "least of a job", i, err);
    if (rc == LSCHED_OK && job->devices == 0)
        rc = fail(err, LSCHED_E_RANGE, "devices of a job is 0; expected at least 1");
    return speed_query_at(err, i, rc);
}

static int32_t query_lists(const lsched_speeds_query *query, lsched_error *err) {
    if (query->models == NULL || query->n_models == 0)
        return fail(err, LSCHED_E_NULL, "there are no models");
    if (query->jobs == NULL && query->n_jobs > 0)
        return fail(err, LSCHED_E_NULL, "jobs is NULL, but n_jobs is %zu", query->n_jobs);
    if (query->n_models > LSCHED_SPEEDS_MODELS_MAX)
        return fail(err, LSCHED_E_LIMIT, "%zu models; at most %d", query->n_models,
                    LSCHED_SPEEDS_MODELS_MAX);
    if (query->n_jobs > LSCHED_SPEEDS_JOBS_MAX)
        return fail(err, LSCHED_E_LIMIT, "%zu jobs; at most %d", query->n_jobs,
                    LSCHED_SPEEDS_JOBS_MAX);
    return LSCHED_OK;
}

int32_t speed_query_read(const lsched_speeds_query *from, lsched_speeds_query *to,
                         struct alloc *alloc, lsched_error *err) {
    int32_t rc = arg_struct(to, sizeof *to, from, 0, "lsched_speeds_query", err);
    if (rc == LSCHED_OK) rc = arg_allocator(to->allocator, "the allocator of a query", err);
    if (rc == LSCHED_OK) {
        rc = alloc_init(alloc, to->allocator, 0);
        if (rc != LSCHED_OK) return fail_plain(err, rc);
    }
    if (rc == LSCHED_OK) rc = query_lists(to, err);
    for (size_t i = 0; rc == LSCHED_OK && i < to->n_models; i++) {
        rc = arg_reserved_at(to->models[i].reserved_zero, "reserved_zero", "lsched_speeds_query",
                             "models", i, err);
        if (rc == LSCHED_OK)
            rc = query_number(to->models[i].price, NUMBER_MAX, "price of a model", i, err);
    }
    for (size_t i = 0; rc == LSCHED_OK && i < to->n_jobs; i++) rc = query_job(&to->jobs[i], i, err);
    return rc;
}

static int32_t query_speeds(const lsched_speeds_query *query, lsched_error *err) {
    if (query->speeds == NULL && query->n_rows > 0)
        return fail(err, LSCHED_E_NULL, "speeds is NULL, but n_rows is %zu", query->n_rows);
    for (size_t i = 0; i < query->n_rows * query->n_models; i++) {
        double speed = query->speeds[i];
        if (speed == LSCHED_SPEED_UNKNOWN || speed == 0) continue;
        if (!(speed >= SMALL && speed <= NUMBER_MAX))
            return fail(err, LSCHED_E_RANGE,
                        "speed of row %zu on model %zu is %g; expected 0, %g to %g, or "
                        "LSCHED_SPEED_UNKNOWN",
                        i / query->n_models, i % query->n_models, speed, SMALL, NUMBER_MAX);
    }
    return LSCHED_OK;
}

/* Checks that a job has a row, can run somewhere, and has what the policy needs. */
static int32_t query_can_run(const lsched_speeds_query *query, size_t i, lsched_error *err) {
    const lsched_speeds_job *job = &query->jobs[i];
    int can = 0;
    if (job->row >= query->n_rows)
        return fail(err, LSCHED_E_RANGE, "row of a job is %u; the table has %zu rows", job->row,
                    query->n_rows);
    for (size_t m = 0; m < query->n_models; m++) can |= speed_query_speed(query, job, m) > 0;
    if (!can)
        return fail(err, LSCHED_E_RANGE,
                    "a job of %u devices can run nowhere: no model has so many devices and a "
                    "speed above 0",
                    job->devices);
    if (query->policy == LSCHED_SPEEDS_MAKESPAN && job->work < SMALL)
        return fail(err, LSCHED_E_INVAL,
                    "work of a job is %g; the policy makespan needs at least "
                    "%g",
                    job->work, SMALL);
    return LSCHED_OK;
}

int32_t speed_query_check(const lsched_speeds_query *query, lsched_error *err) {
    int priced = 0;
    if (query->policy >= LSCHED_SPEEDS_POLICIES)
        return fail(err, LSCHED_E_RANGE, "policy is %u; expected 0 to %d", query->policy,
                    LSCHED_SPEEDS_POLICIES - 1);
    for (size_t m = 0; m < query->n_models; m++) priced |= query->models[m].price > 0;
    if (query->policy == LSCHED_SPEEDS_COST && !priced)
        return fail(err, LSCHED_E_INVAL, "the policy cost needs a model with a price above 0");
    int32_t rc = query_speeds(query, err);
    for (size_t i = 0; rc == LSCHED_OK && i < query->n_jobs; i++)
        rc = speed_query_at(err, i, query_can_run(query, i, err));
    return rc;
}

double speed_query_speed(const lsched_speeds_query *query, const lsched_speeds_job *job,
                         size_t model) {
    double speed = query->speeds[(size_t)job->row * query->n_models + model];
    if (job->devices > query->models[model].devices) return 0;
    return speed == LSCHED_SPEED_UNKNOWN ? 1.0 : speed;
}
