/*
 * pack_curve.h -- a plan over time: how many bins the load would fill, and how many are on.
 *
 * Means over equal columns of time; of several resources the load is that of the one that fills
 * most.
 */
#ifndef LSCHED_CLI_PACK_CURVE_H
#define LSCHED_CLI_PACK_CURVE_H

#include <stdbool.h>

#include "cli/packing/pack_solve.h"

enum { CURVE_COLUMNS_MAX = 400 };

struct pack_curve {
    int n; /* columns */
    int64_t from_us, to_us;
    double load[CURVE_COLUMNS_MAX], on[CURVE_COLUMNS_MAX];
};

/* false: nothing is placed. Bins are those of the first class. */
bool pack_curve_make(const lsched_pack_problem *problem, const struct pack_result *result,
                     int n_columns, struct pack_curve *out);

#endif
