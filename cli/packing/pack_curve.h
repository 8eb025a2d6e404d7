/*
 * pack_curve.h -- computes a plan's curves over time: how many bins the load would fill, and how
 * many bins are on.
 *
 * Each value is the mean over one of several columns of equal duration. With several resources,
 * the load is that of the resource that fills the most bins.
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

/* Computes the curves for the bins of the first class. Returns false if the plan places no item. */
bool pack_curve_make(const lsched_pack_problem *problem, const struct pack_result *result,
                     int n_columns, struct pack_curve *out);

#endif
