/*
 * pack_curve.h -- computes two curves over time for a plan: the number of bins that the load would
 * fill if it were packed without gaps, and the number of bins that are on.
 *
 * The time is divided into columns of equal duration, and each value of a curve is the mean over
 * one column. If there are several resources, the load of a column is the load of the resource that
 * would fill the most bins.
 */
#ifndef LSCHED_CLI_PACK_CURVE_H
#define LSCHED_CLI_PACK_CURVE_H

#include <stdbool.h>

#include "cli/packing/pack_solve.h"

enum { CURVE_COLUMNS_MAX = 400 };

struct pack_curve {
    int n; /* number of columns */
    int64_t from_us, to_us;
    double load[CURVE_COLUMNS_MAX], on[CURVE_COLUMNS_MAX];
};

/* Computes the curves for the bins of class 0. Returns false if the plan places no item. */
bool pack_curve_make(const lsched_pack_problem *problem, const struct pack_result *result,
                     int n_columns, struct pack_curve *out);

#endif
