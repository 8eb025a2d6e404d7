/*
 * speed_classes.h -- equal jobs as one class, and what each job has alone.
 *
 * Equal jobs get equal shares: a policy that gives one of them more can give all of them the mean.
 * Therefore the linear programme has one set of variables for each class, not for each job, and the
 * answer does not depend on the order of the jobs. Classes are in the order of their values.
 *
 * What always holds: the shares that a class has alone are valid for all classes together, because
 * each job takes its part of each model only.
 */
#ifndef LIBSCHED_SPEEDS_CLASSES_H
#define LIBSCHED_SPEEDS_CLASSES_H

#include <libsched/speeds.h>

#include "base/alloc.h"

struct speed_class {
    lsched_speeds_job job; /* one of its jobs, with its weight */
    uint32_t count;        /* number of jobs */
    double alone;          /* throughput of one job with its part of the devices */
    double floor;          /* what a job has at least, divided by `alone`; at least 1 */
};

struct speed_classes {
    struct alloc *alloc;
    const lsched_speeds_query *query; /* checked */
    struct speed_class *items;
    size_t n;
    uint32_t *class_of; /* by job */
    double *alone;      /* n x models: the shares of a job alone */
    uint64_t holes;     /* number of speeds of classes that are not known */
};

/* speed_classes_free() is to be called in any case. Error LSCHED_E_NOMEM. */
int32_t speed_classes_make(struct speed_classes *out, struct alloc *alloc,
                           const lsched_speeds_query *query, lsched_error *err);
void speed_classes_free(struct speed_classes *classes);
double speed_classes_speed(const struct speed_classes *classes, size_t c, size_t model);
/* Returns the throughput of a job of class `c` with these shares. */
double speed_classes_throughput(const struct speed_classes *classes, size_t c,
                                const double *shares);

#endif
