/*
 * speeds_calls.c -- the calls of speeds.h that divide the time of devices.
 *
 * The figures of an answer are computed from the shares that the caller gets, not from the linear
 * programme.
 */
#include <string.h>

#include "base/call_args.h"
#include "speeds/shares/speed_policy.h"
#include "speeds/shares/speed_query.h"

static const char *const policy_words[LSCHED_SPEEDS_POLICIES] = {"max-min", "makespan", "cost"};

LSCHED_API const char *lsched_speeds_policy_name(uint32_t policy) {
    return policy < LSCHED_SPEEDS_POLICIES ? policy_words[policy] : NULL;
}

/* Writes what the shares of all classes come to. */
static void answer_sum(const struct speed_classes *classes, const double *shares,
                       lsched_speeds_answer *out) {
    const lsched_speeds_query *query = classes->query;
    for (size_t c = 0; c < classes->n; c++) {
        const struct speed_class *one = &classes->items[c];
        const double *own = &shares[c * query->n_models];
        double rate = speed_classes_throughput(classes, c, own);
        double devices = (double)one->count * (double)one->job.devices;
        if (c == 0 || rate / one->alone < out->least) out->least = rate / one->alone;
        if (one->job.work / rate > out->makespan) out->makespan = one->job.work / rate;
        for (size_t m = 0; m < query->n_models; m++)
            out->cost += own[m] * devices * query->models[m].price;
    }
}

static int32_t solve_classes(const struct speed_classes *classes, double *shares, double *alone,
                             lsched_speeds_answer *out, lsched_error *err) {
    const lsched_speeds_query *query = classes->query;
    size_t models = query->n_models, bytes = classes->n * models * sizeof(double);
    lsched_speeds_answer found = LSCHED_INIT(lsched_speeds_answer);
    int partial = 0;
    double *own = bytes > 0 ? alloc_new(classes->alloc, bytes) : NULL;
    if (bytes > 0 && own == NULL)
        return fail(err, LSCHED_E_NOMEM, "no memory for %zu different jobs", classes->n);
    int32_t rc = LSCHED_OK;
    if (own != NULL) rc = speed_policy_solve(classes, own, &found.work, &partial, err);
    if (rc == LSCHED_OK) {
        found.flags = partial ? LSCHED_SPEEDS_PARTIAL : 0;
        found.holes = classes->holes;
        found.different = classes->n;
        if (own != NULL) answer_sum(classes, own, &found);
        rc = arg_out(out, &found, sizeof found);
        if (rc != LSCHED_OK) fail(err, rc, "lsched_speeds_answer: size is not set");
    }
    for (size_t i = 0; rc == LSCHED_OK && own != NULL && shares != NULL && i < query->n_jobs; i++) {
        size_t c = classes->class_of[i];
        memcpy(&shares[i * models], &own[c * models], models * sizeof shares[0]);
        if (alone != NULL) alone[i] = classes->items[c].alone;
    }
    alloc_free(classes->alloc, own, bytes);
    return rc;
}

LSCHED_API int32_t lsched_speeds_solve(const lsched_speeds_query *query, double *shares,
                                       double *alone, lsched_speeds_answer *out,
                                       lsched_error *err) {
    lsched_speeds_query read;
    struct alloc alloc;
    struct speed_classes classes;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (query == NULL || out == NULL)
        return fail(err, LSCHED_E_NULL, "%s is NULL", query == NULL ? "the query" : "out");
    rc = speed_query_read(query, &read, &alloc, err);
    if (rc == LSCHED_OK) rc = speed_query_check(&read, err);
    if (rc != LSCHED_OK) return rc;
    if (shares == NULL && read.n_jobs > 0) return fail(err, LSCHED_E_NULL, "shares is NULL");
    rc = speed_classes_make(&classes, &alloc, &read, err);
    if (rc == LSCHED_OK) rc = solve_classes(&classes, shares, alone, out, err);
    speed_classes_free(&classes);
    return rc;
}
