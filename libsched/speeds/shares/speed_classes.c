/* speed_classes.c -- see speed_classes.h. */
#include "speeds/shares/speed_classes.h"

#include "base/call_args.h"
#include "base/sort.h"
#include "speeds/shares/speed_query.h"

static double class_weight(const lsched_speeds_job *job) {
    return job->weight > 0 ? job->weight : 1;
}

/* Returns a value below, equal to or above 0. */
static int class_compare(const lsched_speeds_job *a, const lsched_speeds_job *b) {
    double wa = class_weight(a), wb = class_weight(b);
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    if (a->devices != b->devices) return a->devices < b->devices ? -1 : 1;
    if (wa < wb || wa > wb) return wa < wb ? -1 : 1;
    if (a->work < b->work || a->work > b->work) return a->work < b->work ? -1 : 1;
    if (a->least < b->least || a->least > b->least) return a->least < b->least ? -1 : 1;
    return 0;
}

#define CLASS_BEFORE(jobs, a, b) (class_compare(&(jobs)[a], &(jobs)[b]) < 0)
SORT_STABLE(class_sort, uint32_t, const lsched_speeds_job *, CLASS_BEFORE)

double speed_classes_speed(const struct speed_classes *classes, size_t c, size_t model) {
    return speed_query_speed(classes->query, &classes->items[c].job, model);
}

double speed_classes_throughput(const struct speed_classes *classes, size_t c,
                                const double *shares) {
    double sum = 0;
    for (size_t m = 0; m < classes->query->n_models; m++)
        sum += shares[m] * speed_classes_speed(classes, c, m);
    return sum;
}

/* Gives a job its part of each model, the fastest one first, until its time is full. */
static void class_alone(struct speed_classes *classes, size_t c, double weights) {
    struct speed_class *one = &classes->items[c];
    const lsched_speeds_query *query = classes->query;
    double *shares = &classes->alone[c * query->n_models], left = 1;
    for (size_t done = 0; done < query->n_models && left > 0; done++) {
        size_t best = query->n_models;
        double most = 0;
        for (size_t m = 0; m < query->n_models; m++) {
            double speed = speed_classes_speed(classes, c, m);
            if (shares[m] > 0 || speed <= most) continue;
            best = m;
            most = speed;
        }
        if (best == query->n_models) break;
        double part = (double)query->models[best].devices * one->job.weight /
                      (weights * (double)one->job.devices);
        shares[best] = part < left ? part : left;
        left -= shares[best];
    }
    one->alone = speed_classes_throughput(classes, c, shares);
    one->floor = one->job.least > one->alone ? one->job.least / one->alone : 1;
}

static void class_count_holes(struct speed_classes *classes, size_t c) {
    const lsched_speeds_query *query = classes->query;
    const lsched_speeds_job *job = &classes->items[c].job;
    for (size_t m = 0; m < query->n_models; m++)
        classes->holes +=
            job->devices <= query->models[m].devices &&
            query->speeds[(size_t)job->row * query->n_models + m] == LSCHED_SPEED_UNKNOWN;
}

/* Makes the classes from the jobs in their order. */
static void class_collect(struct speed_classes *classes, const uint32_t *order) {
    const lsched_speeds_query *query = classes->query;
    double weights = 0;
    for (size_t i = 0; i < query->n_jobs; i++) {
        const lsched_speeds_job *job = &query->jobs[order[i]];
        if (i == 0 || class_compare(job, &query->jobs[order[i - 1]]) != 0) {
            classes->items[classes->n] = (struct speed_class){.job = *job};
            classes->items[classes->n++].job.weight = class_weight(job);
        }
        classes->items[classes->n - 1].count++;
        classes->class_of[order[i]] = (uint32_t)(classes->n - 1);
    }
    for (size_t c = 0; c < classes->n; c++)
        weights += classes->items[c].job.weight * (double)classes->items[c].count;
    for (size_t c = 0; c < classes->n; c++) {
        class_alone(classes, c, weights);
        class_count_holes(classes, c);
    }
}

int32_t speed_classes_make(struct speed_classes *out, struct alloc *alloc,
                           const lsched_speeds_query *query, lsched_error *err) {
    size_t n = query->n_jobs, bytes = 2 * n * sizeof(uint32_t);
    *out = (struct speed_classes){.alloc = alloc, .query = query};
    if (n == 0) return LSCHED_OK;
    uint32_t *order = alloc_new(alloc, bytes);
    out->items = alloc_zero(alloc, n * sizeof out->items[0]);
    out->class_of = alloc_zero(alloc, n * sizeof out->class_of[0]);
    out->alone = alloc_zero(alloc, n * query->n_models * sizeof out->alone[0]);
    int complete =
        order != NULL && out->items != NULL && out->class_of != NULL && out->alone != NULL;
    if (complete) {
        for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
        class_sort(query->jobs, order, order + n, n);
        class_collect(out, order);
    }
    alloc_free(alloc, order, bytes);
    return complete ? LSCHED_OK : fail(err, LSCHED_E_NOMEM, "no memory for %zu jobs", n);
}

void speed_classes_free(struct speed_classes *classes) {
    if (classes->query == NULL) return;
    size_t n = classes->query->n_jobs;
    alloc_free(classes->alloc, classes->items, n * sizeof classes->items[0]);
    alloc_free(classes->alloc, classes->class_of, n * sizeof classes->class_of[0]);
    alloc_free(classes->alloc, classes->alone,
               n * classes->query->n_models * sizeof classes->alone[0]);
}
